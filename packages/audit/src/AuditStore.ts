import type { CompanyId, StaleWrite, Stored } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type { AuditRecord, Head, LockedHead, NextRecord } from "./AuditChain.ts"
import type { AuditFilter } from "./AuditSearch.ts"
import type { EventBatch } from "./CompanyEvent.ts"

/** At most `limit` records after number `after` up to `through` (null: from the start, to the end), or newest first. */
export interface Window {
  readonly after: number | null
  readonly through: number | null
  readonly descending: boolean
  readonly limit: number
}

/**
 * Laws: a company's records are numbered 1, 2, 3 … in commit order. A record never changes, but its personal part can be
 * erased. Only the oldest records can be dropped.
 */
export class AuditStore extends Context.Service<
  AuditStore,
  {
    /** The heads of these companies, ascending by company, without unknown companies. */
    readonly heads: (companies: ReadonlyArray<CompanyId>) => Stored<ReadonlyArray<Head>>
    /** The same, locked until the transaction ends: no other writer appends. Lock companies after shipments and levels. */
    readonly lock: (companies: ReadonlyArray<CompanyId>) => Stored<ReadonlyArray<LockedHead>>
    /** Appends records, and the events of those that have any. `StaleWrite` if a number is taken or leaves a gap. */
    readonly append: (
      records: ReadonlyArray<AuditRecord>,
      events: ReadonlyArray<EventBatch>
    ) => Stored<void, StaleWrite>
    /** For storages that number and chain arriving records of locked companies, exactly like `AuditChain.sealed`. */
    readonly appendNext?: (records: ReadonlyArray<NextRecord>) => Stored<void, StaleWrite>
    /** The records after number `after`, ascending, at most `limit`. */
    readonly read: (company: CompanyId, after: number, limit: number) => Stored<ReadonlyArray<AuditRecord>>
    /**
     * Records that the filter may match, in the window's order. A storage may include other records, but must not omit matching
     * ones. Fewer than `limit` means that the window has no more.
     */
    readonly candidates: (company: CompanyId, filter: AuditFilter, window: Window) => Stored<ReadonlyArray<AuditRecord>>
    /** The entity types of all records, each once, ascending. */
    readonly entityTypes: (company: CompanyId) => Stored<ReadonlyArray<string>>
    /** Deletes the personal part of these records. */
    readonly erase: (company: CompanyId, sequences: ReadonlyArray<number>) => Stored<void>
    /** Removes erased data from the storage's files too, outside a transaction. It can be repeated. */
    readonly purge: Stored<void>
    /** The last dropped record, which verifies the first remaining one; number 0 if none was dropped. */
    readonly anchor: (company: CompanyId) => Stored<Head>
    /** Drops the records up to this one, and keeps its number and hash as the anchor. */
    readonly drop: (upTo: Head) => Stored<void>
  }
>()("@crossdock/audit/AuditStore") {}
