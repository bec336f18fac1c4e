import * as Schema from "effect/Schema"

/**
 * A seller's company: a positive integer. Every key of a storage begins with it.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { CompanyId } from "@crossdock/kernel"
 * import * as Schema from "effect/Schema"
 *
 * deepStrictEqual([1, 0, 1.5].map(Schema.is(CompanyId)), [true, false, false])
 * ```
 */
export const CompanyId = Schema.Int.pipe(
  Schema.check(Schema.isGreaterThan(0)),
  Schema.brand("@crossdock/kernel/CompanyId")
)

/** The id of a company, checked. */
export type CompanyId = typeof CompanyId.Type
