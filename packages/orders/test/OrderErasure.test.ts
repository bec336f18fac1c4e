import { OrderErasure, OrderPricing } from "@crossdock/orders"
import { orderDraft } from "@crossdock/orders/testing"
import { describe, it } from "@effect/vitest"
import { assertFalse, deepStrictEqual, strictEqual } from "@effect/vitest/utils"

const draft = orderDraft({
  customer: { name: "Asha Rao", phone: "+919800000001", email: "asha@example.com" },
  gstin: "29ABCDE1234F1Z5",
  meta: { note: "ring at Asha's" }
})

describe("An erased order", () => {
  it("has nothing that names a person, and every line, amount and tax number", () => {
    const erased = OrderErasure.erasedDraft(draft)
    const text = JSON.stringify(erased)
    const { city, name, phone, pincode } = draft.shippingAddress
    for (const personal of ["Asha", "9800000001", name, phone, city, pincode]) assertFalse(text.includes(personal))
    const { country, state } = draft.shippingAddress
    deepStrictEqual([erased.shippingAddress.state, erased.shippingAddress.country], [state, country])
    deepStrictEqual([erased.shipments, erased.gstin], [draft.shipments, draft.gstin])
    deepStrictEqual(OrderPricing.price(erased), OrderPricing.price(draft))
  })

  it("says when, and is the same when it is erased again", () => {
    const order = { id: "o1", marketplace: "bazaar", total: 100, orderDate: 0, createdAt: 0, draft, shipments: [] }
    const erased = OrderErasure.erased(order, 9)
    strictEqual(erased.erasedAt, 9)
    deepStrictEqual(OrderErasure.erased(erased, 9), erased)
  })

  it("is compared by what was kept of it", () => {
    deepStrictEqual(OrderErasure.comparable({ erasedAt: 9 }, draft), OrderErasure.erasedDraft(draft))
    deepStrictEqual(OrderErasure.comparable({}, draft), draft)
  })
})
