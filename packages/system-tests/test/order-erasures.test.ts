import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { assertTrue, strictEqual } from "@effect/vitest/utils"
import { temporaryFolder } from "../../http/test/TemporaryFolder.ts"
import { line, order, place, seller, setStock, shipmentOf } from "../../http/test/TestOrders.ts"
import * as TestCommand from "./TestCommand.ts"
import { useHost } from "./TestHost.ts"

describe("the personal data of an order", () => {
  const databaseUrl = `sqlite:${join(temporaryFolder(), "erasures.db")}`
  const host = useHost(() => ({ databaseUrl }))
  const sku = "85123A"
  const erase = (id: string) =>
    TestCommand.run("../../cli/dist/admin", ["erase-order", "bazaar", id], { DATABASE_URL: databaseUrl })

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
})
