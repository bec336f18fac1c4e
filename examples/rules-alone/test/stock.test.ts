/** Stock updates. Each record is compared with its level, and accepted or rejected separately. */
import { deepStrictEqual } from "node:assert/strict"
import { Level, StockUpdate } from "@crossdock/inventory"
import { stockLevel } from "@crossdock/inventory/testing"
import { Result } from "effect"
import { describe, it } from "vitest"

const key = { sku: "SKU-1", location: "BLR1" }

const update = (
  policy: StockUpdate.StockPolicy,
  level: StockUpdate.StockInput["level"],
  ...records: ReadonlyArray<readonly [quantity: number, expected?: number]>
) =>
  StockUpdate.applyUpdates(
    policy,
    records.map(([quantity, expected = null], index) => ({ index, record: { ...key, quantity, expected }, level }))
  ).map((outcome) => (Result.isSuccess(outcome) ? outcome.success.after.onHand : outcome.failure.code))

describe("A stock update", () => {
  it("sets the stock on hand, or adds to it", () => {
    const level = stockLevel({ onHand: 10 })
    deepStrictEqual(update("set", level, [7]), [7])
    deepStrictEqual(update("adjust", level, [7]), [17])
    deepStrictEqual(update("adjust", level, [-10]), [0])
  })

  it("never makes the stock negative", () => {
    deepStrictEqual(update("adjust", stockLevel({ onHand: 10 }), [-11]), ["NEGATIVE_STOCK"])
  })

  it("that expects another quantity is rejected, so that nobody overwrites what he hasn't seen", () => {
    deepStrictEqual(update("set", stockLevel({ onHand: 10 }), [7, 9], [7, 10]), ["STALE_QUANTITY", 7])
  })

  it("counts once for each SKU and location", () => {
    deepStrictEqual(update("adjust", stockLevel({ onHand: 10 }), [1], [1]), [11, "DUPLICATE_RECORD"])
  })

  it("of an unknown SKU is rejected", () => {
    deepStrictEqual(update("set", "UNKNOWN_SKU", [7]), ["UNKNOWN_SKU"])
  })

  it("leaves reserved units reserved: only the rest can be sold", () => {
    const level = stockLevel({ onHand: 10, reserved: 4 })
    const record = { ...key, quantity: 3, expected: null }
    const [outcome] = StockUpdate.applyUpdates("set", [{ index: 0, record, level }])
    const after = outcome && Result.getOrThrow(outcome).after
    deepStrictEqual(after && [after.onHand, after.reserved, Level.sellable(after)], [3, 4, 0])
  })
})
