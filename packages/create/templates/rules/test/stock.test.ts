import { StockUpdate } from "@crossdock/inventory"
import { stockLevel } from "@crossdock/inventory/testing"
import { Result } from "effect"
import { describe, expect, it } from "vitest"

const update = (policy: StockUpdate.StockPolicy, quantity: number, expected: number | null = null) => {
  const record = { sku: "SKU-1", location: "BLR1", quantity, expected }
  const [outcome] = StockUpdate.applyUpdates(policy, [{ index: 0, record, level: stockLevel({ onHand: 10 }) }])
  return outcome && Result.isSuccess(outcome) ? outcome.success.after.onHand : outcome?.failure.code
}

describe("A stock update", () => {
  it("sets the stock on hand, or adds to it, by the seller's policy", () => {
    expect([update("set", 7), update("adjust", 7), update("adjust", -10)]).toEqual([7, 17, 0])
  })

  it("never makes the stock negative", () => {
    expect(update("adjust", -11)).toBe("NEGATIVE_STOCK")
  })
})
