import type { CompanyId, StaleWrite, Stored } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type { AuditRecord, Head, LockedHead, NextRecord } from "./AuditChain.ts"
import type { AuditFilter } from "./AuditSearch.ts"
import type { EventBatch } from "./CompanyEvent.ts"

/**
 * A range of a company's records: at most `limit` records with numbers above `after` and up to `through`. If `after` is null,
 * the range begins with the first record. If `through` is null, the range ends with the last. The range can also be read newest
 * first.
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
     * Returns the heads, as `heads` does, and locks the companies until the transaction ends. Meanwhile no other writer appends
     * records. Lock companies after shipments and stock levels.
     */
    readonly lock: (companies: ReadonlyArray<CompanyId>) => Stored<ReadonlyArray<LockedHead>>
    /** Appends records and their events. Fails with `StaleWrite` if a number is already used or leaves a gap. */
    readonly append: (
      records: ReadonlyArray<AuditRecord>,
      events: ReadonlyArray<EventBatch>
    ) => Stored<void, StaleWrite>
    /**
     * Appends records that have no numbers yet. When they arrive, the storage gives them numbers and hashes, exactly as
     * `AuditChain.sealed` does. The companies must be locked. The function is absent if the storage can't give numbers.
     */
    readonly appendNext?: (records: ReadonlyArray<NextRecord>) => Stored<void, StaleWrite>
    /** At most `limit` records with numbers above `after`, sorted by number. */
    readonly read: (company: CompanyId, after: number, limit: number) => Stored<ReadonlyArray<AuditRecord>>
    /**
     * The records of the window that may match the filter, in the window's order. The result must contain all records that
     * match, and may contain others. If it has fewer than `limit` records, the window has no further ones.
     */
    readonly candidates: (company: CompanyId, filter: AuditFilter, window: Window) => Stored<ReadonlyArray<AuditRecord>>
    /** The entity types of all records, sorted and without duplicates. */
    readonly entityTypes: (company: CompanyId) => Stored<ReadonlyArray<string>>
    /** Deletes the personal part of these records. */
    readonly erase: (company: CompanyId, sequences: ReadonlyArray<number>) => Stored<void>
    /** Removes erased data from the storage's files too. Call it outside a transaction. The call can be repeated. */
    readonly purge: Stored<void>
    /**
     * The last dropped record. It is needed to verify the first remaining record. The number of the dropped record is 0 if no
     * record was dropped.
     */
    readonly anchor: (company: CompanyId) => Stored<Head>
    /** Drops the records up to this one. The number and hash of this record are kept as the anchor. */
    readonly drop: (upTo: Head) => Stored<void>
  }
>()("@crossdock/audit/AuditStore") {}
