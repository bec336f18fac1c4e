/** Prices. They are sent as decimal amounts and stored as whole minor units. */
import { deepStrictEqual } from "node:assert/strict"
import { PriceUpdate } from "@crossdock/pricing"
import { Result } from "effect"
import { describe, it } from "vitest"

const key = { sku: "TEE-1-S", location: "BLR1" }
const unpriced = { ...key, sizeId: 1, locationId: 1, currency: "INR", mrp: 0, esp: 0, version: 0 }
const sent = { ...key, mrp: 999, esp: 799.5, currency: "INR" }

const apply = (records: ReadonlyArray<Partial<PriceUpdate.PriceRecord>>, policy = PriceUpdate.defaultPolicy) =>
  PriceUpdate.applyPrices(
    policy,
    records.map((record, index) => ({ index, record: { ...sent, ...record }, price: unpriced }))
  ).map((outcome) =>
    Result.isSuccess(outcome)
      ? [outcome.success.after.mrp, outcome.success.after.esp]
      : [outcome.failure.code, outcome.failure.path]
  )

describe("A price", () => {
  it("is kept exactly, in minor units", () => {
    deepStrictEqual(apply([{}]), [[99_900, 79_950]])
  })

  it("has no more decimals than its currency", () => {
    deepStrictEqual(apply([{ esp: 799.505 }]), [["TOO_MANY_DECIMALS", "/0/esp"]])
  })

  it("is never above the MRP, unless we choose so", () => {
    const above = [{ esp: 999.01 }]
    deepStrictEqual(apply(above), [["ESP_ABOVE_MRP", "/0/esp"]])
    deepStrictEqual(apply(above, { espMayExceedMrp: true }), [[99_900, 99_901]])
  })

  it("is in its location's currency", () => {
    deepStrictEqual(apply([{ currency: "USD" }]), [["CURRENCY_MISMATCH", "/0/currency"]])
  })

  it("is set once in a request: the first valid record counts", () => {
    deepStrictEqual(apply([{ esp: 0 }, {}, { esp: 1 }]), [
      ["INVALID_RECORD", "/0/esp"],
      [99_900, 79_950],
      ["DUPLICATE_RECORD", "/2"]
    ])
  })
})
