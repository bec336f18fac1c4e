/**
 * Where errors point: a JSON Pointer to the very field that is wrong.
 */
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { beforeAll } from "vitest"
import { useHost } from "./TestHost.ts"
import {
  line,
  marketplace,
  order,
  type Problem,
  place,
  seen,
  seller,
  setStock,
  shipment,
  shipmentOf
} from "./TestOrders.ts"

const sku = "85123A"

interface Answer extends Problem {
  readonly data?: Problem
}

describe("an error points to", () => {
  const host = useHost()
  let acme: ReturnType<typeof seller>
  let bazaar: ReturnType<typeof marketplace>

  beforeAll(async () => {
    acme = seller(host.acme)
    bazaar = marketplace(host.bazaar)
    await setStock(host.acme, 1_000, [sku])
  })

  const placed = async () => {
    const one = order([shipmentOf([line(sku, 4, { external_line_id: "L1" })])])
    return (await place(host.bazaar, one)).shipments[0]?.shipment_id ?? ""
  }

  const packed = async () => {
    const id = await placed()
    for (const step of [acme.confirm, acme.invoice, acme.pack]) strictEqual(await step(id), "ok")
    return id
  }

  const itemOf = async (id: string) => (await seen(host.acme, id)).orderItems[0]?.orderItemId ?? ""

  const fault = async (method: "POST" | "PUT", path: string, body: unknown, api = host.acme) => {
    const answer = await api.call<Answer>(method, path, body)
    const [first] = (answer.body.data ?? answer.body).errors ?? []
    return `${first?.code} ${first?.path}`
  }

  const marketplaceStatus = (order_id: string, status: string, meta?: object) =>
    fault("PUT", "/order/api/v1/bazaar/status", [{ order_id, isSelfShip: true, status, meta }], host.bazaar)

  it("the portion of an item that names too many units, also when the item is named twice", async () => {
    const id = await placed()
    const orderItemId = await itemOf(id)
    const cancel = (...quantities: ReadonlyArray<number>) =>
      fault("POST", `${shipment}/cancel`, [
        { orderId: id, orderItems: quantities.map((quantity) => ({ orderItemId, quantity })) }
      ])
    strictEqual(await cancel(1, 9), "X409 /0/orderItems/1/quantity")
    strictEqual(await cancel(9, 1), "X409 /0/orderItems/0/quantity")
    strictEqual(await cancel(3, 3), "X409 /0/orderItems/1/quantity")
  })

  it("the line that is returned too often, by whichever of its two names it is named", async () => {
    const id = await packed()
    const orderItemId = await itemOf(id)
    strictEqual(await acme.dispatch(id), "ok")
    strictEqual(await acme.status(id, "delivery_done"), "ok")
    const back = (...items: ReadonlyArray<object>) => marketplaceStatus(id, "return_initiated", { items })
    const [byLine, byId] = [{ external_line_id: "L1" }, { orderItemId }]
    strictEqual(await back({ ...byLine, quantity: 1 }, { ...byId, quantity: 9 }), "S409 /0/meta/items/1/quantity")
    strictEqual(await back({ ...byLine, quantity: 9 }, { ...byId, quantity: 1 }), "S409 /0/meta/items/0/quantity")
    strictEqual(await bazaar.status(id, "return_initiated"), "ok")
  })

  it("a list of items that is empty", async () => {
    const id = await packed()
    const none = [{ orderId: id, orderItems: [] }]
    for (const operation of ["confirm", "cancel", "dispatch", "return"]) {
      strictEqual(await fault("POST", `${shipment}/${operation}`, none), "INVALID_RECORD /0/orderItems", operation)
    }
  })

  it("the status that can't be set, the invoice number and the AWB that are in use", async () => {
    const [id, other] = [await packed(), await packed()]
    for (const orderStatus of ["nowhere", "delivery_done", "placed", "cancelled_customer"]) {
      const sent = [{ orderId: id, orderStatus }]
      strictEqual(await fault("PUT", `${shipment}/status`, sent), "S400 /0/orderStatus", orderStatus)
    }
    strictEqual(await marketplaceStatus(id, "nowhere"), "S400 /0/status")
    const awb = (orderId: string) =>
      fault("PUT", `${shipment}/awb`, [{ orderId, awbNumber: "AWB-1", courierName: "Swift", autoDispatch: false }])
    strictEqual(await awb(id), "undefined undefined")
    strictEqual(await awb(other), "A409 /0/awbNumber")
    const last = await placed()
    strictEqual(await acme.confirm(last), "ok")
    const { invoiceNumber } = await seen(host.acme, id)
    const invoice = [{ orderId: last, invoiceNumber, invoiceType: "sale" }]
    strictEqual(await fault("POST", `${shipment}/invoiceUpdate`, invoice), "IN422 /0/invoiceNumber")
  })

  it("the locationCode that is unknown, and an Idempotency-Key that is too long", async () => {
    const read = await host.acme.call<Problem>("GET", `${shipment}?orderStatus=CREATED&locationCode=NOWHERE`)
    deepStrictEqual(
      read.body.errors?.map(({ code, path }) => [code, path]),
      [["UNKNOWN_LOCATION", "/locationCode"]]
    )
    const key = { "idempotency-key": "k".repeat(256) }
    const write = await host.acme.call<Problem>("PUT", "/ims/v3/inventory", [{}], key)
    deepStrictEqual(
      [write.status, ...(write.body.errors ?? []).map(({ code, path }) => [code, path])],
      [400, ["OUT_OF_RANGE", "/Idempotency-Key"]]
    )
  })

  it("an amount of an order, or the order as a whole, in one sentence", async () => {
    const rejected = async (esp: number) => {
      const sent = order([shipmentOf([{ ...line(sku), esp }])])
      return (await host.bazaar.call<Problem>("POST", "/order/api/v1/bazaar/create", sent)).body.message
    }
    strictEqual(await rejected(-1), "/shipments/0/lines/0/esp: Must not be negative.")
    strictEqual(
      await rejected(90_071_992_547_409.9),
      "The request: The order's total before discounts has more than 15 digits. Split the order."
    )
  })
})
