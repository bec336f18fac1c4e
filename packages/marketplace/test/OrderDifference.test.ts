import { OrderDifference, type OrderDraft } from "@crossdock/marketplace"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"

const address = {
  name: "A Customer",
  phone: "1",
  email: null,
  address1: "1 Road",
  address2: null,
  landmark: null,
  city: "Bengaluru",
  state: "Karnataka",
  pincode: "560001",
  country: "India"
}

const draft: OrderDraft = {
  externalOrderId: "O-1",
  currency: "INR",
  orderDate: null,
  payment: { mode: "COD", methods: [{ mode: "COD", name: "Cash", amount: 10 }] },
  customer: null,
  billingAddress: address,
  shippingAddress: address,
  coupon: null,
  charges: [],
  gstin: null,
  totalAmount: 10,
  shipments: [
    {
      externalShipmentId: "S-1",
      location: "BLR1",
      fulfillment: "SELLER",
      selfShip: true,
      packAfter: null,
      packBy: 5,
      dispatchBy: null,
      deliverBy: null,
      lines: [
        {
          externalLineId: "1",
          sku: "a",
          quantity: 1,
          mrp: null,
          esp: 10,
          discount: 0,
          couponDiscount: 0,
          deliveryCharge: 0,
          tax: null
        }
      ]
    }
  ],
  meta: { Some_key: 1 }
}

const [shipment] = draft.shipments
const [line] = shipment?.lines ?? []

const pathsOf = (second: Partial<OrderDraft>) =>
  OrderDifference.between(draft, { ...draft, ...second }).map(({ path }) => path)

describe("OrderDifference", () => {
  it("finds nothing between equal orders", () => {
    deepStrictEqual(OrderDifference.between(draft, structuredClone(draft)), [])
  })

  it("names every field that differs by its place in the request", () => {
    deepStrictEqual(
      pathsOf({
        currency: "USD",
        gstin: "29ABCDE1234F1Z5",
        totalAmount: 11,
        shipments: shipment && line ? [{ ...shipment, packBy: 6, lines: [{ ...line, quantity: 2, esp: 11 }] }] : [],
        meta: { Some_key: 2, otherKey: 1 }
      }),
      [
        "/ordering_currency",
        "/tax_info/gstin",
        "/total_amount",
        "/shipments/0/delivery/pack_by",
        "/shipments/0/lines/0/quantity",
        "/shipments/0/lines/0/esp",
        "/meta/Some_key",
        "/meta/otherKey"
      ]
    )
  })

  it("names a list's entries that one of the two does not have", () => {
    deepStrictEqual(pathsOf({ shipments: shipment ? [shipment, shipment] : [] }), ["/shipments/1"])
    deepStrictEqual(pathsOf({ payment: { mode: "COD", methods: [] } }), ["/payment/methods/0"])
  })

  it("shows what the first order had, and nothing of a person", () => {
    const [price] = OrderDifference.between(draft, { ...draft, totalAmount: 11 })
    deepStrictEqual(price, {
      path: "/total_amount",
      code: "ORDER_EXISTS",
      message: "was 10 in the order that was taken"
    })
    const [person] = OrderDifference.between(draft, {
      ...draft,
      shippingAddress: { ...address, name: "Somebody Else" }
    })
    deepStrictEqual([person?.path, person?.message.includes("Customer")], ["/shipping_address/name", false])
    const [long] = OrderDifference.between({ ...draft, externalOrderId: "x".repeat(2000) }, draft)
    strictEqual((long?.message.length ?? 0) < 200, true)
  })
})
