/** The events of stock in a company's change feed. Source: docs/reference/events.md. */
import { CompanyEvent } from "@crossdock/audit"
import { frozen } from "@crossdock/kernel"
import * as Schema from "effect/Schema"
import * as Level from "./Level.ts"

const Units = Schema.Int

export const changed = CompanyEvent.define({
  type: "stock.changed",
  description: "The stock of a SKU at a location was set, adjusted, or changed by a shipment.",
  data: Schema.Struct({
    sku: Schema.String,
    location: Schema.String.annotate({ description: "The company's own code for the location." }),
    onHand: Units.annotate({ description: "Units after the change." }),
    reserved: Units.annotate({ description: "Units on hand reserved by orders." }),
    unsellable: Units.annotate({ description: "Returned units that can't be sold again." }),
    sellable: Units.annotate({ description: "On hand less reserved, at least 0." }),
    movements: Schema.Array(
      Schema.Struct({
        reason: Schema.Literals(["set", "adjust", "reserve", "release", "consume", "restock", "unsellable"]),
        onHand: Units,
        reserved: Units,
        unsellable: Units,
        reference: Schema.NullOr(Schema.String).annotate({ description: "The shipment that caused the movement." })
      })
    ).annotate({ description: "The units added by each movement, in order; removed units are negative." })
  }),
  example: {
    sku: "85123A",
    location: "BLR1",
    onHand: 10,
    reserved: 2,
    unsellable: 0,
    sellable: 8,
    movements: [{ reason: "reserve", onHand: 0, reserved: 2, unsellable: 0, reference: "17000000000000000001" }]
  }
})

export const types = /* @__PURE__ */ frozen([changed] as const)

/**
 * The events of changed stock levels, one per level.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { Level, StockFeed } from "@crossdock/inventory"
 * import { stockLevel } from "@crossdock/inventory/testing"
 *
 * const [same, before] = [Level.unchanged(stockLevel()), Level.unchanged(stockLevel({ sku: "B", onHand: 9 }))]
 * const [event, ...others] = StockFeed.eventsOf([same, Level.move(before, Level.movementOf.reserve(2, "17"))])
 * deepStrictEqual([event?.type, others], ["stock.changed", []])
 * ```
 */
export const eventsOf = (changes: ReadonlyArray<Level.LevelChange>): ReadonlyArray<CompanyEvent.EventDraft> =>
  changes
    .filter(({ movements }) => movements.length > 0)
    .map(({ after, movements }) =>
      CompanyEvent.draft(changed, {
        sku: after.sku,
        location: after.location,
        onHand: after.onHand,
        reserved: after.reserved,
        unsellable: after.unsellable,
        sellable: Level.sellable(after),
        movements
      })
    )
