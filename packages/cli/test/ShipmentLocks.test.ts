import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { useHost } from "../../../lab/system-tests/test/TestHost.ts"
import { temporaryFolder } from "../../http/test/TemporaryFolder.ts"
import {
  levelOf,
  line,
  marketplace,
  order,
  place,
  seen,
  seller,
  setStock,
  shipmentOf
} from "../../http/test/TestOrders.ts"
import * as InProcess from "./InProcess.ts"

describe("a locked shipment", () => {
  const databaseUrl = `sqlite:${join(temporaryFolder(), "locks.db")}`
  const host = useHost(() => ({ databaseUrl }))
  const sku = "85123A"

  const lock = async (id: string, locked: boolean, company = 1) => {
    const args = ["shipment", locked ? "lock" : "unlock", String(company), id, "--database", databaseUrl, "--json"]
    const { code, stdout } = await InProcess.run(args)
    return { code, ...JSON.parse(stdout) }
  }

  it("rejects every move with SHIPMENT_LOCKED until the host unlocks it, and is shown as locked", async () => {
    const [acme, bazaar] = [seller(host.acme), marketplace(host.bazaar)]
    await setStock(host.acme, 10, [sku])
    const { shipments } = await place(host.bazaar, order([shipmentOf([line(sku)])]))
    const id = shipments[0]?.shipment_id ?? ""
    const items = (await seen(host.acme, id)).orderItems.map(({ orderItemId, quantity }) => ({ orderItemId, quantity }))
    strictEqual((await lock(id, true)).code, 0)
    const before = await seen(host.acme, id)
    strictEqual(before.lockStatus, true)
    const level = await levelOf(host.acme, sku)
    for (const move of [
      () => acme.confirm(id, items),
      () => acme.cancel(id, items),
      () => acme.invoice(id),
      () => acme.creditNote(id),
      () => acme.pack(id),
      () => acme.dispatch(id),
      () => acme.awb(id, "L1"),
      () => acme.status(id, "placed"),
      () => acme.qualityCheck(id),
      () => bazaar.awb(id, "L1"),
      () => bazaar.status(id, "cancelled_customer"),
      () => bazaar.status(id, "return_initiated")
    ])
      strictEqual(await move(), "SHIPMENT_LOCKED")
    deepStrictEqual([await seen(host.acme, id), await levelOf(host.acme, sku)], [before, level])
    strictEqual((await lock(id, true)).code, 0, "a repeat")
    strictEqual((await lock(id, false)).code, 0)
    strictEqual((await seen(host.acme, id)).lockStatus, false)
    strictEqual(await acme.confirm(id, items), "ok")
  })

  it("is locked in its own company only", async () => {
    const { shipments } = await place(host.bazaar, order([shipmentOf([line(sku)])]))
    const id = shipments[0]?.shipment_id ?? ""
    const { code, failures, succeeded } = await lock(id, true, 2)
    deepStrictEqual([code, succeeded, failures.length], [1, 0, 1])
    strictEqual((await seen(host.acme, id)).lockStatus, false)
  })
})
