import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import Database from "better-sqlite3"
import { useHost } from "../../../lab/system-tests/test/TestHost.ts"
import { temporaryFolder } from "../../http/test/TemporaryFolder.ts"
import { line, marketplace, order, place, seen, seller, setStock, shipmentOf } from "../../http/test/TestOrders.ts"
import * as InProcess from "./InProcess.ts"

describe("the personal data of an order", () => {
  const databaseUrl = `sqlite:${join(temporaryFolder(), "erasures.db")}`
  const host = useHost(() => ({ databaseUrl }))
  const sku = "85123A"
  const orders = (...args: ReadonlyArray<string>) =>
    InProcess.run(["orders", ...args], { environment: { DATABASE_URL: databaseUrl } })
  const erase = (id: string) => orders("erase", "bazaar", id)

  it("is erased by the operator on the database of a running host, once its shipments are closed", async () => {
    await setStock(host.acme, 10, [sku])
    const placed = await place(host.bazaar, order([shipmentOf([line(sku)])]))
    const id = placed.platform_order_id
    const read = async () =>
      JSON.stringify((await host.bazaar.call("GET", `/order/api/v1/bazaar/order?platform_order_id=${id}`)).body)
    const early = await erase(id)
    strictEqual(early.code, 1)
    assertTrue(early.stderr.includes("are still open"), early.stderr)
    const before = await read()
    strictEqual(await seller(host.acme).cancel(placed.shipments[0]?.shipment_id ?? ""), "ok")
    const done = await erase(id)
    strictEqual(done.code, 0, done.stderr)
    assertTrue(before.includes("560001") && !(await read()).includes("560001"))
  })

  it("is erased from all orders of a person whose shipments are closed; the others are listed and can follow", async () => {
    const [email, phone] = ["Asha@Example.com", "+91 98765 43210"]
    const customer = { name: "Asha", email, phone }
    const [closed, open, other] = [
      await place(host.bazaar, order([shipmentOf([line(sku)])], { customer })),
      await place(host.bazaar, order([shipmentOf([line(sku)])], { customer: { ...customer, email: null } })),
      await place(host.bazaar, order([shipmentOf([line(sku)])]))
    ]
    strictEqual(await seller(host.acme).cancel(closed.shipments[0]?.shipment_id ?? ""), "ok")
    strictEqual(await seller(host.acme).cancel(other.shipments[0]?.shipment_id ?? ""), "ok")
    const byEmail = await orders("erase-person", "asha@example.com", "--json")
    deepStrictEqual([byEmail.code, JSON.parse(byEmail.stdout)], [0, { erased: [closed.platform_order_id], left: [] }])
    const byPhone = await orders("erase-person", "+919876543210", "--json")
    const { erased, left } = JSON.parse(byPhone.stdout)
    deepStrictEqual(
      [byPhone.code, erased, left.map((one: { order: string }) => one.order)],
      [1, [], [open.platform_order_id]]
    )
    strictEqual(await seller(host.acme).cancel(open.shipments[0]?.shipment_id ?? ""), "ok")
    strictEqual((await orders("erase-person", "+91-98765-43210")).code, 0)
    const exported = await orders("export", "--marketplace", "bazaar")
    const read = exported.stdout
      .trim()
      .split("\n")
      .map((text): { id: string; erasedAt?: number } => JSON.parse(text))
    const isErased = (id: string) => read.find((one) => one.id === id)?.erasedAt !== undefined
    const ids = [closed, open, other].map(({ platform_order_id }) => platform_order_id)
    deepStrictEqual(ids.map(isErased), [true, true, false])
  })

  it("is found by the digits of a telephone number, however it was written, and by no other number", async () => {
    const [own, other] = ["9123456780", "6123-4567"]
    const written = [
      `${own} (home)`,
      `Tel. ${own}`,
      `+91 ${own} ext. 5`,
      own.replaceAll(/./g, (one) => "०१२३४५६७८९"[+one] ?? "")
    ]
    const placed = async (phone: string) => {
      const customer = { name: "Asha", email: null, phone }
      const { platform_order_id, shipments } = await place(host.bazaar, order([shipmentOf([line(sku)])], { customer }))
      strictEqual(await seller(host.acme).cancel(shipments[0]?.shipment_id ?? ""), "ok")
      return platform_order_id
    }
    await setStock(host.acme, 10, [sku])
    const ids = []
    for (const phone of written) ids.push(await placed(phone))
    const short = await placed(other)
    const erased = async (asked: string) => JSON.parse((await orders("erase-person", asked, "--json")).stdout).erased
    deepStrictEqual((await erased(own)).sort(), ids.sort())
    deepStrictEqual(await erased("61234567"), [short])
  })

  it("leaves no free text anywhere, and when it is repeated none of what was written since", async () => {
    const canary = "Asha-at-the-blue-door"
    const placed = await place(
      host.bazaar,
      order([shipmentOf([line(sku)]), shipmentOf([line(sku)], { external_shipment_id: "S2" })])
    )
    const [id, ...ids] = [placed.platform_order_id, ...placed.shipments.map((one) => one.shipment_id)]
    const [shipment = "", other = ""] = ids
    const own = seller(host.acme)
    strictEqual(await own.confirm(shipment), "ok")
    strictEqual(await own.invoice(shipment, `INV-${shipment}`, { signedInvoice: canary, invoiceQrCode: canary }), "ok")
    const [item] = (await seen(host.acme, shipment)).orderItems
    const cancelled = { orderItemId: item?.orderItemId, quantity: 1, reasonCode: canary }
    strictEqual(await own.cancel(shipment, [cancelled]), "ok")
    const meta = { remark: canary, dpLocation: canary }
    strictEqual(await marketplace(host.bazaar).status(other, "cancelled_customer", { meta }), "ok")
    const left = async () => {
      const exported = await InProcess.run(["audit", "export", "1"], {
        environment: { DATABASE_URL: databaseUrl }
      })
      const read = await host.bazaar.call("GET", `/order/api/v1/bazaar/order?platform_order_id=${id}`)
      assertTrue(exported.stdout.includes(shipment), exported.stderr)
      const shown = await Promise.all(ids.map((one) => seen(host.acme, one)))
      const tracked = await host.acme.call("POST", "/oms/v3/shipment/track", { shipment_id: other })
      strictEqual(tracked.status, 200)
      const database = new Database(databaseUrl.slice("sqlite:".length), { readonly: true })
      const stored = ids.map((one) => database.prepare("SELECT body FROM crossdock_shipments WHERE id = ?").get(one))
      database.close()
      return [read.body, exported.stdout, [shown, tracked.body], stored].map((one) =>
        JSON.stringify(one).includes(canary)
      )
    }
    deepStrictEqual(await left(), [true, false, true, true])
    strictEqual((await erase(id)).code, 0)
    deepStrictEqual(await left(), [false, false, false, false])
    strictEqual(
      await own.creditNote(shipment, `CN-${shipment}`, { signedInvoice: canary, invoiceQrCode: canary }),
      "ok"
    )
    deepStrictEqual(await left(), [false, false, false, true])
    assertTrue((await erase(id)).stdout.includes("is erased"))
    deepStrictEqual(await left(), [false, false, false, false])
    assertTrue((await erase(id)).stdout.includes("was erased before"))
  })
})
