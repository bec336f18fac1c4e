import type { CompanyId, StaleWrite, Stored } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type { AuditRecord, Head, LockedHead, NextRecord } from "./AuditChain.ts"
import type { AuditFilter } from "./AuditSearch.ts"
import type { EventBatch } from "./CompanyEvent.ts"

/**
 * A range of a company's records: at most `limit` records with numbers above `after` and up to `through`. If `after` is null,
 * it begins with the first record. If `through` is null, it ends with the last. The range can also be read newest first.
 */
export interface Window {
  readonly after: number | null
  readonly through: number | null
  readonly descending: boolean
  readonly limit: number
}

/**
 * Port: stores audit trails. Laws: a company's records are numbered 1, 2, 3 … in the order of commits. A record never changes,
 * except that its personal part can be erased. Only the oldest records can be dropped.
 */
export class AuditStore extends Context.Service<
  AuditStore,
  {
    /** The heads of these companies, sorted by company. Unknown companies are left out. */
    readonly heads: (companies: ReadonlyArray<CompanyId>) => Stored<ReadonlyArray<Head>>
    /**
     * The heads, as `heads` returns them. The companies are locked until the transaction ends, so that no other writer appends
     * records. Lock companies after shipments and stock levels.
     */
    readonly lock: (companies: ReadonlyArray<CompanyId>) => Stored<ReadonlyArray<LockedHead>>
    /** Appends records and their events. Fails with `StaleWrite` if a number is already used or leaves a gap. */
    readonly append: (
      records: ReadonlyArray<AuditRecord>,
      events: ReadonlyArray<EventBatch>
    ) => Stored<void, StaleWrite>
    /**
     * Appends records without numbers. The storage numbers and chains them when they arrive, exactly as `AuditChain.sealed`
     * does. The companies must be locked. A storage that can't do this doesn't have the function.
     */
    readonly appendNext?: (records: ReadonlyArray<NextRecord>) => Stored<void, StaleWrite>
    /** At most `limit` records with numbers above `after`, sorted by number. */
    readonly read: (company: CompanyId, after: number, limit: number) => Stored<ReadonlyArray<AuditRecord>>
    /**
     * The records of the window that may match the filter, in the window's order. A storage may return records that don't
     * match, but it must return all that do. If it returns fewer than `limit` records, the window has no others.
     */
    readonly candidates: (company: CompanyId, filter: AuditFilter, window: Window) => Stored<ReadonlyArray<AuditRecord>>
    /** The entity types of all records, sorted and without duplicates. */
    readonly entityTypes: (company: CompanyId) => Stored<ReadonlyArray<string>>
    /** Deletes the personal part of these records. */
    readonly erase: (company: CompanyId, sequences: ReadonlyArray<number>) => Stored<void>
    /** Removes erased data from the storage's files too. Call it outside a transaction. It can be repeated. */
    readonly purge: Stored<void>
    /** The last dropped record. It is needed to verify the first remaining record. Its number is 0 if no record was dropped. */
    readonly anchor: (company: CompanyId) => Stored<Head>
    /** Drops the records up to this one. The number and hash of this record are kept as the anchor. */
    readonly drop: (upTo: Head) => Stored<void>
  }
>()("@crossdock/audit/AuditStore") {}
