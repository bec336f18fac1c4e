import * as Schema from "effect/Schema"

/**
 * A seller's company: a positive integer. Every key of a storage begins with it.
 */
export const CompanyId = Schema.Int.pipe(
  Schema.check(Schema.isGreaterThan(0)),
  Schema.brand("@crossdock/kernel/CompanyId")
)

export type CompanyId = typeof CompanyId.Type
