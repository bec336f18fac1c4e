/** The events of prices in a company's change feed. Source: docs/reference/events.md. */
import { CompanyEvent } from "@crossdock/audit"
import { frozen } from "@crossdock/kernel"
import * as Schema from "effect/Schema"
import type * as PriceUpdate from "./PriceUpdate.ts"

const Amount = Schema.Int.annotate({ description: "In minor units of the currency." })

const Amounts = Schema.Struct({ mrp: Amount, esp: Amount })

export const changed = CompanyEvent.define({
  type: "price.changed",
  description: "The price of a SKU at a location was set for the first time, or to another amount.",
  data: Schema.Struct({
    sku: Schema.String,
    location: Schema.String.annotate({ description: "The company's own code for the location." }),
    currency: Schema.String.annotate({ description: "ISO 4217." }),
    mrp: Amount.annotate({ description: "The maximum retail price, in minor units of the currency." }),
    esp: Amount.annotate({ description: "The effective selling price, in minor units of the currency." }),
    before: Schema.NullOr(Amounts).annotate({ description: "Null for the first price." })
  }),
  example: {
    sku: "85123A",
    location: "BLR1",
    currency: "INR",
    mrp: 29900,
    esp: 24900,
    before: { mrp: 29900, esp: 26900 }
  }
})

export const types = /* @__PURE__ */ frozen([changed] as const)

const isChange = ({ after, before }: PriceUpdate.PriceChange): boolean =>
  before.version === 0 || before.mrp !== after.mrp || before.esp !== after.esp

/**
 * The events of changed prices, one per price.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { PriceFeed } from "@crossdock/pricing"
 *
 * const key = { sku: "85123A", location: "BLR1", sizeId: 1, locationId: 1, currency: "INR" }
 * const before = { ...key, mrp: 29_900, esp: 26_900, version: 1 }
 * const events = PriceFeed.eventsOf([{ before, after: { ...before, esp: 24_900 } }, { before, after: before }])
 * deepStrictEqual(events.map(({ type }) => type), ["price.changed"])
 * ```
 */
export const eventsOf = (changes: ReadonlyArray<PriceUpdate.PriceChange>): ReadonlyArray<CompanyEvent.EventDraft> =>
  changes.filter(isChange).map(({ after: { currency, esp, location, mrp, sku }, before }) =>
    CompanyEvent.draft(changed, {
      sku,
      location,
      currency,
      mrp,
      esp,
      before: before.version === 0 ? null : { mrp: before.mrp, esp: before.esp }
    })
  )
