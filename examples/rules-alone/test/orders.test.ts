/** Orders. Their amounts must add up, and their stock is reserved as a whole or not at all. */
import { deepStrictEqual, strictEqual } from "node:assert/strict"
import { stockLevel } from "@crossdock/inventory/testing"
import { OrderPricing, OrderReservation } from "@crossdock/orders"
import { orderDraft, orderLine, orderShipment } from "@crossdock/orders/testing"
import { Result } from "effect"
import { describe, it } from "vitest"

describe("The price of an order", () => {
  const line = orderLine({ quantity: 3, esp: 99.99, discount: 30, couponDiscount: 9.97, deliveryCharge: 40 })
  const draft = orderDraft({ shipments: [orderShipment({ lines: [line] })] })

  it("is the exact sum of its lines and charges", () => {
    const wrap = { name: "Gift wrap", type: "gift", amount: 25.5, tax: null }
    strictEqual(Result.getOrThrow(OrderPricing.price(draft)).total, 30_000)
    strictEqual(Result.getOrThrow(OrderPricing.price({ ...draft, charges: [wrap] })).total, 32_550)
  })

  it("must be the total that the marketplace sent", () => {
    const rejected = OrderPricing.price({ ...draft, totalAmount: 299.99 })
    const { code, violations } = Result.getOrThrow(Result.flip(rejected))
    deepStrictEqual([code, violations.map(({ path }) => path)], ["TOTAL_MISMATCH", ["/total_amount"]])
  })

  it("is reduced for us by our own coupon, not by the marketplace's", () => {
    const coupon = { code: "NEW", amount: 9.97 }
    const due = (ownership: "SELLER" | "MARKETPLACE") =>
      OrderPricing.sumsOf({ ...draft, coupon: { ...coupon, ownership } }).dueToSeller
    strictEqual(due("MARKETPLACE") - due("SELLER"), 997)
  })
})

describe("The stock of an order", () => {
  const of = (line: number, sku: string, quantity: number, onHand: number) => {
    const level = stockLevel({ sku, onHand, reserved: 1 })
    return { shipment: 0, line, sku, quantity, shipmentId: "17", level }
  }

  it("is reserved, and stays on hand until it is dispatched", () => {
    const changes = Result.getOrThrow(OrderReservation.reserve([of(0, "TEE", 2, 5), of(1, "HAT", 4, 5)]))
    deepStrictEqual(
      changes.map(({ after }) => [after.sku, after.onHand, after.reserved]),
      [
        ["TEE", 5, 3],
        ["HAT", 5, 5]
      ]
    )
  })

  it("is reserved whole or not at all", () => {
    const rejected = OrderReservation.reserve([of(0, "TEE", 2, 5), of(1, "HAT", 5, 5)])
    const { code, violations } = Result.getOrThrow(Result.flip(rejected))
    deepStrictEqual(
      [code, violations.map(({ path }) => path)],
      ["INSUFFICIENT_STOCK", ["/shipments/0/lines/1/quantity"]]
    )
  })
})
