import * as Schema from "effect/Schema"

/**
 * A seller's company: a positive integer. Every row of a storage names its company first.
 */
export const CompanyId = Schema.Int.pipe(
  Schema.check(Schema.isGreaterThan(0)),
  Schema.brand("@crossdock/kernel/CompanyId")
)

export type CompanyId = typeof CompanyId.Type
