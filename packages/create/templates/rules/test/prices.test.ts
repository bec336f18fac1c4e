import { PriceUpdate } from "@crossdock/pricing"
import { Result } from "effect"
import { describe, expect, it } from "vitest"

const key = { sku: "SKU-1", location: "BLR1" }
const unpriced = { ...key, sizeId: 1, locationId: 1, currency: "INR", mrp: 0, esp: 0, version: 0 }

const set = (esp: number, policy = PriceUpdate.defaultPolicy) => {
  const record = { ...key, mrp: 999, esp, currency: "INR" }
  const [outcome] = PriceUpdate.applyPrices(policy, [{ index: 0, record, price: unpriced }])
  return outcome && Result.isSuccess(outcome) ? outcome.success.after.esp : outcome?.failure.code
}

describe("A price", () => {
  it("is kept in minor units, with no more decimals than its currency has", () => {
    expect([set(799.5), set(799.505)]).toEqual([79_950, "TOO_MANY_DECIMALS"])
  })

  it("is never above the MRP, unless the policy allows it", () => {
    expect([set(1_000), set(1_000, { espMayExceedMrp: true })]).toEqual(["ESP_ABOVE_MRP", 100_000])
  })
})
