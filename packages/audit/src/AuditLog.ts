/**
 * Port: the append-only trail of each company.
 */

import type { CompanyId, StaleWrite, StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { AuditRecord } from "./AuditRecord.ts"

/**
 * The last record's number and hash; `{sequence: 0, hash: ""}` before the first.
 */
export interface Head {
  readonly companyId: CompanyId
  readonly sequence: number
  readonly hash: string
}

/**
 * Laws: numbers of a company are 1, 2, 3 … in the order of commits; nothing is ever changed or removed.
 */
export class AuditLog extends Context.Tag("@crossdock/audit/AuditLog")<
  AuditLog,
  {
    /**
     * The heads of these companies, ascending by company, held until the transaction ends: nobody else appends to them
     * meanwhile. Take it last, after levels and shipments.
     */
    readonly hold: (companies: ReadonlyArray<CompanyId>) => Effect.Effect<ReadonlyArray<Head>, StorageError>
    /** `StaleWrite` when a number is taken already. */
    readonly append: (records: ReadonlyArray<AuditRecord>) => Effect.Effect<void, StaleWrite | StorageError>
    /** Ascending by number, from `after` on, at most `limit`. */
    readonly read: (
      company: CompanyId,
      after: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<AuditRecord>, StorageError>
  }
>() {}
