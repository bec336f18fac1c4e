/**
 * Port: the append-only trail of each company.
 */

import type { CompanyId, StaleWrite, StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { AuditRecord } from "./AuditRecord.ts"
import type { AuditFilter } from "./AuditSearch.ts"

/**
 * The last record's number and hash; `{sequence: 0, hash: ""}` before the first.
 */
export interface Head {
  readonly companyId: CompanyId
  readonly sequence: number
  readonly hash: string
}

/**
 * Which part of a search: records beyond `after` (null: from the end that comes first), newest first when descending.
 */
export interface Window {
  readonly after: number | null
  readonly descending: boolean
  readonly limit: number
}

/**
 * Laws: numbers of a company are 1, 2, 3 … in the order of commits; of a record nothing is ever changed but that its
 * personal part may be erased, and only the oldest may be dropped.
 */
export class AuditLog extends Context.Service<
  AuditLog,
  {
    /** The heads of those of these companies that exist, ascending by company. */
    readonly heads: (companies: ReadonlyArray<CompanyId>) => Effect.Effect<ReadonlyArray<Head>, StorageError>
    /**
     * The same, locked until the transaction ends: nobody else appends to them meanwhile. Lock them last, after stock levels
     * and shipments.
     */
    readonly lock: (companies: ReadonlyArray<CompanyId>) => Effect.Effect<ReadonlyArray<Head>, StorageError>
    /** `StaleWrite` when a number is taken already. */
    readonly append: (records: ReadonlyArray<AuditRecord>) => Effect.Effect<void, StaleWrite | StorageError>
    /** Ascending by number, from `after` on, at most `limit`. */
    readonly read: (
      company: CompanyId,
      after: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<AuditRecord>, StorageError>
    /**
     * In order, at most `limit`: every record that the filter may match, and others where the storage can't tell. Fewer
     * than `limit` says that there are no more.
     */
    readonly candidates: (
      company: CompanyId,
      filter: AuditFilter,
      window: Window
    ) => Effect.Effect<ReadonlyArray<AuditRecord>, StorageError>
    /** Each type once, ascending. */
    readonly entityTypes: (company: CompanyId) => Effect.Effect<ReadonlyArray<string>, StorageError>
    /** Removes the personal part of these records from the storage, and from whatever it is made of. */
    readonly erase: (company: CompanyId, sequences: ReadonlyArray<number>) => Effect.Effect<void, StorageError>
    /** What was dropped last, by which the first record that is left is checked; number 0 when nothing was. */
    readonly anchor: (company: CompanyId) => Effect.Effect<Head, StorageError>
    /** Drops the records up to this one and keeps its number and hash as the anchor. */
    readonly drop: (upTo: Head) => Effect.Effect<void, StorageError>
  }
>()("@crossdock/audit/AuditLog") {}
