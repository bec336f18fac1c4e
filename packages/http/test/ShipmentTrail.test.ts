import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { beforeAll } from "vitest"
import { useHost } from "./TestHost.ts"
import { levelOf, line, marketplace, order, place, seen, seller, setStock, shipment, shipmentOf } from "./TestOrders.ts"
import { codes, done, product, settled, size, write } from "./TestProducts.ts"

interface Doc {
  readonly entity: { readonly id: string; readonly action: string; readonly ids?: ReadonlyArray<string> }
  readonly logs: {
    readonly request: unknown
    readonly after: ReadonlyArray<ReadonlyArray<unknown>>
    readonly faults?: unknown
  }
}

const sku = "85123A"

describe("the audit trail of shipments", () => {
  const host = useHost()
  beforeAll(async () => {
    await setStock(host.acme, 100, [sku])
  })

  const placed = async (units: number): Promise<string> => {
    const { shipments } = await place(host.bazaar, order([shipmentOf([line(sku, units)])]))
    return shipments[0]?.shipment_id ?? ""
  }

  const itemOf = async (id: string): Promise<string> => (await seen(host.acme, id)).orderItems[0]?.orderItemId ?? ""

  const found = async (id: string, action: string): Promise<ReadonlyArray<Doc>> => {
    const query = encodeURIComponent(`entity.type:shipment entity.id:${id} entity.action:${action}`)
    const path = `/service/platform/audit-trail/v1.0/company/1/logs?qs=${query}`
    return (await host.ops.call<{ docs: ReadonlyArray<Doc> }>("GET", path)).body.docs
  }

  it("a bulk's one record is found under every shipment that it changed, and under none that it rejected", async () => {
    const ids = [await placed(1), await placed(1), await placed(1)]
    const rejected = await placed(1)
    const items = await Promise.all(ids.map(itemOf))
    const confirm = ids.map((orderId, at) => ({ orderId, orderItems: [{ orderItemId: items[at], quantity: 1 }] }))
    const wrong = { orderId: rejected, orderItems: [{ orderItemId: "none", quantity: 1 }] }
    await host.acme.call("POST", `${shipment}/confirm`, [wrong, ...confirm])
    for (const id of ids) {
      const [record, ...others] = await found(id, "confirm")
      strictEqual(others.length, 0)
      deepStrictEqual(record?.entity.ids, ids)
    }
    deepStrictEqual(await found(rejected, "confirm"), [])
    const [record] = await found(ids[0] ?? "", "confirm")
    deepStrictEqual(
      (record?.logs.request as ReadonlyArray<unknown> | undefined)?.[0],
      [rejected],
      "and keeps nothing of what it asked"
    )
  })

  it("the record of a cancellation has the units, the reasons and the shipment that they became", async () => {
    const id = await placed(3)
    const orderItemId = await itemOf(id)
    strictEqual(await seller(host.acme).cancel(id, [{ orderItemId, quantity: 2, reasonCode: "4" }]), "ok")
    const [record] = await found(id, "cancel")
    const [, part] = record?.entity.ids ?? []
    deepStrictEqual(record?.logs.request, [
      [id, { _tag: "Cancel", items: [{ itemId: orderItemId, quantity: 2, reasonCode: "4" }] }]
    ])
    deepStrictEqual(record?.logs.after, [
      [id, "placed", { cancelled: part, status: "cancelled_seller", items: [{ itemId: orderItemId, quantity: 2 }] }],
      [part, "cancelled_seller"]
    ])
    strictEqual((await found(part ?? "", "cancel")).length, 1)
  })

  it("two moves of one shipment in one bulk are in its record in order", async () => {
    const id = await placed(1)
    const acme = seller(host.acme)
    for (const step of [acme.confirm, acme.invoice, acme.pack]) strictEqual(await step(id), "ok")
    const statuses = ["bag_picked", "out_for_delivery"]
    await host.acme.call(
      "PUT",
      `${shipment}/status`,
      statuses.map((orderStatus) => ({ orderId: id, orderStatus }))
    )
    const [record] = await found(id, "status")
    deepStrictEqual(record?.logs.after, [
      [id, "out_for_delivery", { moved: "bag_picked" }, { moved: "out_for_delivery" }]
    ])
  })

  it("the record of an invoice has its number, IRN and serial numbers, but not the signed text, which names the buyer", async () => {
    const id = await placed(2)
    const orderItemId = await itemOf(id)
    const acme = seller(host.acme)
    strictEqual(await acme.confirm(id), "ok")
    const texts = { irnNumber: "IRN-1", signedInvoice: "NAMES-THE-BUYER", invoiceQrCode: "NAMES-THE-BUYER" }
    const orderItems = [{ orderItemId, quantity: 2, imeiSerialNumber: ["356938035643809"] }]
    strictEqual(await acme.invoice(id, `INV-${id}`, { ...texts, orderItems }), "ok")
    const [record] = await found(id, "invoiceUpdate")
    const text = JSON.stringify(record)
    for (const part of [`INV-${id}`, "IRN-1", "356938035643809"]) assertTrue(text.includes(part), part)
    assertTrue(!text.includes("NAMES-THE-BUYER"))
  })

  it("units that come back for a deleted SKU are recorded as a fault, since no stock can take them", async () => {
    const [acme, bazaar] = [seller(host.acme), marketplace(host.bazaar)]
    await done(host.acme, "POST", [product("DROPPED")])
    await setStock(host.acme, 5, ["DROPPED-M"])
    const { shipments } = await place(host.bazaar, order([shipmentOf([line("DROPPED-M", 2)])]))
    const id = shipments[0]?.shipment_id ?? ""
    for (const step of [acme.confirm, acme.invoice, acme.pack, acme.dispatch]) strictEqual(await step(id), "ok")
    strictEqual(await acme.status(id, "delivery_done"), "ok")
    await done(host.acme, "DELETE", [{ item_code: "DROPPED" }])
    strictEqual(await bazaar.status(id, "return_initiated"), "ok")
    const [returned = ""] = (await found(id, "status")).flatMap(({ entity }) =>
      (entity.ids ?? []).filter((one) => one !== id)
    )
    for (const status of ["return_bag_in_transit", "return_bag_delivered"]) {
      strictEqual(await acme.status(returned, status), "ok")
    }
    strictEqual(await acme.qualityCheck(returned), "ok")
    const [record] = await found(returned, "return")
    deepStrictEqual(record?.logs.faults, [
      { code: "SKU_GONE", sku: "DROPPED-M", location: "BLR1", shipmentId: returned, kind: "restock", units: 2 }
    ])
  })

  /** Three units are delivered, `meanwhile` happens, and all of them come back: one of them bad. Returns the return's id. */
  const backAfter = async (code: string, meanwhile: () => Promise<unknown>) => {
    const [acme, bazaar] = [seller(host.acme), marketplace(host.bazaar)]
    await done(host.acme, "POST", [product(code)])
    await setStock(host.acme, 9, [`${code}-M`])
    const { shipments } = await place(host.bazaar, order([shipmentOf([line(`${code}-M`, 3)])]))
    const id = shipments[0]?.shipment_id ?? ""
    for (const step of [acme.confirm, acme.invoice, acme.pack, acme.dispatch]) strictEqual(await step(id), "ok")
    strictEqual(await acme.status(id, "delivery_done"), "ok")
    await meanwhile()
    strictEqual(await bazaar.status(id, "return_initiated"), "ok")
    const [returned = ""] = (await found(id, "status")).flatMap(({ entity }) =>
      (entity.ids ?? []).filter((one) => one !== id)
    )
    for (const status of ["return_bag_in_transit", "return_bag_delivered"]) {
      strictEqual(await acme.status(returned, status), "ok")
    }
    const orderItemId = await itemOf(returned)
    const items = [
      { orderItemId, quantity: 2 },
      { orderItemId, quantity: 1, badQc: true }
    ]
    strictEqual(await acme.qualityCheck(returned, { orderItems: items }), "ok")
    return returned
  }

  it("units that come back after their SKU was made again go into no stock, since it is of another product", async () => {
    const returned = await backAfter("AGAIN", async () => {
      await done(host.acme, "DELETE", [{ item_code: "AGAIN" }])
      await done(host.acme, "POST", [product("OTHER", { sizes: [size("AGAIN-M")] })])
      await setStock(host.acme, 5, ["AGAIN-M"])
    })
    deepStrictEqual(await levelOf(host.acme, "AGAIN-M"), [5, 0, 0])
    const fault = { code: "SKU_GONE", sku: "AGAIN-M", location: "BLR1", shipmentId: returned }
    deepStrictEqual((await found(returned, "return"))[0]?.logs.faults, [
      { ...fault, kind: "restock", units: 2 },
      { ...fault, kind: "unsellable", units: 1 }
    ])
  })

  it("what comes back above the maximum is a fault, and every list can still be read", async () => {
    const maximum = 1_000_000_000
    const returned = await backAfter("FULL", () => setStock(host.acme, maximum - 1, ["FULL-M"]))
    deepStrictEqual(await levelOf(host.acme, "FULL-M"), [maximum, 0, 1])
    deepStrictEqual((await found(returned, "return"))[0]?.logs.faults, [
      { code: "STOCK_FULL", sku: "FULL-M", location: "BLR1", shipmentId: returned, kind: "restock", units: 1 }
    ])
    for (const path of ["/ims/v3/listings", "/ims/v3/listings/count", `${shipment}?orderId=${returned}`]) {
      strictEqual((await host.acme.call("GET", path)).status, 200, path)
    }
  })

  it("a product can't be deleted while one of its returned units is awaiting its quality check", async () => {
    const [acme, bazaar] = [seller(host.acme), marketplace(host.bazaar)]
    await done(host.acme, "POST", [product("BACK")])
    await setStock(host.acme, 5, ["BACK-M"])
    const { shipments } = await place(host.bazaar, order([shipmentOf([line("BACK-M", 2)])]))
    const id = shipments[0]?.shipment_id ?? ""
    for (const step of [acme.confirm, acme.invoice, acme.pack, acme.dispatch]) strictEqual(await step(id), "ok")
    strictEqual(await acme.status(id, "delivery_done"), "ok")
    strictEqual(await bazaar.status(id, "return_initiated"), "ok")
    const [returned = ""] = (await found(id, "status")).flatMap(({ entity }) =>
      (entity.ids ?? []).filter((one) => one !== id)
    )
    for (const status of ["return_bag_in_transit", "return_bag_delivered"]) {
      strictEqual(await acme.status(returned, status), "ok")
    }
    const rejected = await settled(host.acme, await write(host.acme, "DELETE", [{ item_code: "BACK" }]))
    deepStrictEqual(codes(rejected.errors), ["0 OPEN_SHIPMENTS /products/0"])
    strictEqual(await acme.qualityCheck(returned), "ok")
    deepStrictEqual(await levelOf(host.acme, "BACK-M"), [5, 0, 0])
    await done(host.acme, "DELETE", [{ item_code: "BACK" }])
  })
})
