import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as Api from "../../../lab/system-tests/src/Api.ts"
import { settings, startHost } from "../../../lab/system-tests/test/TestHost.ts"
import { temporaryFolder } from "../../http/test/TemporaryFolder.ts"
import { line, order, place, setStock, shipmentOf } from "../../http/test/TestOrders.ts"
import * as InProcess from "./InProcess.ts"

describe("A closed company", () => {
  const databaseUrl = `sqlite:${join(temporaryFolder(), "crossdock.db")}`
  const run = async (...args: ReadonlyArray<string>) => {
    const ended = await InProcess.run([...args, "--database", databaseUrl, "--json"])
    return { code: ended.code, json: ended.stdout === "" ? ended.stderr : JSON.parse(ended.stdout) }
  }

  it("does no business until it is reopened; its open shipments are ended by the operator", async () => {
    let host = await startHost(settings({ databaseUrl }))
    const [acme, bazaar, souk] = [
      await Api.seller(host.url),
      await Api.marketplace(host.url),
      await Api.marketplace(host.url, "souk")
    ]
    const signIn = () =>
      fetch(`${host.url}/aggregator/v1/token`, {
        method: "POST",
        headers: { authorization: `Basic ${Buffer.from("acme:acme-secret").toString("base64")}` }
      }).then(({ status }) => status)
    await setStock(acme, 10, ["85123A"])
    const three = () => order([shipmentOf([line("85123A", 3)])])
    const [first, second] = [await place(bazaar, three()), await place(bazaar, three())]
    const ids = [first, second].map(({ shipments }) => shipments[0]?.shipment_id ?? "")

    deepStrictEqual((await run("company", "close", "1")).json, {
      company: 1,
      marketplaces: ["bazaar", "souk"],
      agreements: 0
    })
    const [closed] = (await run("company", "list")).json
    const accounts = (await run("doctor")).json.find(({ check }: { readonly check: string }) => check === "accounts")
    strictEqual(accounts.says, "able to sign in: 1 seller, 2 marketplaces, 1 client")
    strictEqual(typeof closed.closedAt, "string")
    strictEqual(await signIn(), 401)
    // A host reads a marketplace again after 5 seconds at most; this one has not read it yet.
    const fromSouk = order([shipmentOf([line("85123A", 1)], { location_id: "S-BOM" })])
    const rejected = await souk.call<{ code: string }>("POST", "/order/api/v1/souk/create", fromSouk)
    deepStrictEqual([rejected.status, rejected.body.code], [400, "UNKNOWN_LOCATION"])

    const open = (await run("shipment", "list", "1")).json
    deepStrictEqual(open.map(({ id }: { readonly id: string }) => id).sort(), [...ids].sort())
    const [one = "", other = ""] = ids
    for (const reason of ["x".repeat(2001), "a\u0000b"])
      strictEqual((await run("shipment", "cancel", "1", one, "--reason", reason)).code, 2)
    deepStrictEqual(await run("shipment", "cancel", "1", one, "--reason", "closed"), {
      code: 0,
      json: { succeeded: 1, failures: [] }
    })
    deepStrictEqual(await run("shipment", "report", "1", "cancelled_customer", other, "--by", "marketplace"), {
      code: 0,
      json: { succeeded: 1, failures: [] }
    })
    deepStrictEqual((await run("shipment", "list", "1")).json, [])
    const twice = await run("shipment", "cancel", "1", one)
    deepStrictEqual([twice.code, twice.json.succeeded], [1, 0])

    // What a repeat does was done.
    deepStrictEqual((await run("company", "close", "1")).json.agreements, 0)
    for (const api of [acme, bazaar, souk]) api.close()
    await host.stop()
    deepStrictEqual((await run("company", "reopen", "1")).json.marketplaces, ["bazaar", "souk"])
    host = await startHost(settings({ databaseUrl }))
    strictEqual(await signIn(), 200)
    const again = await Api.marketplace(host.url)
    await place(again, order([shipmentOf([line("85123A", 10)])]))
    again.close()
    await host.stop()
  })
})
