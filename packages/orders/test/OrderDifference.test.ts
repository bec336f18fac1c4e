import { isDeepStrictEqual } from "node:util"
import { CustomFields } from "@crossdock/catalog"
import { OrderDifference, type OrderDraft } from "@crossdock/orders"
import { orderDraft, orderLine, orderShipment } from "@crossdock/orders/testing"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect } from "effect"
import * as FastCheck from "fast-check"
import { prop } from "../../kernel/test/prop.ts"

const draft = orderDraft({
  payment: { mode: "COD", methods: [{ mode: "COD", name: "Cash", amount: 10 }] },
  totalAmount: 10,
  shipments: [
    orderShipment({ selfShip: true, packBy: 5, lines: [orderLine({ externalLineId: "1", sku: "a", esp: 10 })] })
  ],
  meta: { Some_key: 1 }
})

const [shipment] = draft.shipments
const [line] = shipment?.lines ?? []

const pathsOf = (second: Partial<OrderDraft>) =>
  OrderDifference.between(draft, { ...draft, ...second }).map(({ path }) => path)

describe("OrderDifference", () => {
  it("finds nothing between equal orders", () => {
    deepStrictEqual(OrderDifference.between(draft, structuredClone(draft)), [])
  })

  it("ignores the order of keys and the sign of zero, as JSON does", () => {
    const turned = Object.fromEntries(Object.entries(draft).reverse()) as unknown as OrderDraft
    deepStrictEqual(OrderDifference.between(draft, turned), [])
    deepStrictEqual(
      pathsOf({ shipments: shipment && line ? [{ ...shipment, lines: [{ ...line, discount: -0 }] }] : [] }),
      []
    )
  })

  const values = FastCheck.jsonValue({ maxDepth: 3 })
  const meta = FastCheck.dictionary(FastCheck.constantFrom("a", "b", "c"), values, { maxKeys: 3 })

  prop("finds something exactly where the JSON differs, whatever it is", [meta, meta], ([first, second]) => {
    const stored = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
    const found = OrderDifference.between({ ...draft, meta: first }, { ...draft, meta: second })
    strictEqual(found.length === 0, isDeepStrictEqual(stored(first), stored(second)))
  })

  /** Lines with and without ids, some of them equal, in one shipment per list. */
  const lists = FastCheck.array(
    FastCheck.array(
      FastCheck.record({ id: FastCheck.option(FastCheck.nat(3)), sku: FastCheck.constantFrom("a", "b") }),
      { minLength: 1, maxLength: 5 }
    ),
    { minLength: 1, maxLength: 3 }
  )

  const order = (
    all: ReadonlyArray<ReadonlyArray<{ readonly id: number | null; readonly sku: string }>>
  ): OrderDraft => ({
    ...draft,
    shipments: all.flatMap((lines, at) =>
      shipment === undefined || line === undefined
        ? []
        : [
            {
              ...shipment,
              externalShipmentId: `S-${at}`,
              lines: lines.map(({ id, sku }) => ({ ...line, sku, externalLineId: id === null ? null : String(id) }))
            }
          ]
    )
  })

  const turned = ({ shipments, ...rest }: OrderDraft): OrderDraft => ({
    ...rest,
    shipments: shipments.toReversed().map((one) => ({ ...one, lines: one.lines.toReversed() }))
  })

  prop("ignores the order of shipments and lines", [lists], ([all]) => {
    deepStrictEqual(OrderDifference.between(order(all), structuredClone(turned(order(all)))), [])
  })

  it("names a difference by its path in the later request, in whatever order", () => {
    const first = order([[{ id: 1, sku: "a" }], [2, 3].map((id) => ({ id, sku: "a" }))])
    const second = turned(order([[{ id: 1, sku: "a" }], [2, 3].map((id) => ({ id, sku: id === 2 ? "b" : "a" }))]))
    deepStrictEqual(
      OrderDifference.between(first, second).map(({ path }) => path),
      ["/shipments/0/lines/1/sku"]
    )
  })

  it("names every field that differs by its path in the request", () => {
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

  it("names a shipment's fields as the request does", () => {
    const changed = {
      externalShipmentId: "another",
      location: "L-9",
      fulfillment: "MARKETPLACE",
      selfShip: false,
      packAfter: 1,
      packBy: 2,
      dispatchBy: 3,
      deliverBy: 4
    } as const
    deepStrictEqual(pathsOf({ shipments: shipment ? [{ ...shipment, ...changed }] : [] }).sort(), [
      "/shipments/0/delivery/deliver_by",
      "/shipments/0/delivery/dispatch_by",
      "/shipments/0/delivery/pack_after",
      "/shipments/0/delivery/pack_by",
      "/shipments/0/external_shipment_id",
      "/shipments/0/fulfillment_type",
      "/shipments/0/is_self_ship",
      "/shipments/0/location_id"
    ])
  })

  it("compares changed lines by their ids, in whatever order", () => {
    const lines = (...all: ReadonlyArray<{ readonly id: number; readonly sku: string }>) => order([all])
    const first = lines({ id: 2, sku: "a" }, { id: 3, sku: "a" })
    deepStrictEqual(
      OrderDifference.between(first, lines({ id: 3, sku: "b" }, { id: 2, sku: "c" })).map(({ path }) => path),
      ["/shipments/0/lines/0/sku", "/shipments/0/lines/1/sku"]
    )
  })

  it("names entries of a list that only one of the two has", () => {
    deepStrictEqual(pathsOf({ shipments: [] }), ["/shipments/0"])
    deepStrictEqual(pathsOf({ shipments: shipment ? [shipment, shipment] : [] }), ["/shipments/1"])
    deepStrictEqual(pathsOf({ payment: { mode: "COD", methods: [] } }), ["/payment/methods/0"])
  })

  it("treats a list and an object with the same entries as different", () => {
    const listed = { ...draft, meta: { Some_key: [1] } }
    deepStrictEqual(
      OrderDifference.between(listed, { ...draft, meta: { Some_key: { 0: 1 } } }).map(({ path }) => path),
      ["/meta/Some_key"]
    )
  })

  it("shows the first order's values, except personal ones", () => {
    const [price] = OrderDifference.between(draft, { ...draft, totalAmount: 11 })
    deepStrictEqual(price, {
      path: "/total_amount",
      code: "ORDER_EXISTS",
      message: "was 10 in the order that was accepted before"
    })
    const [person] = OrderDifference.between(draft, {
      ...draft,
      shippingAddress: { ...draft.billingAddress, name: "Somebody Else" }
    })
    deepStrictEqual([person?.path, person?.message.includes("Customer")], ["/shipping_address/name", false])
    const [long] = OrderDifference.between({ ...draft, externalOrderId: "x".repeat(2000) }, draft)
    strictEqual((long?.message.length ?? 0) < 200, true)
    const [emoji] = OrderDifference.between({ ...draft, externalOrderId: "😀".repeat(2000) }, draft)
    strictEqual(emoji?.message, `was "${"😀".repeat(99)}… in the order that was accepted before`)
    const whole = "x".repeat(98)
    const [fits] = OrderDifference.between({ ...draft, externalOrderId: whole }, draft)
    strictEqual(fits?.message, `was "${whole}" in the order that was accepted before`)
  })

  it("finds nothing after an update for a repeat whose blank e-mail addresses were stored as they were sent", () => {
    const sent = (email: string | null) => {
      const who = { ...draft.billingAddress, email }
      const customer = { name: "A", phone: null, email }
      return { ...draft, billingAddress: who, shippingAddress: who, customer }
    }
    const first = (email: string) => ({
      id: "1",
      marketplace: "bazaar",
      total: 1000,
      orderDate: 0,
      createdAt: 0,
      draft: sent(email),
      shipments: []
    })
    const repeated = (email: string) =>
      Effect.runSyncExit(OrderDifference.sameOrder(first(email), sent(null), CustomFields.none))._tag
    deepStrictEqual(["", " ", "a@b.example"].map(repeated), ["Success", "Success", "Failure"])
  })
})
