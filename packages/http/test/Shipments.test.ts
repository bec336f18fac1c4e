import { describe, it } from "@effect/vitest"
import { assertMatch, assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { beforeAll } from "vitest"
import { type Client, useHost } from "./TestHost.ts"
import {
  levelOf,
  line,
  marketplace,
  move,
  order,
  type Problem,
  place,
  type Seen,
  seen,
  seller,
  setStock,
  shipment,
  shipmentOf
} from "./TestOrders.ts"
import { done, product } from "./TestProducts.ts"

const sku = "85123A"
const other = "71053"

type Entries = ReadonlyArray<{ readonly code: string; readonly path: string; readonly message: string }>

interface Viewed {
  readonly shipment_id: string
  readonly status: string
  readonly bags: ReadonlyArray<{ readonly prices: { readonly total: number } }>
}

interface Moved {
  readonly errors: ReadonlyArray<{ readonly message: string }>
}

describe("shipments", () => {
  const host = useHost()
  let acme: ReturnType<typeof seller>
  let blr1: ReturnType<typeof seller>
  let globex: ReturnType<typeof seller>
  let bazaar: ReturnType<typeof marketplace>

  beforeAll(async () => {
    acme = seller(host.acme)
    blr1 = seller(host.blr1)
    globex = seller(host.globex)
    bazaar = marketplace(host.bazaar)
    await setStock(host.acme, 10_000, [sku, other])
    await setStock(host.acme, 10_000, [sku, other], "BOM1")
    await setStock(host.globex, 100, ["GX-TEE-S"], "DEL1")
  })

  const placed = async (lines: ReadonlyArray<object> = [line(sku)], more: object = {}, whole: object = {}) => {
    const { shipments } = await place(host.bazaar, order([shipmentOf(lines, more)], whole))
    return shipments[0]?.shipment_id ?? ""
  }

  /** Runs steps that must all succeed. */
  const all = async (...steps: ReadonlyArray<() => Promise<string>>) => {
    for (const [nth, step] of steps.entries()) strictEqual(await step(), "ok", `step ${nth}`)
  }

  const invoiced = async (lines?: ReadonlyArray<object>, more: object = {}) => {
    const id = await placed(lines, more)
    await all(
      () => acme.confirm(id),
      () => acme.invoice(id)
    )
    return id
  }

  const packed = async (lines?: ReadonlyArray<object>) => {
    const id = await invoiced(lines)
    await all(() => acme.pack(id))
    return id
  }

  const packedByGlobex = async () => {
    const id = await placed([line("GX-TEE-S")], { location_id: "DEL1" })
    await all(
      () => globex.confirm(id),
      () => globex.invoice(id),
      () => globex.pack(id)
    )
    return id
  }

  const delivered = async (lines?: ReadonlyArray<object>) => {
    const id = await packed(lines)
    await all(
      () => acme.dispatch(id),
      () => acme.status(id, "delivery_done")
    )
    return id
  }

  const view = async (id: string) => {
    const path = `/order/api/v1/bazaar/order?platform_order_id=${id}`
    return (await host.bazaar.call<{ readonly shipments: ReadonlyArray<Viewed> }>("GET", path)).body.shipments
  }

  describe("the forward journey", () => {
    it("of a shipment that the seller ships itself", async () => {
      const before = await levelOf(host.acme, sku)
      const id = await placed([line(sku, 2)])
      const status = async () => (await seen(host.acme, id)).orderStatus
      strictEqual(await status(), "CREATED")
      await all(() => acme.confirm(id))
      strictEqual(await status(), "CONFIRMED")
      await all(() =>
        acme.invoice(id, `FWD-${id}`, {
          irnNumber: "IRN",
          packages: [
            { packageId: "P1", packageLengthCm: 10.5, packageWidthCm: 1, packageHeightCm: 2, packageWeightGms: 300 }
          ]
        })
      )
      strictEqual(await status(), "PROCESSING")
      strictEqual(await acme.pack(id), "ok", "self-ship is assigned by invoicing")
      strictEqual(await status(), "COMPLETED")
      await all(
        () => acme.awb(id, `AWB-${id}`),
        () => acme.dispatch(id)
      )
      strictEqual(await status(), "TRANSIT")
      await all(
        () => acme.status(id, "out_for_delivery", { remark: "van 4", dpLocation: "12.97,77.59" }),
        () => acme.status(id, "delivery_attempt_failed"),
        () => acme.status(id, "delivery_reattempt_requested"),
        () => acme.status(id, "out_for_delivery"),
        () => acme.status(id, "delivery_done")
      )
      const last = await seen(host.acme, id)
      deepStrictEqual(
        [last.orderStatus, last.awbNumber, last.courierName, last.invoiceNumber, last.irnNumber, last.is_self_ship],
        ["DELIVERED", [`AWB-${id}`], "BlueDart", `FWD-${id}`, "IRN", true]
      )
      strictEqual(last.packages.length, 1)
      const [onHand = 0, reserved = 0] = before
      deepStrictEqual((await levelOf(host.acme, sku)).slice(0, 2), [onHand - 2, reserved], "consumed once")
    })

    it("of a shipment whose courier the port assigns, at once, with courier, code and AWB", async () => {
      const id = await invoiced([line(sku)], { is_self_ship: false })
      const assigned = await seen(host.acme, id)
      assertTrue(assigned.courierName !== null && assigned.courierCode !== null && assigned.awbNumber.length === 1)
      strictEqual(await acme.awb(id, "MINE"), "A422")
      await all(
        () => acme.pack(id),
        () => acme.dispatch(id)
      )
      strictEqual((await seen(host.acme, id)).orderStatus, "TRANSIT")
    })

    it("of a shipment whose logistics the marketplace runs, by its awb or its status", async () => {
      for (const assign of [
        (id: string) => bazaar.awb(id, `MP-${id}`),
        (id: string) => bazaar.status(id, "dp_assigned")
      ]) {
        const id = await invoiced([line(sku)], { fulfillment_type: "MARKETPLACE" })
        deepStrictEqual(
          [(await seen(host.acme, id)).awbNumber, await acme.pack(id), await acme.awb(id, "MINE")],
          [[], "CR400", "A400"]
        )
        await all(
          () => assign(id),
          () => acme.pack(id),
          () => acme.dispatch(id),
          () => bazaar.status(id, "out_for_delivery"),
          () => bazaar.status(id, "delivery_done")
        )
        const last = await seen(host.acme, id)
        deepStrictEqual([last.orderStatus, last.fulfillmentType], ["DELIVERED", "marketplaceFulfilled"])
      }
    })

    it("an AWB with autoDispatch picks the shipment up, and the customer may collect it", async () => {
      const id = await packed()
      await all(() => acme.awb(id, `AUTO-${id}`, true))
      strictEqual((await seen(host.acme, id)).orderStatus, "TRANSIT")
      const fetched = await packed()
      await all(() => acme.status(fetched, "handed_over_to_customer"))
      strictEqual((await seen(host.acme, fetched)).orderStatus, "HANDED_OVER_TO_CUSTOMER")
    })

    it("back to the origin", async () => {
      const id = await packed()
      await all(
        () => acme.dispatch(id),
        () => acme.status(id, "rto_in_transit")
      )
      strictEqual((await seen(host.acme, id)).orderStatus, "RETURN_PROCESSING")
      await all(() => acme.status(id, "rto_bag_delivered"))
      strictEqual((await seen(host.acme, id)).orderStatus, "RETURN_DELIVERED")
    })

    it("a return is its own shipment, opened by the marketplace", async () => {
      const id = await delivered([line(sku, 3)])
      strictEqual(await acme.status(id, "return_initiated"), "S400 INVALID_TRANSITION")
      const meta = (quantity: number, return_id: string) => ({
        meta: { return_id, items: [{ orderItemId: itemId, quantity }] }
      })
      const itemId = (await seen(host.acme, id)).orderItems[0]?.orderItemId
      await all(() => bazaar.status(id, "return_initiated", meta(2, "R1")))
      await all(() => bazaar.status(id, "return_initiated", meta(2, "R1")))
      strictEqual(await bazaar.status(id, "return_initiated", meta(3, "R2")), "S409", "one unit is left")
      await all(() => bazaar.status(id, "return_initiated", meta(2, "R4")))
      await all(() => bazaar.status(id, "return_initiated", meta(1, "R3")))
      strictEqual(await bazaar.status(id, "return_initiated", { meta: { return_id: "R9" } }), "S409", "none is left")
      const nameless = { meta: { items: [{ quantity: 1 }] } }
      strictEqual(await bazaar.status(id, "return_initiated", nameless), "INVALID_RECORD")
      await all(() => bazaar.status(id, "return_initiated"))
      const returns = await host.acme.call<ReadonlyArray<Seen>>(
        "GET",
        `${shipment}?orderStatus=RETURN_PROCESSING&locationCode=BLR1&pageSize=100`
      )
      const mine = returns.body.filter(({ forwardId }) => forwardId === id)
      deepStrictEqual(mine.map(({ journeyType, marketplaceReturnId }) => [journeyType, marketplaceReturnId]).sort(), [
        ["return", "R1"],
        ["return", "R3"]
      ])
      strictEqual((await seen(host.acme, id)).orderStatus, "DELIVERED")
      const back = mine[0]?.id ?? ""
      await all(
        () => acme.status(back, "return_bag_in_transit"),
        () => acme.status(back, "return_bag_delivered"),
        () => acme.status(back, "deadstock")
      )
      strictEqual((await seen(host.acme, back)).orderStatus, "RETURN_DELIVERED")
    })
  })

  describe("cancel", () => {
    it("of all units releases the stock and keeps the shipment's id", async () => {
      const [, reserved] = await levelOf(host.acme, sku)
      const id = await placed([line(sku, 5)])
      await all(() => acme.cancel(id))
      const last = await seen(host.acme, id)
      deepStrictEqual([last.orderStatus, last.forwardId], ["CANCELLED", id])
      strictEqual((await levelOf(host.acme, sku))[1], reserved)
      deepStrictEqual(
        [await acme.cancel(id, [{ orderItemId: last.orderItems[0]?.orderItemId, quantity: 1 }]), await acme.pack(id)],
        ["X400", "CR401"]
      )
    })

    it("of a part makes it a separate shipment and releases its units", async () => {
      const [, reserved = 0] = await levelOf(host.acme, sku)
      const { platform_order_id, shipments } = await place(
        host.bazaar,
        order([shipmentOf([line(sku, 5), line(other, 2)])])
      )
      const id = shipments[0]?.shipment_id ?? ""
      const [first] = (await seen(host.acme, id)).orderItems
      await all(() => acme.cancel(id, [{ orderItemId: first?.orderItemId, quantity: 2, reasonCode: "6" }]))
      strictEqual((await levelOf(host.acme, sku))[1], reserved + 3)
      const left = await seen(host.acme, id)
      deepStrictEqual(
        [left.orderStatus, left.orderItems.map(({ cancelledQuantity, quantity }) => [quantity, cancelledQuantity])],
        [
          "CREATED",
          [
            [3, 2],
            [2, 0]
          ]
        ]
      )
      const part = (await view(platform_order_id)).find(({ shipment_id }) => shipment_id !== id)
      strictEqual(part?.status, "cancelled_seller")
      const cancelled = await seen(host.acme, part?.shipment_id ?? "")
      deepStrictEqual([cancelled.orderStatus, cancelled.forwardId], ["CANCELLED", id])
      strictEqual(await acme.cancel(id, [{ orderItemId: first?.orderItemId, quantity: 4 }]), "X409", "three are left")
      strictEqual(await acme.cancel(id, [{ orderItemId: "1", quantity: 1 }]), "X404")
      await all(() => acme.confirm(id))
    })

    it("of a part moves its share of the amounts, to the last paisa", async () => {
      const { platform_order_id, shipments } = await place(
        host.bazaar,
        order([shipmentOf([line(sku, 3, { discount: 10, delivery_charge: 5, tax: { rate: 12, amount: 0.1 } })])])
      )
      const id = shipments[0]?.shipment_id ?? ""
      const moneyOf = async (one: string) => (await seen(host.acme, one)).orderPrice as Readonly<Record<string, number>>
      const before = await moneyOf(id)
      const [first] = (await seen(host.acme, id)).orderItems
      await all(() => acme.cancel(id, [{ orderItemId: first?.orderItemId, quantity: 1 }]))
      const part = (await view(platform_order_id)).find(({ shipment_id }) => shipment_id !== id)?.shipment_id ?? ""
      const [left, split] = [await moneyOf(id), await moneyOf(part)]
      deepStrictEqual([left.totalPrice, split.totalPrice], [196.67, 98.33])
      for (const field of ["totalPrice", "totalDiscount", "totalShippingCharges", "totalTax"])
        strictEqual(
          Math.round(((left[field] ?? 0) + (split[field] ?? 0)) * 100),
          Math.round((before[field] ?? 0) * 100)
        )
      await all(() => acme.cancel(id))
      deepStrictEqual(await moneyOf(id), left, "what is cancelled at last keeps the amounts of what was left")
    })

    it("of a whole line moves all its amounts, in the marketplace's view too", async () => {
      const { platform_order_id, shipments } = await place(
        host.bazaar,
        order([shipmentOf([line(sku, 1), line(other, 1, { esp: 50 })])])
      )
      const id = shipments[0]?.shipment_id ?? ""
      const cancelled = (await seen(host.acme, id)).orderItems[1]
      await all(() => acme.cancel(id, [{ orderItemId: cancelled?.orderItemId, quantity: 1 }]))
      const { orderItems, orderPrice } = await seen(host.acme, id)
      const ofItems = orderItems.map((one) => one.orderItemPrice.totalPrice)
      deepStrictEqual([ofItems, orderPrice.totalPrice, orderPrice.amountDueToSeller], [[100, 0], 100, 100])
      deepStrictEqual(
        (await view(platform_order_id)).map(({ bags }) => bags.map(({ prices }) => prices.total)),
        [[100, 0], [50]]
      )
    })

    it("of a part after invoicing, and of anything after dispatch, is rejected", async () => {
      const id = await invoiced([line(sku, 2)])
      const [item] = (await seen(host.acme, id)).orderItems
      strictEqual(await acme.cancel(id, [{ orderItemId: item?.orderItemId, quantity: 1 }]), "X400")
      const dispatched = await packed()
      await all(() => acme.dispatch(dispatched))
      strictEqual(await acme.cancel(dispatched), "X400")
    })

    it("after invoicing may be followed by a credit note", async () => {
      const id = await invoiced()
      await all(
        () => acme.cancel(id),
        () => acme.creditNote(id)
      )
      const last = await seen(host.acme, id)
      deepStrictEqual([last.orderStatus, last.returnInvoiceNumber], ["CANCELLED", `CN-${id}`])
      strictEqual(await acme.creditNote(id, `CN2-${id}`), "IN453")
    })
  })

  describe("codes", () => {
    const unknown = "0".repeat(20)
    const item = [{ orderItemId: "1", quantity: 1 }]

    const everyCode = async (of: ReturnType<typeof seller>, id: string) => ({
      confirm: await of.confirm(id, item),
      cancel: await of.cancel(id, item),
      invoice: await of.invoice(id),
      pack: await of.pack(id),
      dispatch: await of.dispatch(id),
      awb: await of.awb(id, "X"),
      status: await of.status(id, "bag_picked")
    })

    const notFound = {
      confirm: "O404",
      cancel: "X404",
      invoice: "IN400",
      pack: "CR404",
      dispatch: "D404",
      awb: "A404",
      status: "S404"
    }

    it("an unknown shipment and another company's shipment have the same not-found code", async () => {
      const id = await placed()
      deepStrictEqual(await everyCode(acme, unknown), notFound)
      deepStrictEqual(await everyCode(globex, id), notFound)
      strictEqual((await seen(host.acme, id)).orderStatus, "CREATED")
    })

    it("an unknown shipment is answered to a seller with the list of shipments", async () => {
      const list = "GET /oms/v3/shipment/info?orderStatus=CREATED, or a later status, lists them."
      for (const operation of ["pack", "invoiceUpdate"]) {
        const sent = { orderId: unknown, invoiceType: "sale", invoiceNumber: "I1", invoiceItems: item }
        const { body } = await host.acme.call<Moved>("POST", `/oms/v3/shipment/${operation}`, [sent])
        assertTrue(body.errors[0]?.message.endsWith(list), body.errors[0]?.message)
      }
    })

    it("a shipment at another location of the company has the location code", async () => {
      const id = await placed([line(sku)], { location_id: "BOM1" })
      deepStrictEqual(await everyCode(blr1, id), {
        confirm: "O422",
        cancel: "X422",
        invoice: "IN400",
        pack: "CR422",
        dispatch: "D422",
        awb: "A404",
        status: "S422"
      })
    })

    it("confirm must name all remaining units, once, and not after cancellation", async () => {
      const id = await placed([line(sku, 2), line(other, 1)])
      const items = (await seen(host.acme, id)).orderItems.map(({ orderItemId, quantity }) => ({
        orderItemId,
        quantity
      }))
      strictEqual(await acme.confirm(id, items.slice(1)), "O409")
      strictEqual(await acme.confirm(id, [{ ...items[0], quantity: 1 }, items[1] ?? {}]), "O409")
      strictEqual(await acme.confirm(id, [...items, ...item]), "O404")
      await all(() => acme.confirm(id, items))
      strictEqual(await acme.confirm(id, items), "O409")
      const cancelled = await placed()
      const [one] = (await seen(host.acme, cancelled)).orderItems
      await all(() => acme.cancel(cancelled))
      strictEqual(await acme.confirm(cancelled, [{ orderItemId: one?.orderItemId, quantity: 1 }]), "O400")
    })

    it("an invoice comes after confirm, once and with its own number", async () => {
      const id = await placed()
      strictEqual(await acme.invoice(id), "IN403")
      strictEqual(await acme.creditNote(id), "IN422", "a credit note on a forward shipment")
      await all(() => acme.confirm(id))
      const taken = (await seen(host.acme, await invoiced())).invoiceNumber ?? ""
      strictEqual(await acme.invoice(id, taken), "IN422")
      strictEqual(await acme.invoice(id, "N", { orderItems: [{ orderItemId: "1" }] }), "IN400")
      const [one] = (await seen(host.acme, id)).orderItems
      strictEqual(
        await acme.invoice(id, "N", { orderItems: [{ orderItemId: one?.orderItemId, imeiSerialNumber: ["1", "2"] }] }),
        "INVALID_RECORD"
      )
      await all(() => acme.invoice(id))
      strictEqual(await acme.invoice(id, `2-${id}`), "IN453")
      strictEqual(await acme.invoice(id, "N", { invoiceType: "proforma" }), "INVALID_RECORD")
      const cancelled = await placed()
      await all(() => acme.cancel(cancelled))
      strictEqual(await acme.invoice(cancelled), "IN401")
      const globexId = await placed([line("GX-TEE-S")], { location_id: "DEL1" })
      await all(
        () => globex.confirm(globexId),
        () => globex.invoice(globexId, taken)
      )
    })

    it("pack and dispatch must come in order", async () => {
      const id = await placed()
      deepStrictEqual([await acme.pack(id), await acme.dispatch(id)], ["CR400", "D400"])
      await all(
        () => acme.confirm(id),
        () => acme.invoice(id)
      )
      strictEqual(await acme.dispatch(id), "D400")
      await all(() => acme.pack(id))
      strictEqual(await acme.pack(id), "CR400")
      await all(() => acme.dispatch(id))
      strictEqual(await acme.dispatch(id), "D400")
      const cancelled = await packed()
      await all(() => acme.cancel(cancelled))
      deepStrictEqual([await acme.pack(cancelled), await acme.dispatch(cancelled)], ["CR401", "D401"])
    })

    it("an AWB is used by only one open shipment of a courier", async () => {
      const [first, second] = [await packed(), await packed()]
      await all(() => acme.awb(first, "SHARED"))
      strictEqual(await acme.awb(second, "SHARED"), "A409")
      strictEqual(await acme.awb(second, "SHARED", false, "Delhivery"), "ok", "another courier's number")
      await all(
        () => acme.dispatch(first),
        () => acme.status(first, "delivery_done"),
        () => acme.awb(second, "SHARED")
      )
      strictEqual(await acme.awb(await placed(), "EARLY"), "A400")
    })

    it("an AWB is used by only one open shipment of a courier, however its name is written", async () => {
      const [first, second] = [await packed(), await packed()]
      await all(() => acme.awb(first, "SAME", false, "Swift"))
      for (const courier of ["SWIFT ", " swift", "Swift"])
        strictEqual(await acme.awb(second, "SAME", false, courier), "A409", courier)
      strictEqual(await acme.awb(second, "SAME", false, "Swift 2"), "ok")
    })

    it("an AWB in one request of a marketplace is used by one shipment, whichever companies they are of", async () => {
      const ids = [await packed(), await packedByGlobex()]
      const give = (courierNames: ReadonlyArray<string>, order: ReadonlyArray<string>) =>
        move(
          host.bazaar,
          "PUT",
          "/order/api/v1/bazaar/awb",
          order.map((orderId, at) => ({
            orderId,
            awbNumber: "BOTH",
            courierName: courierNames[at],
            autoDispatch: false,
            isSelfShip: true
          }))
        )
      // The first record of the request wins, whichever company comes first.
      deepStrictEqual(await give(["Swift", "SWIFT "], ids.toReversed()), ["1 A409"])
      deepStrictEqual((await seen(host.globex, ids[1] ?? "")).awbNumber, ["BOTH"])
      deepStrictEqual(await give(["Swift", "Other"], ids.toReversed()), [])
    })

    it("a move that the lifecycle does not have is S400 INVALID_TRANSITION, naming both statuses", async () => {
      const id = await placed()
      for (const status of [
        "delivery_done",
        "placed",
        "bag_confirmed",
        "bag_packed",
        "cancelled_seller",
        "return_accepted"
      ])
        strictEqual(await acme.status(id, status), status === "placed" ? "ok" : "S400 INVALID_TRANSITION", status)
      strictEqual((await acme.status(id, "flying")).slice(0, 4), "S400")
      strictEqual(await acme.status(id, "cancelled_customer"), "S400 INVALID_TRANSITION", "a marketplace's only")
      const answer = await host.acme.call<{ data: { errors: ReadonlyArray<{ message: string }> } }>(
        "PUT",
        `${shipment}/status`,
        [{ orderId: id, orderStatus: "delivery_done" }]
      )
      const message = answer.body.data.errors[0]?.message ?? ""
      assertTrue(message.includes("placed") && message.includes("delivery_done"), message)
    })

    it("a rejection has the current status, the allowed statuses and the shortest path to the requested one", async () => {
      const id = await placed()
      const { body } = await host.acme.call<{ errors: ReadonlyArray<Readonly<Record<string, unknown>>> }>(
        "POST",
        `${shipment}/pack`,
        [{ orderId: id }]
      )
      const { message, ...entry } = body.errors[0] ?? {}
      deepStrictEqual(entry, {
        index: 0,
        code: "CR400",
        path: "/0/orderId",
        orderId: id,
        current: "placed",
        allowed: ["confirm", "cancel a part", "cancel everything"],
        steps: ["confirm", "invoiceUpdate sale", "pack"]
      })
      strictEqual(
        message,
        `Can't pack shipment ${id}: its status is placed. Confirm it, then invoice it, then pack it.`
      )
    })

    it("repeating a status succeeds and changes nothing", async () => {
      const id = await delivered()
      const before = await seen(host.acme, id)
      const level = await levelOf(host.acme, sku)
      await all(() => acme.status(id, "delivery_done"))
      deepStrictEqual(await seen(host.acme, id), before)
      deepStrictEqual(await levelOf(host.acme, sku), level)
    })

    it("a record with the wrong shape is INVALID_RECORD and doesn't affect the others", async () => {
      const id = await placed()
      const items = (await seen(host.acme, id)).orderItems.map(({ orderItemId, quantity }) => ({
        orderItemId,
        quantity
      }))
      deepStrictEqual(
        await move(host.acme, "POST", `${shipment}/confirm`, [
          {},
          null,
          { orderId: id },
          { orderId: id, orderItems: [] },
          { orderId: id, orderItems: items },
          { orderId: id, orderItems: [{ orderItemId: "1", quantity: 0 }] }
        ]),
        ["0 INVALID_RECORD", "1 INVALID_RECORD", "2 INVALID_RECORD", "3 INVALID_RECORD", "5 INVALID_RECORD"]
      )
      strictEqual((await seen(host.acme, id)).orderStatus, "CONFIRMED")
    })

    it("a text with a forbidden character is INVALID_TEXT at its place, in every operation", async () => {
      const say = async (api: Client, method: "POST" | "PUT", path: string, record: object) => {
        const { body } = await api.call<{ errors?: Entries; data?: { errors: Entries } }>(method, path, [record])
        return (body.errors ?? body.data?.errors ?? []).map((one) => `${one.code} ${one.path}`)
      }
      const nul = "a\u0000b"
      const item = { orderItemId: nul, quantity: 1 }
      const flags = { isSelfShip: true, autoDispatch: false }
      for (const [operation, record, path] of [
        ["confirm", { orderId: nul, orderItems: [] }, "/0/orderId"],
        ["confirm", { orderId: "1", orderItems: [item] }, "/0/orderItems/0/orderItemId"],
        [
          "cancel",
          { orderId: "1", orderItems: [{ ...item, orderItemId: "1", reasonCode: "\ud800" }] },
          "/0/orderItems/0/reasonCode"
        ],
        ["invoiceUpdate", { orderId: "1", invoiceNumber: nul, invoiceType: "sale" }, "/0/invoiceNumber"],
        ["pack", { orderId: nul }, "/0/orderId"],
        ["dispatch", { orderId: nul }, "/0/orderId"],
        [
          "return",
          { orderId: "1", orderItems: [{ ...item, orderItemId: "1", reasonCode: nul }] },
          "/0/orderItems/0/reasonCode"
        ]
      ] as const)
        deepStrictEqual(await say(host.acme, "POST", `${shipment}/${operation}`, record), [`INVALID_TEXT ${path}`])
      for (const [api, path, record, where] of [
        [
          host.acme,
          `${shipment}/awb`,
          { orderId: "1", awbNumber: nul, courierName: "B", autoDispatch: true },
          "awbNumber"
        ],
        [
          host.acme,
          `${shipment}/status`,
          { orderId: "1", orderStatus: "bag_picked", meta: { remark: nul } },
          "meta/remark"
        ],
        [
          host.bazaar,
          "/order/api/v1/bazaar/awb",
          { orderId: "1", awbNumber: "1", courierName: nul, ...flags },
          "courierName"
        ],
        [host.bazaar, "/order/api/v1/bazaar/status", { order_id: "1", status: nul, ...flags }, "status"]
      ] as const)
        deepStrictEqual(await say(api, "PUT", path, record), [`INVALID_TEXT /0/${where}`])
    })

    it("a rejection about an item points to the item, and one about the shipment to its id", async () => {
      const id = await placed([line(sku, 2), line(other, 3)])
      const pathOf = async (operation: string, orderItems?: ReadonlyArray<object>, more: object = {}) => {
        const record = { orderId: id, orderItems, ...more }
        const { body } = await host.acme.call<{ errors: Entries }>("POST", `${shipment}/${operation}`, [record])
        return body.errors.map((one) => `${one.code} ${one.path}`).join()
      }
      const [first = "", second = ""] = (await seen(host.acme, id)).orderItems.map(({ orderItemId }) => orderItemId)
      const units = (orderItemId: string, quantity: number, more: object = {}) => ({ orderItemId, quantity, ...more })
      strictEqual(await pathOf("cancel", [units(second, 1), units(first, 3)]), "X409 /0/orderItems/1/quantity")
      strictEqual(await pathOf("cancel", [units(second, 1), units("none", 3)]), "X404 /0/orderItems/1/orderItemId")
      strictEqual(await pathOf("confirm", [units(first, 2), units(second, 2)]), "O409 /0/orderItems/1/quantity")
      strictEqual(await pathOf("confirm", [units(first, 2)]), "O409 /0/orderItems", "the second is missing")
      strictEqual(await pathOf("pack"), "CR400 /0/orderId")
      await all(() => acme.confirm(id))
      const sale = { invoiceNumber: `ITEMS-${id}`, invoiceType: "sale" }
      const imei = { imeiSerialNumber: ["1", "2", "3", "4"] }
      const item = { orderItemId: second }
      for (const [items, said] of [
        [[units(first, 2), { ...item, ...imei }], "INVALID_RECORD /0/orderItems/1/imeiSerialNumber"],
        [[units(second, 2, { imeiSerialNumber: ["1", "2", "3"] })], "INVALID_RECORD /0/orderItems/0/imeiSerialNumber"],
        [[{ ...item, imeiSerialNumber: ["1", "1"] }], "INVALID_RECORD /0/orderItems/0/imeiSerialNumber"],
        [[units(first, 2), units(second, 2)], "INVALID_RECORD /0/orderItems/1/quantity"],
        [[item, item], "INVALID_RECORD /0/orderItems/1/orderItemId"],
        [[item, { orderItemId: "none" }], "IN400 /0/orderItems/1/orderItemId"]
      ] as const)
        strictEqual(await pathOf("invoiceUpdate", items, sale), said)
      await all(
        () => acme.invoice(id),
        () => acme.pack(id)
      )
      strictEqual(await pathOf("dispatch", [units(first, 2), units(second, 4)]), "D400 /0/orderItems/1/quantity")
      await all(
        () => acme.dispatch(id),
        () => acme.status(id, "delivery_done")
      )
      const returned = async (...items: ReadonlyArray<object>) => {
        const record = { order_id: id, isSelfShip: true, status: "return_initiated", meta: { items } }
        const { body } = await host.bazaar.call<{ data: { errors: Entries } }>("PUT", "/order/api/v1/bazaar/status", [
          record
        ])
        return body.data.errors.map((one) => `${one.code} ${one.path}`).join()
      }
      strictEqual(await returned(units(first, 1), units(second, 4)), "S409 /0/meta/items/1/quantity")
      strictEqual(
        await returned(units(first, 1), { external_line_id: "none", quantity: 1 }),
        "S404 /0/meta/items/1/external_line_id"
      )
    })

    it("an id sent as a number, which has lost digits, is not echoed", async () => {
      const text = '[{"orderId": 17328629784861446350}, {"orderId": 17}]'
      const headers = {
        "x-access-token": await host.tokenOf("/aggregator/v1/token", "acme"),
        "content-type": "application/json",
        "content-length": String(text.length)
      }
      const body = (await host.send("POST", `${shipment}/pack`, headers, text)).body as unknown as {
        readonly errors: ReadonlyArray<object>
      }
      deepStrictEqual(
        body.errors.map((one) => ("orderId" in one ? one.orderId : "absent")),
        ["absent", 17]
      )
    })

    it("a word that is not a status, such as an order status, is answered with the statuses", async () => {
      const id = await packed()
      const say = async (orderStatus: string) => {
        const { body } = await host.acme.call<{ data: { errors: Entries } }>("PUT", `${shipment}/status`, [
          { orderId: id, orderStatus }
        ])
        return body.data.errors[0]?.message ?? ""
      }
      for (const status of ["DELIVERED", "delivered"])
        assertMatch(
          await say(status),
          /Operational statuses are placed, .*delivery_done, .*\. You can change it to bag_picked/
        )
    })

    it("is tax exempt only when every line says that its tax is 0", async () => {
      const exempted = async (...taxes: ReadonlyArray<object | undefined>) =>
        (await seen(host.acme, await placed(taxes.map((tax) => line(sku, 1, { tax }))))).taxExempted
      const none = { rate: 0, amount: 0 }
      strictEqual(await exempted(undefined), false)
      strictEqual(await exempted({ rate: 5, amount: 4.76 }), false)
      strictEqual(await exempted(none, undefined), false)
      strictEqual(await exempted(none, none), true)
    })

    it("is tax exempt only when every line of the order is, in whichever shipment and company", async () => {
      const none = { rate: 0, amount: 0 }
      const parts = (...taxes: ReadonlyArray<object>) =>
        [
          shipmentOf([line(sku, 1, { tax: taxes[0] })]),
          shipmentOf([line("GX-TEE-S", 1, { tax: taxes[1] })], { external_shipment_id: "S2", location_id: "DEL1" })
        ] as const
      const exempted = async (...taxes: ReadonlyArray<object>) => {
        const [one, two] = (await place(host.bazaar, order(parts(...taxes)))).shipments
        return [
          (await seen(host.acme, one?.shipment_id ?? "")).taxExempted,
          (await seen(host.globex, two?.shipment_id ?? "")).taxExempted
        ]
      }
      deepStrictEqual(await exempted(none, none), [true, true])
      deepStrictEqual(await exempted(none, { rate: 5, amount: 4.76 }), [false, false])
      deepStrictEqual(await exempted({ rate: 5, amount: 4.76 }, none), [false, false])
    })

    it("is returnless when none of its products can come back", async () => {
      const kinds = { NO: "No", NEVER: false, YES: "Yes", TRUE: true, OPEN: undefined }
      const names = Object.keys(kinds)
      const products = Object.entries(kinds).map(([code, returnable]) =>
        product(`RL-${code}`, {
          // Text that looks like the field is not the field.
          description: '"returnable":"No"',
          attributes: { color: "Black", material: "Cotton", returnable: "No" },
          ...(returnable === undefined ? {} : { return_config: { returnable } })
        })
      )
      await done(host.acme, "POST", products)
      await setStock(
        host.acme,
        10,
        names.map((code) => `RL-${code}-M`)
      )
      const isReturnless = async (...codes: ReadonlyArray<string>) =>
        (await seen(host.acme, await placed(codes.map((code) => line(`RL-${code}-M`))))).is_returnless
      for (const code of names) strictEqual(await isReturnless(code), ["NO", "NEVER"].includes(code), code)
      strictEqual(await isReturnless("NO", "NEVER"), true)
      strictEqual(await isReturnless("NO", "YES"), false)
    })

    it("the same shipment twice in one status request is applied in order", async () => {
      const id = await packed()
      const steps = ["bag_picked", "delivery_done", "out_for_delivery"]
      deepStrictEqual(
        await move(
          host.acme,
          "PUT",
          `${shipment}/status`,
          steps.map((orderStatus) => ({ orderId: id, orderStatus }))
        ),
        ["2 S400 INVALID_TRANSITION"]
      )
      strictEqual((await seen(host.acme, id)).orderStatus, "DELIVERED")
    })

    it("every operation accepts 20 records; 21 are TOO_MANY_RECORDS", async () => {
      for (const [method, name] of [
        ["POST", "confirm"],
        ["POST", "cancel"],
        ["POST", "invoiceUpdate"],
        ["POST", "pack"],
        ["POST", "dispatch"],
        ["PUT", "awb"],
        ["PUT", "status"]
      ] as const) {
        const many = async (count: number) => {
          const records = Array.from({ length: count }, () => ({}))
          const answer = await host.acme.call<Problem>(method, `${shipment}/${name}`, records)
          return `${answer.status} ${answer.body.code ?? ""}`
        }
        deepStrictEqual(
          [await many(20), await many(21), await many(0)],
          ["200 ", "400 TOO_MANY_RECORDS", "400 EMPTY_REQUEST"],
          name
        )
      }
    })

    it("of two concurrent requests on one shipment one wins", async () => {
      const id = await packed()
      const [onHand = 0] = await levelOf(host.acme, sku)
      const answers = await Promise.all(Array.from({ length: 10 }, () => acme.dispatch(id)))
      deepStrictEqual(answers.sort(), [...Array.from({ length: 9 }, () => "D400"), "ok"])
      strictEqual((await levelOf(host.acme, sku))[0], onHand - 1)
    })
  })

  describe("the order read", () => {
    const read = async (query: string, api: Client = host.acme) => {
      const answer = await api.call<ReadonlyArray<Seen> & Problem>("GET", `${shipment}?${query}`)
      return {
        ids: Array.isArray(answer.body) ? answer.body.map(({ id }) => id) : `${answer.status} ${answer.body.code}`,
        total: answer.headers["x-total-count"]
      }
    }

    it("by id needs nothing else, and finds nothing of other sellers", async () => {
      const id = await placed([line(sku)], { location_id: "BOM1" })
      deepStrictEqual(await read(`orderId=${id}`), { ids: [id], total: "1" })
      strictEqual((await read(`orderId=${id}`, host.globex)).ids, "404 NOT_FOUND")
      strictEqual((await read(`orderId=${id}`, host.blr1)).ids, "404 NOT_FOUND")
      strictEqual((await read("orderId=1")).ids, "404 NOT_FOUND")
      deepStrictEqual((await read(`orderId=${id}&locationCode=BLR1`)).ids, [id])
    })

    it("of a list needs a status, and with a company-level token a location", async () => {
      strictEqual((await read("locationCode=BLR1")).ids, "400 VALIDATION_FAILED")
      strictEqual((await read("orderStatus=CREATED")).ids, "400 VALIDATION_FAILED")
      strictEqual((await read("orderStatus=created&locationCode=BLR1")).ids, "400 VALIDATION_FAILED")
      assertTrue(Array.isArray((await read("orderStatus=CREATED", host.blr1)).ids))
      assertTrue(Array.isArray((await read("orderStatus=CREATED&locationCode=BLR1", host.blr1)).ids))
    })

    it("of an unknown location and of another company's is the same 400; of another own location it is 403", async () => {
      strictEqual((await read("orderStatus=CREATED&locationCode=NO")).ids, "400 UNKNOWN_LOCATION")
      strictEqual((await read("orderStatus=CREATED&locationCode=DEL1")).ids, "400 UNKNOWN_LOCATION")
      strictEqual((await read("orderStatus=CREATED&locationCode=BOM1", host.blr1)).ids, "403 FORBIDDEN")
      strictEqual((await read("orderStatus=CREATED&locationCode=DEL1", host.blr1)).ids, "403 FORBIDDEN")
    })

    it("is newest first, in pages, with the total in a header", async () => {
      const days = ["2023-03-02", "2023-03-01", "2023-03-03", "2023-03-04", "2023-03-05"]
      const ids = new Map<string, string>()
      for (const day of days) ids.set(day, await placed([line(sku)], {}, { order_date: `${day}T12:00:00Z` }))
      const newest = [...days].sort().reverse()
      const wanted = newest.map((day) => ids.get(day) ?? "")
      const range = "orderStatus=CREATED&locationCode=BLR1&orderDateFrom=01-03-2023&orderDateTo=05-03-2023"
      deepStrictEqual(await read(range), { ids: wanted, total: "5" })
      deepStrictEqual(await read(`${range}&pageSize=2`), { ids: wanted.slice(0, 2), total: "5" })
      deepStrictEqual(await read(`${range}&pageSize=2&pageNumber=3`), { ids: wanted.slice(4), total: "5" })
      deepStrictEqual(await read(`${range}&pageNumber=9`), { ids: [], total: "5" })
    })

    it("takes dates as whole days in UTC, both ends included", async () => {
      const first = await placed([line(sku)], {}, { order_date: "2022-05-01T00:00:00Z" })
      const last = await placed([line(sku)], {}, { order_date: "2022-05-02T23:59:59.999Z" })
      const range = (from: string, to: string) =>
        read(`orderStatus=CREATED&locationCode=BLR1&orderDateFrom=${from}&orderDateTo=${to}`).then(({ ids }) => ids)
      deepStrictEqual(await range("01-05-2022", "02-05-2022"), [last, first])
      deepStrictEqual(await range("01-05-2022", "01-05-2022"), [first])
      deepStrictEqual(await range("02-05-2022", "02-05-2022"), [last])
      deepStrictEqual(await range("03-05-2022", "04-05-2022"), [])
      for (const day of ["2022-05-01", "31-02-2022", "1-5-2022", "32-01-2022", "00-01-2022", "01-13-2022", "x"])
        strictEqual(await range(day, "02-05-2022"), "400 VALIDATION_FAILED", day)
    })

    it("takes page sizes from 1 to 100", async () => {
      for (const query of ["pageSize=0", "pageSize=101", "pageNumber=0", "pageSize=x"])
        strictEqual((await read(`orderStatus=CREATED&locationCode=BLR1&${query}`)).ids, "400 VALIDATION_FAILED", query)
      assertTrue(Array.isArray((await read("orderStatus=CREATED&locationCode=BLR1&pageSize=100")).ids))
    })

    it("filters by channel and status", async () => {
      const id = await placed([line(sku)], {}, { order_date: "2021-01-01T00:00:00Z" })
      const of = async (more: string) => (await read(`locationCode=BLR1&orderDateTo=01-01-2021&${more}`)).ids
      deepStrictEqual(await of("orderStatus=CREATED&orderingChannel=bazaar"), [id])
      deepStrictEqual(await of("orderStatus=CREATED&orderingChannel=souk"), [])
      deepStrictEqual(await of("orderStatus=CONFIRMED"), [])
      await all(() => acme.confirm(id))
      deepStrictEqual(await of("orderStatus=CONFIRMED"), [id])
      deepStrictEqual(await of("orderStatus=CREATED"), [])
    })

    it("shows the documented fields", async () => {
      const placedOrder = order(
        [
          shipmentOf(
            [line(sku, 2, { external_line_id: "L1", discount: 10, delivery_charge: 5, tax: { rate: 12, amount: 20 } })],
            {
              delivery: { pack_by: "2030-01-02T00:00:00Z" }
            }
          )
        ],
        { payment: { mode: "COD" }, tax_info: { gstin: "29ABCDE1234F1Z5" }, order_date: "2024-01-01T00:00:00Z" }
      )
      const { shipments } = await place(host.bazaar, placedOrder)
      const one = await seen(host.acme, shipments[0]?.shipment_id ?? "")
      deepStrictEqual(
        {
          forwardId: one.forwardId,
          marketplaceOrderId: one.marketplaceOrderId,
          marketplaceReturnId: one.marketplaceReturnId,
          orderDate: one.orderDate,
          packByDate: one.packByDate,
          paymentType: one.paymentType,
          orderBusinessType: one.orderBusinessType,
          gstin: one.gstin,
          journeyType: one.journeyType,
          fulfillmentType: one.fulfillmentType,
          orderingChannel: one.orderingChannel,
          lockStatus: one.lockStatus,
          channel_shipment_id: one.channel_shipment_id,
          invoiceNumber: one.invoiceNumber
        },
        {
          forwardId: one.id,
          marketplaceOrderId: placedOrder.external_order_id,
          marketplaceReturnId: null,
          orderDate: "2024-01-01T00:00:00.000Z",
          packByDate: "2030-01-02T00:00:00.000Z",
          paymentType: "COD",
          orderBusinessType: "B2B",
          gstin: "29ABCDE1234F1Z5",
          journeyType: "forward",
          fulfillmentType: "sellerFulfilled",
          orderingChannel: "bazaar",
          lockStatus: false,
          channel_shipment_id: "S1",
          invoiceNumber: null
        }
      )
      strictEqual(one.sla, "2024-01-02T00:00:00.000Z", "24 handling hours")
      const [item] = one.orderItems as ReadonlyArray<(typeof one.orderItems)[number] & Record<string, unknown>>
      deepStrictEqual(
        [item?.external_line_id, item?.sku, item?.quantity, item?.cancelledQuantity, item?.qc],
        ["L1", sku, 2, 0, undefined]
      )
      strictEqual((item?.orderItemPrice as { totalPrice: number } | undefined)?.totalPrice, 195)
      const prepaid = await seen(host.acme, await placed())
      deepStrictEqual([prepaid.paymentType, prepaid.orderBusinessType], ["Prepaid", "B2C"])
    })
  })
})
