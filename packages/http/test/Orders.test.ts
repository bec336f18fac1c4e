import { describe, it } from "@effect/vitest"
import { assertMatch, assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { beforeAll } from "vitest"
import { useHost } from "./TestHost.ts"
import {
  address,
  create,
  levelOf,
  line,
  marketplace,
  order,
  type Placed,
  type Problem,
  place,
  seen,
  seller,
  setStock,
  shipment,
  shipmentOf
} from "./TestOrders.ts"

interface Bag {
  readonly bag_id: string
  readonly sku: string
  readonly quantity: number
  readonly prices: Readonly<Record<string, number | null>>
}

interface OrderView extends Problem {
  readonly platform_order_id: string
  readonly external_order_id: string
  readonly ordering_currency: string
  readonly order_date: string
  readonly pricing: Readonly<Record<string, unknown>>
  readonly payment: unknown
  readonly taxes: unknown
  readonly shipments: ReadonlyArray<{
    readonly shipment_id: string
    readonly external_shipment_id: string
    readonly location_id: string
    readonly status: string
    readonly is_self_ship: boolean
    readonly fulfillment_type: string
    readonly awb_number: ReadonlyArray<string>
    readonly bags: ReadonlyArray<Bag>
  }>
  readonly meta: unknown
}

describe("marketplace orders", () => {
  const host = useHost()
  const skus = ["85123A", "71053", "84406B", "84029G"]

  beforeAll(async () => {
    await setStock(host.acme, 1000, skus)
    await setStock(host.acme, 1000, skus, "BOM1")
    await setStock(host.globex, 100, ["GX-TEE-S", "GX-TEE-M"], "DEL1")
  })

  const rejected = async (body: unknown, path = create, api = host.bazaar) => {
    const answer = await api.call<Problem>("POST", path, body)
    return [
      `${answer.status} ${answer.body.code}`,
      ...(answer.body.errors ?? []).map(({ code, path }) => `${code} ${path}`)
    ]
  }

  const read = (id: string, api = host.bazaar, slug = "bazaar") =>
    api.call<OrderView>("GET", `/order/api/v1/${slug}/order?platform_order_id=${id}`)

  const reserved = async (sku: string, location = "BLR1", api = host.acme) =>
    (await levelOf(api, sku, location))[1] ?? 0

  describe("create", () => {
    it("returns the ids of the order and its shipments, 20 digits that grow with time", async () => {
      const [first, second] = [
        await place(
          host.bazaar,
          order([
            shipmentOf([line("85123A")]),
            shipmentOf([line("71053")], { external_shipment_id: "S2", location_id: "BOM1" })
          ])
        ),
        await place(host.bazaar, order([shipmentOf([line("85123A")])]))
      ]
      deepStrictEqual(Object.keys(first).sort(), ["platform_order_id", "shipments"])
      deepStrictEqual(
        first.shipments.map(({ external_shipment_id }) => external_shipment_id),
        ["S1", "S2"]
      )
      for (const { shipment_id } of first.shipments) {
        assertMatch(shipment_id, /^\d{20}$/)
        assertTrue((second.shipments[0]?.shipment_id ?? "") > shipment_id)
      }
    })

    it("reserves the stock of each line at its location", async () => {
      const before = [await reserved("84406B"), await reserved("84406B", "BOM1")]
      await place(
        host.bazaar,
        order([
          shipmentOf([line("84406B", 2), line("84406B", 3)]),
          shipmentOf([line("84406B", 4)], { external_shipment_id: "S2", location_id: "BOM1" })
        ])
      )
      deepStrictEqual(
        [await reserved("84406B"), await reserved("84406B", "BOM1")],
        [(before[0] ?? 0) + 5, (before[1] ?? 0) + 4]
      )
    })

    it("the same external id and content return the same answer, whatever the order of keys", async () => {
      const body = order([shipmentOf([line("85123A")])])
      const first = await place(host.bazaar, body)
      const before = await reserved("85123A")
      deepStrictEqual(await place(host.bazaar, body), first)
      const turned = Object.fromEntries(Object.entries(body).reverse())
      deepStrictEqual(await place(host.bazaar, turned), first)
      strictEqual(await reserved("85123A"), before)
    })

    it("the same external id with different content is 409 ORDER_EXISTS with every field that differs", async () => {
      const shipment = shipmentOf([line("85123A")])
      const body = order([shipment])
      await place(host.bazaar, body)
      const before = await reserved("85123A")
      for (const [other, path] of [
        [{ ...body, shipments: [{ ...shipment, lines: [line("85123A", 2)] }] }, "/shipments/0/lines/0/quantity"],
        [{ ...body, payment: { mode: "COD" } }, "/payment/mode"],
        [{ ...body, meta: { a: 1 } }, "/meta"]
      ] as const) {
        const [answer = "", ...places] = await rejected(other)
        strictEqual(answer, "409 ORDER_EXISTS")
        assertTrue(places.includes("ORDER_EXISTS /external_order_id") && places.includes(`ORDER_EXISTS ${path}`))
      }
      strictEqual(await reserved("85123A"), before)
    })

    it("an external id is unique per marketplace", async () => {
      const body = order([shipmentOf([line("85123A")], { location_id: "BOM1" })])
      const first = await place(host.bazaar, body)
      const other = await place(
        host.souk,
        { ...body, shipments: [shipmentOf([line("85123A", 2)], { location_id: "S-BOM" })] },
        "souk"
      )
      assertTrue(first.platform_order_id !== other.platform_order_id)
    })

    it("an unknown SKU or location rejects the order with its path; both at once are VALIDATION_FAILED", async () => {
      deepStrictEqual(await rejected(order([shipmentOf([line("85123A"), line("NO"), line("no")])])), [
        "400 UNKNOWN_SKU",
        "UNKNOWN_SKU /shipments/0/lines/1/sku",
        "UNKNOWN_SKU /shipments/0/lines/2/sku"
      ])
      deepStrictEqual(await rejected(order([shipmentOf([line("85123A")], { location_id: "NOWHERE" })])), [
        "400 UNKNOWN_LOCATION",
        "UNKNOWN_LOCATION /shipments/0/location_id"
      ])
      deepStrictEqual(
        await rejected(
          order([
            shipmentOf([line("NO")]),
            shipmentOf([line("85123A")], { external_shipment_id: "S2", location_id: "NOWHERE" })
          ])
        ),
        ["400 VALIDATION_FAILED", "UNKNOWN_SKU /shipments/0/lines/0/sku", "UNKNOWN_LOCATION /shipments/1/location_id"]
      )
    })

    it("in a shipment from an unknown location, a SKU is unknown if no seller of the marketplace has it", async () => {
      const lines = [line("85123A"), line("NO")]
      deepStrictEqual(await rejected(order([shipmentOf(lines, { location_id: "NOWHERE" })])), [
        "400 VALIDATION_FAILED",
        "UNKNOWN_LOCATION /shipments/0/location_id",
        "UNKNOWN_SKU /shipments/0/lines/1/sku"
      ])
    })

    it("a marketplace names locations by its own codes only, and sells the SKUs of their company", async () => {
      const souk = "/order/api/v1/souk/create"
      const at = (location_id: string) => order([shipmentOf([line("85123A")], { location_id })])
      for (const code of ["BOM1", "BLR1", "DEL1"])
        deepStrictEqual((await rejected(at(code), souk, host.souk))[0], "400 UNKNOWN_LOCATION")
      deepStrictEqual((await rejected(at("S-BOM")))[0], "400 UNKNOWN_LOCATION")
      await place(host.souk, at("S-BOM"), "souk")
      deepStrictEqual((await rejected(at("DEL1")))[0], "400 UNKNOWN_SKU", "another company's SKU")
      deepStrictEqual((await rejected(order([shipmentOf([line("GX-TEE-S")])])))[0], "400 UNKNOWN_SKU")
    })

    it("insufficient stock is 409 with the lines at fault, and nothing is reserved at any company", async () => {
      const before = [await reserved("85123A"), await reserved("GX-TEE-S", "DEL1", host.globex)]
      const both = (acme: number, globex: number) =>
        order([
          shipmentOf([line("85123A", acme)]),
          shipmentOf([line("GX-TEE-S", globex)], { external_shipment_id: "S2", location_id: "DEL1" })
        ])
      deepStrictEqual(await rejected(both(1, 101)), [
        "409 INSUFFICIENT_STOCK",
        "INSUFFICIENT_STOCK /shipments/1/lines/0/quantity"
      ])
      deepStrictEqual(await rejected(both(1001, 101)), [
        "409 INSUFFICIENT_STOCK",
        "INSUFFICIENT_STOCK /shipments/0/lines/0/quantity",
        "INSUFFICIENT_STOCK /shipments/1/lines/0/quantity"
      ])
      deepStrictEqual([await reserved("85123A"), await reserved("GX-TEE-S", "DEL1", host.globex)], before)
      await place(host.bazaar, both(1, 1))
      deepStrictEqual(
        [await reserved("85123A"), await reserved("GX-TEE-S", "DEL1", host.globex)],
        before.map((count) => count + 1)
      )
    })

    it("lines with the same SKU are summed before stock is checked", async () => {
      const fitting = 1000 - (await reserved("84029G"))
      deepStrictEqual(await rejected(order([shipmentOf([line("84029G", fitting), line("84029G", 1)])])), [
        "409 INSUFFICIENT_STOCK",
        "INSUFFICIENT_STOCK /shipments/0/lines/1/quantity"
      ])
    })

    it("a line's total is esp × quantity − discount − coupon + delivery; the order's is its lines plus charges", async () => {
      const lines = [line("85123A", 3, { esp: 19.99, discount: 0.97, coupon_discount: 5, delivery_charge: 40.1 })]
      const charges = [{ name: "COD fee", type: "cod", amount: 25.5, tax: { rate: 18, amount: 3.89 } }]
      const total = 119.6
      const sound = (more: object) => order([shipmentOf(lines)], { charges, ...more })
      const placed = await place(host.bazaar, sound({ total_amount: total }))
      strictEqual((await read(placed.platform_order_id)).body.pricing.total, total)
      await place(
        host.bazaar,
        sound({
          payment: {
            mode: "PREPAID",
            methods: [
              { mode: "UPI", name: "a", amount: 100 },
              { mode: "CARD", name: "b", amount: 19.6 }
            ]
          }
        })
      )
      deepStrictEqual(await rejected(sound({ total_amount: 119.61 })), [
        "400 TOTAL_MISMATCH",
        "TOTAL_MISMATCH /total_amount"
      ])
      deepStrictEqual(
        await rejected(sound({ payment: { mode: "COD", methods: [{ mode: "COD", name: "x", amount: 119.59 }] } })),
        ["400 TOTAL_MISMATCH", "TOTAL_MISMATCH /payment/methods"]
      )
    })

    it("0.1 + 0.2 is 0.3", async () => {
      const lines = [line("85123A", 1, { esp: 0.1 }), line("71053", 1, { esp: 0.2 })]
      await place(host.bazaar, order([shipmentOf(lines)], { total_amount: 0.3 }))
    })

    it("amounts have the currency's decimals and are not negative, and the currency is an ISO 4217 code", async () => {
      deepStrictEqual(await rejected(order([shipmentOf([line("85123A", 1, { esp: 1.005, discount: -1 })])])), [
        "400 VALIDATION_FAILED",
        "TOO_MANY_DECIMALS /shipments/0/lines/0/esp",
        "OUT_OF_RANGE /shipments/0/lines/0/discount"
      ])
      deepStrictEqual(
        (await rejected(order([shipmentOf([line("85123A")])], { ordering_currency: "inr" }))).slice(0, 2),
        ["400 VALIDATION_FAILED", "INVALID_CURRENCY /ordering_currency"]
      )
      deepStrictEqual(
        (await rejected(order([shipmentOf([line("85123A", 1, { esp: 10, discount: 11 })])])))[1],
        "OUT_OF_RANGE /shipments/0/lines/0"
      )
    })

    it("every field with the wrong shape is reported", async () => {
      const { name: _, ...nameless } = address
      const answer = await rejected({
        external_order_id: "",
        ordering_currency: 5,
        order_date: "yesterday",
        payment: { mode: "CARD" },
        billing_address: nameless,
        shipping_address: null,
        coupon: { code: "X", amount: 1, ownership: "NOBODY" },
        meta: [],
        shipments: [
          shipmentOf([line("85123A", 0), line("85123A", 1.5), line("85123A", 1, { tax: { rate: 101, amount: 1 } })], {
            fulfillment_type: "OTHER",
            is_self_ship: "yes",
            delivery: { pack_by: "2024-13-01T00:00:00Z" }
          }),
          shipmentOf([]),
          {}
        ]
      })
      strictEqual(answer[0], "400 VALIDATION_FAILED")
      const paths = new Set(answer.slice(1).map((entry) => entry.split(" ")[1]))
      for (const path of [
        "/external_order_id",
        "/ordering_currency",
        "/order_date",
        "/payment/mode",
        "/billing_address/name",
        "/shipping_address",
        "/coupon/ownership",
        "/shipments/0/lines/0/quantity",
        "/shipments/0/lines/1/quantity",
        "/shipments/0/lines/2/tax/rate",
        "/shipments/0/fulfillment_type",
        "/shipments/0/is_self_ship",
        "/shipments/0/delivery/pack_by",
        "/shipments/1/lines",
        "/shipments/2/external_shipment_id",
        "/shipments/2/lines"
      ])
        assertTrue(paths.has(path), path)
    })

    it("an order in another currency than its location's is CURRENCY_MISMATCH", async () => {
      const inDollars = order([shipmentOf([line("85123A")])], { ordering_currency: "USD" })
      const before = await reserved("85123A")
      deepStrictEqual(await rejected(inDollars), ["400 CURRENCY_MISMATCH", "CURRENCY_MISMATCH /ordering_currency"])
      strictEqual(await reserved("85123A"), before)
      await place(host.bazaar, { ...inDollars, ordering_currency: "INR" })
    })

    it("two lines of a shipment with one external id are DUPLICATE_LINE; two shipments may have the same", async () => {
      const named = (sku: string, external_line_id: string | null) => line(sku, 1, { external_line_id })
      const lines = [named("85123A", "L1"), named("71053", "L2"), named("71053", "L1")]
      deepStrictEqual(await rejected(order([shipmentOf(lines)])), [
        "400 DUPLICATE_LINE",
        "DUPLICATE_LINE /shipments/0/lines/2/external_line_id"
      ])
      deepStrictEqual(await rejected(order([shipmentOf(lines)], { ordering_currency: "USD" })), [
        "400 VALIDATION_FAILED",
        "CURRENCY_MISMATCH /ordering_currency",
        "DUPLICATE_LINE /shipments/0/lines/2/external_line_id"
      ])
      await place(
        host.bazaar,
        order([
          shipmentOf([named("85123A", "L1"), named("71053", null), named("71053", null), named("71053", "")]),
          shipmentOf([named("85123A", "L1"), named("71053", "")], { external_shipment_id: "S2" })
        ])
      )
    })

    it("two shipments with one external id are DUPLICATE_RECORD", async () => {
      deepStrictEqual(await rejected(order([shipmentOf([line("85123A")]), shipmentOf([line("71053")])])), [
        "400 VALIDATION_FAILED",
        "DUPLICATE_RECORD /shipments/1/external_shipment_id"
      ])
    })

    it("an e-mail address, a GSTIN and a courier's dates must be what they say, or blank", async () => {
      const one = [shipmentOf([line("85123A")])]
      const invalid = (path: string) => ["400 VALIDATION_FAILED", `INVALID_VALUE ${path}`]
      for (const gstin of ["XX", "29ABCDE1234F1Z", "29ABCDE1234F1Z5X", "2XABCDE1234F1Z5"])
        deepStrictEqual(await rejected(order(one, { tax_info: { gstin } })), invalid("/tax_info/gstin"))
      for (const email of ["nope", "@", "a@", "a b@c"]) {
        const customer = { name: "A", email }
        deepStrictEqual(await rejected(order(one, { customer })), invalid("/customer/email"))
        const billing_address = { ...address, email }
        deepStrictEqual(await rejected(order(one, { billing_address })), invalid("/billing_address/email"))
      }
      const sent = { customer: { name: "A", email: " " }, tax_info: { gstin: "29abcde1234f1z5" } }
      const blank = order(one, { ...sent, billing_address: { ...address, email: "" } })
      const { platform_order_id, shipments } = await place(host.bazaar, blank)
      // A blank address counts as none, so each of these is the same order.
      const without = { ...blank, customer: { name: "A" }, billing_address: address }
      strictEqual((await place(host.bazaar, without)).platform_order_id, platform_order_id)
      const bare = order([shipmentOf([line("85123A")])], { customer: { name: "A" } })
      const first = await place(host.bazaar, bare)
      const repeated = await place(host.bazaar, { ...bare, customer: { name: "A", email: " " } })
      strictEqual(repeated.platform_order_id, first.platform_order_id)
      const id = shipments[0]?.shipment_id ?? ""
      const acme = seller(host.acme)
      for (const key of ["estimated_delivery_date", "promised_delivery_date"]) {
        strictEqual(await acme.status(id, "placed", { [key]: "soon" }), "INVALID_RECORD")
        for (const date of ["2030-01-05", "2030-01-05T12:00:00Z", "2030-01-05 12:00", "05-01-2030", "", null])
          strictEqual(await acme.status(id, "placed", { [key]: date }), "ok", String(date))
      }
    })

    it("a day or a time that doesn't exist is rejected in every field", async () => {
      const one = [shipmentOf([line("85123A")])]
      const { shipments } = await place(host.bazaar, order(one))
      const id = shipments[0]?.shipment_id ?? ""
      const impossible = [
        "2026-02-30",
        "2026-99-99",
        "2023-02-29T12:00:00Z",
        "2026-01-31T99:99:99Z",
        "2026-01-31 24:00",
        "2026-01-31T12:00:60Z",
        "2026-01-31T12:00:00+25:00",
        "9999-12-31T23:59:59-05:00",
        "0000-01-01T00:00:00+05:00",
        "30-02-2026"
      ]
      for (const date of impossible) {
        for (const key of ["estimated_delivery_date", "promised_delivery_date"]) {
          const meta = { [key]: date }
          strictEqual(await seller(host.acme).status(id, "placed", meta), "INVALID_RECORD", `${key} ${date}`)
          strictEqual(await marketplace(host.bazaar).status(id, "placed", { meta }), "INVALID_RECORD", `${key} ${date}`)
        }
        deepStrictEqual(await rejected(order(one, { order_date: date })), [
          "400 VALIDATION_FAILED",
          "INVALID_VALUE /order_date"
        ])
        for (const key of ["pack_after", "pack_by", "dispatch_by", "deliver_by"]) {
          deepStrictEqual(await rejected(order([shipmentOf([line("85123A")], { delivery: { [key]: date } })])), [
            "400 VALIDATION_FAILED",
            `INVALID_VALUE /shipments/0/delivery/${key}`
          ])
        }
      }
    })

    it("an order of the last day that a date can name has its deadline on that day", async () => {
      const late = order([shipmentOf([line("85123A")])], { order_date: "9999-12-31T12:00:00Z" })
      const { shipments } = await place(host.bazaar, late)
      const id = shipments[0]?.shipment_id ?? ""
      const { body } = await host.acme.call<ReadonlyArray<{ readonly sla: string }>>(
        "GET",
        `${shipment}?orderId=${id}&orderStatus=CREATED&locationCode=BLR1`
      )
      deepStrictEqual(
        body.map(({ sla }) => sla),
        ["9999-12-31T23:59:59.999Z"]
      )
    })

    it("an order without shipments is EMPTY_REQUEST, unless more is wrong", async () => {
      deepStrictEqual(await rejected(order([])), ["400 EMPTY_REQUEST", "EMPTY_REQUEST /shipments"])
      strictEqual((await rejected(order([], { payment: null })))[0], "400 VALIDATION_FAILED")
    })

    it("no body is 400", async () => {
      deepStrictEqual((await rejected(undefined))[0], "400 VALIDATION_FAILED")
    })
  })

  describe("read", () => {
    it("returns prices, payment, taxes, every shipment with its bags, and meta exactly as sent", async () => {
      const meta = { note: 'a "quoted" text\n\t', nested: { list: [1, 2.5, null, true, "😀"] } }
      const body = order(
        [
          shipmentOf([line("85123A", 2, { external_line_id: "L1", mrp: 120, tax: { rate: 12, amount: 21.43 } })]),
          shipmentOf([line("71053")], {
            external_shipment_id: "S2",
            location_id: "BOM1",
            fulfillment_type: "MARKETPLACE"
          })
        ],
        {
          meta,
          order_date: "2024-02-29T10:00:00+05:30",
          payment: { mode: "COD" },
          tax_info: { gstin: "29ABCDE1234F1Z5" }
        }
      )
      const placed = await place(host.bazaar, body)
      const { body: view, status } = await read(placed.platform_order_id)
      strictEqual(status, 200)
      deepStrictEqual(
        [view.platform_order_id, view.external_order_id, view.ordering_currency, view.order_date, view.meta],
        [placed.platform_order_id, body.external_order_id, "INR", "2024-02-29T04:30:00.000Z", meta]
      )
      deepStrictEqual([view.pricing.total, view.taxes], [300, { gstin: "29ABCDE1234F1Z5", amount: 21.43 }])
      deepStrictEqual(
        view.shipments.map((one) => [
          one.shipment_id,
          one.external_shipment_id,
          one.location_id,
          one.status,
          one.fulfillment_type,
          one.is_self_ship
        ]),
        [
          [placed.shipments[0]?.shipment_id, "S1", "BLR1", "placed", "SELLER", true],
          [placed.shipments[1]?.shipment_id, "S2", "BOM1", "placed", "MARKETPLACE", false]
        ]
      )
      const [bag] = view.shipments[0]?.bags ?? []
      deepStrictEqual(
        [bag?.sku, bag?.quantity, bag?.prices.mrp, bag?.prices.esp, bag?.prices.total],
        ["85123A", 2, 120, 100, 200]
      )
    })

    it("shows by the amounts due to the seller who bears a coupon, to both sides and after a partial cancellation", async () => {
      const lines = [
        line("85123A", 3, { esp: 33.33, coupon_discount: 10.01, delivery_charge: 5 }),
        line("71053", 1, { esp: 0.1, coupon_discount: 0.03 })
      ]
      for (const [ownership, due, dueOfFirst, dueLeft] of [
        ["SELLER", 95.05, 94.98, 63.32],
        ["MARKETPLACE", 105.09, 104.99, 70]
      ] as const) {
        const coupon = { code: "TEN", amount: 10.04, ownership }
        const placed = await place(host.bazaar, order([shipmentOf(lines)], { coupon, total_amount: 95.05 }))
        const { pricing, shipments } = (await read(placed.platform_order_id)).body
        deepStrictEqual(
          [pricing.total, pricing.coupon_discount, pricing.amount_due_to_seller, pricing.coupon],
          [95.05, 10.04, due, coupon]
        )
        deepStrictEqual(
          shipments[0]?.bags.map(({ prices }) => [prices.total, prices.amount_due_to_seller]),
          [
            [94.98, dueOfFirst],
            [0.07, ownership === "SELLER" ? 0.07 : 0.1]
          ]
        )
        const id = placed.shipments[0]?.shipment_id ?? ""
        const dueOf = async () => {
          const { orderItems, orderPrice } = await seen(host.acme, id)
          const { amountDueToSeller, couponOwnership, totalPrice } = orderPrice
          const ofItems = orderItems.map((one) => one.orderItemPrice.amountDueToSeller)
          return [couponOwnership, totalPrice, amountDueToSeller, ofItems[0]]
        }
        deepStrictEqual(await dueOf(), [ownership, 95.05, due, dueOfFirst])
        const [first] = (await seen(host.acme, id)).orderItems
        await seller(host.acme).cancel(id, [{ orderItemId: first?.orderItemId, quantity: 1 }])
        strictEqual((await dueOf())[3], dueLeft)
        const after = (await read(placed.platform_order_id)).body.shipments.map(({ bags }) =>
          bags
            .filter(({ sku }) => sku === "85123A")
            .map(({ prices }) => Math.round((prices.amount_due_to_seller ?? 0) * 100))
        )
        strictEqual(
          after.flat().reduce((sum, one) => sum + one, 0),
          Math.round(dueOfFirst * 100),
          "no paisa is lost"
        )
      }
      const none = await place(host.bazaar, order([shipmentOf(lines)]))
      strictEqual((await read(none.platform_order_id)).body.pricing.amount_due_to_seller, 95.05, "without a coupon")
    })

    it("shows locations by the marketplace's own codes", async () => {
      const placed = await place(host.souk, order([shipmentOf([line("85123A")], { location_id: "S-BOM" })]), "souk")
      strictEqual((await read(placed.platform_order_id, host.souk, "souk")).body.shipments[0]?.location_id, "S-BOM")
    })

    it("an unknown order and another marketplace's order are the same 404", async () => {
      const placed = await place(host.souk, order([shipmentOf([line("85123A")], { location_id: "S-BOM" })]), "souk")
      const foreign = await read(placed.platform_order_id)
      const unknown = await read("0".repeat(24))
      deepStrictEqual([foreign.status, foreign.body.code], [404, "NOT_FOUND"])
      deepStrictEqual([unknown.status, unknown.body.code], [404, "NOT_FOUND"])
    })

    it("another marketplace's slug is 403, whether it exists or not", async () => {
      for (const slug of ["souk", "nobody", "Bazaar"]) {
        for (const [method, path] of [
          ["GET", "order?platform_order_id=x"],
          ["POST", "create"],
          ["PUT", "awb"],
          ["PUT", "status"]
        ] as const) {
          const answer = await host.bazaar.call<Problem>(
            method,
            `/order/api/v1/${slug}/${path}`,
            method === "GET" ? undefined : []
          )
          deepStrictEqual([answer.status, answer.body.code], [403, "FORBIDDEN"], `${slug} ${path}`)
        }
      }
    })
  })

  describe("awb and status", () => {
    const placedOne = async (more: object = {}): Promise<string> => {
      const placed: Placed = await place(host.bazaar, order([shipmentOf([line("85123A")], more)]))
      return placed.shipments[0]?.shipment_id ?? ""
    }

    it("both flags are required on every item", async () => {
      const id = await placedOne()
      const bazaar = marketplace(host.bazaar)
      for (const more of [
        { isSelfShip: false },
        { isSelfShip: undefined },
        { autoDispatch: true },
        { autoDispatch: null }
      ])
        strictEqual(await bazaar.awb(id, "A1", more), "VALIDATION_FAILED", JSON.stringify(more))
      for (const isSelfShip of [false, undefined, "true", 1])
        strictEqual(await bazaar.status(id, "cancelled_customer", { isSelfShip }), "VALIDATION_FAILED")
      for (const blank of ["", " ", "\u00a0\t"]) {
        strictEqual(await bazaar.awb(id, blank), "INVALID_RECORD")
        strictEqual(await bazaar.awb(id, "A1", { courierName: blank }), "INVALID_RECORD")
        strictEqual(await seller(host.acme).awb(id, blank), "INVALID_RECORD")
        strictEqual(await seller(host.acme).awb(id, "A1", false, blank), "INVALID_RECORD")
      }
      strictEqual(await bazaar.status("", "x"), "INVALID_RECORD")
    })

    it("20 items are accepted, 21 are TOO_MANY_RECORDS and an empty list is EMPTY_REQUEST", async () => {
      for (const path of ["awb", "status"]) {
        const many = async (count: number) => {
          const answer = await host.bazaar.call<Problem>(
            "PUT",
            `/order/api/v1/bazaar/${path}`,
            Array.from({ length: count }, () => ({}))
          )
          return `${answer.status} ${answer.body.code ?? ""}`
        }
        deepStrictEqual(
          [await many(20), await many(21), await many(0)],
          ["200 ", "400 TOO_MANY_RECORDS", "400 EMPTY_REQUEST"]
        )
      }
    })

    it("the answer is the envelope with a trace id", async () => {
      const answer = await host.bazaar.call<{ data: object; meta: { trace_id: string; time: string; status: string } }>(
        "PUT",
        "/order/api/v1/bazaar/status",
        [{ order_id: "1", isSelfShip: true, status: "bag_picked" }]
      )
      deepStrictEqual(Object.keys(answer.body.data), ["payload_count", "success_count", "failed_count", "errors"])
      assertMatch(answer.body.meta.trace_id, /^[0-9a-f]{16}-\d{13}$/)
      strictEqual(answer.body.meta.status, "FAILED")
    })

    it("a marketplace sees its own shipments only", async () => {
      const id = await placedOne({ location_id: "BOM1" })
      const souk = marketplace(host.souk, "souk")
      strictEqual(await souk.status(id, "cancelled_customer"), "S404")
      strictEqual(await souk.awb(id, "A2"), "A404")
      strictEqual(await marketplace(host.bazaar).status("0".repeat(20), "cancelled_customer"), "S404")
      strictEqual(await marketplace(host.bazaar).status(id, "cancelled_customer"), "ok")
    })

    it("an unknown shipment is answered without the route that only sellers have", async () => {
      const record = { orderId: "7", awbNumber: "A7", courierName: "BlueDart", autoDispatch: false, isSelfShip: true }
      const messageFor = async (api: typeof host.bazaar, path: string) => {
        const { body } = await api.call<Problem & { readonly data?: Problem }>("PUT", path, [record])
        return (body.errors ?? body.data?.errors)?.[0]?.message
      }
      const common = "You have no shipment 7. Send a shipment_id of the answer to an order."
      strictEqual(await messageFor(host.bazaar, "/order/api/v1/bazaar/awb"), common)
      strictEqual(
        await messageFor(host.acme, `${shipment}/awb`),
        `${common} GET /oms/v3/shipment/info?orderStatus=CREATED, or a later status, lists them.`
      )
    })

    it("cancelled_customer releases the stock, and only a marketplace may send it", async () => {
      const before = await reserved("85123A")
      const id = await placedOne()
      strictEqual(await reserved("85123A"), before + 1)
      strictEqual(await marketplace(host.bazaar).status(id, "cancelled_customer"), "ok")
      strictEqual(await reserved("85123A"), before)
      strictEqual(await marketplace(host.bazaar).status(id, "cancelled_customer"), "ok", "a repeat changes nothing")
      strictEqual(await reserved("85123A"), before)
    })
  })
})
