import type { CompanyId, StaleWrite, Stored } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type { AuditRecord, Head, LockedHead, NextRecord } from "./AuditChain.ts"
import type { AuditFilter } from "./AuditSearch.ts"
import type { EventBatch } from "./CompanyEvent.ts"

/** A range of records: at most `limit`, with numbers above `after` and up to `through`. Null means no bound. */
export interface Window {
  readonly after: number | null
  readonly through: number | null
  readonly descending: boolean
  readonly limit: number
}

/**
 * Port: stores audit trails. A company's records are numbered from 1 in the order of commits. They never change, except
 * that their personal parts can be erased. Only the oldest can be dropped.
 */
export class AuditStore extends Context.Service<
  AuditStore,
  {
    /** The heads of these companies, sorted by company. Unknown companies are left out. */
    readonly heads: (companies: ReadonlyArray<CompanyId>) => Stored<ReadonlyArray<Head>>
    /** Reads as `heads` does, and locks the companies until the transaction ends. Lock shipments and stock levels first. */
    readonly lock: (companies: ReadonlyArray<CompanyId>) => Stored<ReadonlyArray<LockedHead>>
    /** Appends records and their events. Fails with `StaleWrite` if a number is already used or leaves a gap. */
    readonly append: (
      records: ReadonlyArray<AuditRecord>,
      events: ReadonlyArray<EventBatch>
    ) => Stored<void, StaleWrite>
    /** Appends records that the storage numbers and hashes on arrival, as `sealed` does. The companies must be locked. */
    readonly appendNext?: (records: ReadonlyArray<NextRecord>) => Stored<void, StaleWrite>
    /** At most `limit` records with numbers above `after`, sorted by number. */
    readonly read: (company: CompanyId, after: number, limit: number) => Stored<ReadonlyArray<AuditRecord>>
    /** All matching records of the window, in its order, and perhaps others. Fewer than `limit` means that none follow. */
    readonly candidates: (company: CompanyId, filter: AuditFilter, window: Window) => Stored<ReadonlyArray<AuditRecord>>
    /** The entity types of all records, sorted and without duplicates. */
    readonly entityTypes: (company: CompanyId) => Stored<ReadonlyArray<string>>
    /** Deletes the personal part of these records. */
    readonly erase: (company: CompanyId, sequences: ReadonlyArray<number>) => Stored<void>
    /** Also removes erased data from the storage's files. Call it outside a transaction. The call can be repeated. */
    readonly purge: Stored<void>
    /** The last dropped record, needed to verify the first remaining one. Its number is 0 if none was dropped. */
    readonly anchor: (company: CompanyId) => Stored<Head>
    /** Drops the records up to and including `upTo`, whose number and hash become the anchor. */
    readonly drop: (upTo: Head) => Stored<void>
  }
>()("@crossdock/audit/AuditStore") {}
