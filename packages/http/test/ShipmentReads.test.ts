import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { beforeAll } from "vitest"
import { type Client, useHost } from "./TestHost.ts"
import {
  line,
  marketplace,
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

const sku = "85123A"
const unknown = "0".repeat(20)

interface Tracked extends Problem {
  readonly status: string
  readonly data: Readonly<Record<string, unknown>> & {
    readonly events: ReadonlyArray<Readonly<Record<string, string | null>>>
  }
}

describe("info, courier details and tracking", () => {
  const host = useHost()
  let acme: ReturnType<typeof seller>
  let bazaar: ReturnType<typeof marketplace>

  beforeAll(async () => {
    acme = seller(host.acme)
    bazaar = marketplace(host.bazaar)
    await setStock(host.acme, 10_000, [sku])
    await setStock(host.acme, 10_000, [sku], "BOM1")
  })

  const placed = async (more: object = {}, whole: object = {}) => {
    const { shipments } = await place(host.bazaar, order([shipmentOf([line(sku)], more)], whole))
    return shipments[0]?.shipment_id ?? ""
  }

  const all = async (...steps: ReadonlyArray<() => Promise<string>>) => {
    for (const [nth, step] of steps.entries()) strictEqual(await step(), "ok", `step ${nth}`)
  }

  const packed = async (more: object = {}) => {
    const id = await placed(more)
    await all(
      () => acme.confirm(id),
      () => acme.invoice(id),
      () => acme.pack(id)
    )
    return id
  }

  describe("info", () => {
    const info = async (query: string, api: Client = host.acme) => {
      const answer = await api.call<Problem & { orders: ReadonlyArray<Seen> }>("GET", `${shipment}/info?${query}`)
      return {
        ids: answer.status === 200 ? answer.body.orders.map(({ id }) => id) : `${answer.status} ${answer.body.code}`,
        orders: answer.body.orders,
        total: answer.headers["x-total-count"]
      }
    }

    it("by id shows a shipment as the order read does, with its order type", async () => {
      const id = await placed({}, { tax_info: { gstin: "29ABCDE1234F1Z5" } })
      const { orders } = await info(`orderId=${id}`)
      deepStrictEqual(orders, [{ ...(await seen(host.acme, id)), orderType: "B2B" }])
      for (const more of [{}, { tax_info: {} }, { tax_info: { gstin: null } }, { tax_info: { gstin: " " } }]) {
        const [order] = (await info(`orderId=${await placed({}, more)}`)).orders
        deepStrictEqual([order?.orderType, (order as { gstin?: unknown } | undefined)?.gstin], ["B2C", null])
      }
    })

    it("finds nothing that the order read would not, and needs one of its two keys", async () => {
      const id = await placed({ location_id: "BOM1" })
      strictEqual((await info(`orderId=${id}`, host.globex)).ids, "404 NOT_FOUND")
      strictEqual((await info(`orderId=${id}`, host.blr1)).ids, "404 NOT_FOUND")
      strictEqual((await info(`orderId=${unknown}`)).ids, "404 NOT_FOUND")
      strictEqual((await info("")).ids, "400 VALIDATION_FAILED")
      strictEqual((await info("orderStatus=NEW")).ids, "400 VALIDATION_FAILED")
      strictEqual((await info("orderStatus=CREATED&pageSize=101")).ids, "400 VALIDATION_FAILED")
    })

    it("by id ignores its other filters, so that no move makes the caller lose it, and by status it filters", async () => {
      const id = await placed({ location_id: "BOM1" })
      const others =
        "orderStatus=DELIVERED&orderingChannel=souk&orderDateFrom=02-01-2020&orderDateTo=01-01-2020&pageNumber=9"
      deepStrictEqual((await info(`orderId=${id}&locationCode=BLR1&${others}`)).ids, [id])
      const list = await host.acme.call<ReadonlyArray<Seen>>("GET", `${shipment}?orderId=${id}&${others}`)
      deepStrictEqual([list.body.map((one) => one.id), list.headers["x-total-count"]], [[id], "1"])
      const read = async (query: string, api: Client = host.acme) => {
        const { body, status } = await api.call<Problem>("GET", `${shipment}?orderId=${id}&${query}`)
        return `${status} ${body.code}`
      }
      strictEqual(await read("locationCode=NOWHERE"), "400 UNKNOWN_LOCATION")
      strictEqual(await read("locationCode=DEL1"), "400 UNKNOWN_LOCATION")
      strictEqual(await read("locationCode=BOM1", host.blr1), "403 FORBIDDEN")
      strictEqual(await read("locationCode=BLR1", host.blr1), "404 NOT_FOUND", "it is BOM1's")
      strictEqual((await info("orderStatus=CREATED&locationCode=BLR1&pageSize=100")).ids.includes(id), false)
      strictEqual((await info("orderStatus=CREATED&locationCode=BOM1&pageSize=100")).ids.includes(id), true)
    })

    it("a list from a day after its last day is rejected", async () => {
      const days = "orderDateFrom=02-01-2026&orderDateTo=01-01-2026"
      strictEqual((await info(`orderStatus=CREATED&${days}`)).ids, "400 VALIDATION_FAILED")
      const { body } = await host.acme.call<Problem>("GET", `${shipment}?orderStatus=CREATED&locationCode=BLR1&${days}`)
      deepStrictEqual([body.code, body.errors?.[0]?.path], ["VALIDATION_FAILED", "/orderDateFrom"])
    })

    it("by status needs no location and lists all that the token may see, newest first, in pages", async () => {
      const [first, second] = [await packed({ location_id: "BOM1" }), await packed()]
      const { ids, total } = await info("orderStatus=COMPLETED&pageSize=2")
      deepStrictEqual([ids, total], [[second, first], "2"])
      deepStrictEqual((await info("orderStatus=COMPLETED&pageSize=1&pageNumber=2")).ids, [first])
      deepStrictEqual(await info("orderStatus=COMPLETED", host.blr1).then((one) => [one.ids, one.total]), [
        [second],
        "1"
      ])
      deepStrictEqual((await info("orderStatus=COMPLETED", host.globex)).ids, [])
    })
  })

  describe("courier details", () => {
    const details = async (records: unknown, api: Client = host.acme) =>
      api.call<ReadonlyArray<Readonly<Record<string, unknown>>> & Problem>(
        "POST",
        `${shipment}/courierDetails`,
        records
      )

    it("answer each record in its place, with C404 for the unknown ones", async () => {
      const id = await packed()
      await all(() => acme.awb(id, `CD-${id}`))
      const bare = await placed()
      const { body, status } = await details([{ orderId: unknown }, { orderId: id }, {}, { orderId: bare }])
      strictEqual(status, 200)
      deepStrictEqual(body[1], {
        courierName: "BlueDart",
        courierCode: "BlueDart",
        awbNumber: [`CD-${id}`],
        additionalInfo: "",
        orderId: id
      })
      deepStrictEqual([body[0]?.orderId, body[0]?.code], [unknown, "C404"])
      strictEqual(body[2]?.code, "INVALID_RECORD")
      deepStrictEqual([body[3]?.courierName, body[3]?.awbNumber, body.length], [null, [], 4])
    })

    it("of another company or location read like unknown ones", async () => {
      const id = await packed({ location_id: "BOM1" })
      for (const api of [host.globex, host.blr1]) {
        const [entry] = (await details([{ orderId: id }], api)).body
        deepStrictEqual(entry, {
          orderId: id,
          code: "C404",
          message: `You have no shipment ${id}. Send a shipment_id of the answer to an order. GET /oms/v3/shipment/info?orderStatus=CREATED, or a later status, lists them.`
        })
      }
    })

    it("take 1 to 20 records, whatever their Idempotency-Key says", async () => {
      const { body } = await details(Array.from({ length: 21 }, () => ({ orderId: unknown })))
      deepStrictEqual([body.code, (await details([])).body.code], ["TOO_MANY_RECORDS", "EMPTY_REQUEST"])
      strictEqual((await details({})).body.code, "VALIDATION_FAILED")
      const id = await packed()
      const ask = () =>
        host.acme.call<ReadonlyArray<{ courierName: string }>>(
          "POST",
          `${shipment}/courierDetails`,
          [{ orderId: id }],
          { "idempotency-key": "courier" }
        )
      strictEqual((await ask()).body[0]?.courierName, null)
      await all(() => acme.awb(id, `IK-${id}`))
      strictEqual((await ask()).body[0]?.courierName, "BlueDart")
    })
  })

  describe("tracking", () => {
    const track = async (body: unknown, api: Client = host.acme) => {
      const answer = await api.call<Tracked>("POST", `${shipment}/track`, body)
      return { ...answer.body, http: answer.status }
    }

    it("shows where a shipment is and was, oldest first, with the meta of each status", async () => {
      const id = await packed({ delivery: { deliver_by: "2030-01-09T00:00:00Z" } })
      await all(() => acme.awb(id, `TR-${id}`))
      strictEqual((await track({ shipment_id: id })).data.promised_delivery_date, "2030-01-09T00:00:00.000Z")
      const other = await packed({ delivery: { deliver_by: "2030-01-09T00:00:00Z" } })
      await all(() => acme.status(other, "bag_picked", { estimated_delivery_date: " ", promised_delivery_date: "" }))
      const { eta, promised_delivery_date } = (await track({ shipment_id: other })).data
      deepStrictEqual([eta, promised_delivery_date], [null, "2030-01-09T00:00:00.000Z"])
      await all(
        () => acme.status(id, "bag_picked", { dpLocation: "12.9,77.5", estimated_delivery_date: "2030-01-05" }),
        () => acme.status(id, "out_for_delivery", { remark: "van 4", promised_delivery_date: "2030-01-06" })
      )
      const { data, http, status } = await track({ shipment_id: id })
      deepStrictEqual([http, status], [200, "SUCCESS"])
      const { events, last_updated, ...rest } = data
      deepStrictEqual(rest, {
        courier: "BlueDart",
        current_status: "TRANSIT",
        eta: "2030-01-05",
        promised_delivery_date: "2030-01-06",
        tracking_url: null,
        location: "12.9,77.5",
        shipment_id: id,
        awb_number: `TR-${id}`,
        operational_status: "out_for_delivery",
        journey: "forward",
        meta: {
          forward_id: id,
          marketplace_order_id: (await seen(host.acme, id)).marketplaceOrderId,
          marketplace_return_id: null,
          courier_code: "BlueDart"
        }
      })
      deepStrictEqual(
        events.map((event) => event.status),
        ["placed", "bag_confirmed", "bag_invoiced", "dp_assigned", "bag_packed", "bag_picked", "out_for_delivery"]
      )
      deepStrictEqual(events.at(-1), {
        status: "out_for_delivery",
        timestamp: String(last_updated),
        location: null,
        remark: "van 4"
      })
      assertTrue(events.every(({ timestamp }, i) => (timestamp ?? "") >= (events[i - 1]?.timestamp ?? "")))
    })

    it("uses the shipment's id if both keys are given, and also works by the AWB alone", async () => {
      const [one, other] = [await packed(), await packed()]
      await all(
        () => acme.awb(one, `A-${one}`),
        () => acme.awb(other, `A-${other}`)
      )
      const idOf = async (body: unknown) => (await track(body)).data.shipment_id
      strictEqual(await idOf({ awb_number: `A-${one}` }), one)
      strictEqual(await idOf({ shipment_id: other, awb_number: `A-${one}` }), other)
      strictEqual(await idOf({ shipment_id: "", awb_number: `A-${one}` }), one)
    })

    it("finds the open shipment of a reused AWB", async () => {
      const [old, now] = [await packed(), await packed()]
      await all(
        () => acme.awb(old, `RE-${old}`, true),
        () => acme.status(old, "delivery_done"),
        () => acme.awb(now, `RE-${old}`)
      )
      strictEqual((await track({ awb_number: `RE-${old}` })).data.shipment_id, now)
    })

    it("follows a return on its own journey", async () => {
      const id = await packed()
      await all(
        () => acme.dispatch(id),
        () => acme.status(id, "delivery_done"),
        () => bazaar.status(id, "return_initiated", { meta: { return_id: `R-${id}` } })
      )
      const { body } = await host.acme.call<{ orders: ReadonlyArray<Seen> }>(
        "GET",
        `${shipment}/info?orderStatus=RETURN_PROCESSING`
      )
      const { data } = await track({ shipment_id: body.orders.find(({ forwardId }) => forwardId === id)?.id })
      deepStrictEqual([data.journey, data.operational_status], ["return", "return_dp_assigned"])
    })

    it("needs a key, and finds nothing of other sellers", async () => {
      const id = await packed({ location_id: "BOM1" })
      await all(() => acme.awb(id, `NO-${id}`))
      for (const body of [
        undefined,
        {},
        { shipment_id: null },
        { shipment_id: "", awb_number: "" },
        { shipment_id: 1 }
      ]) {
        const { code, http } = await track(body)
        deepStrictEqual([http, code], [400, "VALIDATION_FAILED"], JSON.stringify(body))
      }
      for (const body of [{ shipment_id: id }, { awb_number: `NO-${id}` }]) {
        for (const api of [host.globex, host.blr1]) {
          const { code, http } = await track(body, api)
          deepStrictEqual([http, code], [404, "NOT_FOUND"])
        }
      }
      strictEqual((await track({ awb_number: "none" })).http, 404)
    })
  })
})
