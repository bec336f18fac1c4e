/** The assembled host: three interfaces over a socket, on SQLite, with the sandbox and settings. */
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Option } from "effect"
import { afterAll, beforeAll } from "vitest"
import { temporaryFolder } from "../../../packages/http/test/TemporaryFolder.ts"
import {
  levelOf,
  line,
  order,
  place,
  seen,
  seller,
  setStock,
  shipmentOf
} from "../../../packages/http/test/TestOrders.ts"
import { done, itemCodes, product, read } from "../../../packages/http/test/TestProducts.ts"
import * as Api from "../src/Api.ts"
import { basicOf, send, settings, startHost, tokenOf, useHost } from "./TestHost.ts"

const databaseUrl = `sqlite:${join(temporaryFolder(), "wire.db")}`
const sellerPath = "/aggregator/v1/token"
const bazaarPath = "/auth/bazaar/token"
const json = { "content-type": "application/json" }

describe("the three interfaces over a socket", () => {
  const host = useHost(() => ({ databaseUrl }))

  it("an order can be placed, packed and printed, and the audit trail records it", async () => {
    await setStock(host.acme, 10, ["85123A"])
    const placed = await place(host.bazaar, order([shipmentOf([line("85123A", 2)])]))
    const id = placed.shipments[0]?.shipment_id ?? ""
    const acme = seller(host.acme)
    deepStrictEqual([await acme.confirm(id), await acme.invoice(id), await acme.pack(id)], ["ok", "ok", "ok"])
    strictEqual((await seen(host.acme, id)).orderStatus, "COMPLETED")
    deepStrictEqual(await levelOf(host.acme, "85123A"), [10, 2, 0])
    const { labelPdfUrl } = await seen(host.acme, id)
    const label = await fetch(String(labelPdfUrl))
    strictEqual(label.headers.get("content-type"), "application/pdf")
    strictEqual(
      Buffer.from(await label.arrayBuffer())
        .subarray(0, 5)
        .toString(),
      "%PDF-"
    )
    const ops = await Api.platform(host.url)
    const trail = await ops.call<{ readonly docs: ReadonlyArray<unknown> }>(
      "GET",
      `/service/platform/audit-trail/v1.0/company/1/logs?qs=${id}`
    )
    assertTrue(trail.body.docs.length > 0)
    ops.close()
  })

  it("a product can be created, processed and found", async () => {
    await done(host.acme, "POST", [product("WIRE")])
    deepStrictEqual(await itemCodes(host.acme, "item_code=WIRE"), ["WIRE"])
  })

  it("the sandbox's products follow the rules: each can be sent back as it was read", async () => {
    const { items } = await read(host.acme, "product?page_size=100&sort_on=created&page_number=2")
    strictEqual(items.length, 100)
    for (const item of items) {
      const answer = await host.acme.call<{ readonly failed: number }>("PUT", "/v3/catalog/product?dry_run=true", {
        template: item.template,
        products: [item]
      })
      deepStrictEqual([answer.status, answer.body.failed], [200, 0], JSON.stringify(answer.body))
    }
  })

  it("a slug of two dots is an ordinary slug", async () => {
    const answer = await send(host.url, "POST", "/auth/../token", { authorization: basicOf("bazaar", "bazaar-secret") })
    deepStrictEqual([answer.status, answer.body.code], [401, "CREDENTIALS_INVALID"])
  })

  it("SANDBOX=0 rejects the sandbox's credentials and tokens on the database of a running host", async () => {
    const token = await tokenOf(host.url, sellerPath, "acme")
    const closed = await startHost(settings({ databaseUrl, sandbox: Option.some(false) }))
    for (const [path, name] of [
      [sellerPath, "acme"],
      [bazaarPath, "bazaar"]
    ] as const) {
      const rejected = await send(closed.url, "POST", path, { authorization: basicOf(name, `${name}-secret`) })
      deepStrictEqual([rejected.status, rejected.body.code], [401, "CREDENTIALS_INVALID"])
    }
    const listings = (url: string) => send(url, "GET", "/ims/v3/listings", { "x-access-token": token })
    deepStrictEqual([(await listings(closed.url)).status, (await listings(host.url)).status], [401, 200])
    await closed.stop()
  })
})

describe("a host's settings", () => {
  const rejectionOf = async (from: string, attempt: object, more: Readonly<Record<string, string>>) => {
    const { body } = await send(from, "POST", sellerPath, { ...json, ...more }, JSON.stringify(attempt))
    return body.code
  }

  let host: Awaited<ReturnType<typeof startHost>>
  beforeAll(async () => {
    host = await startHost(settings({ queryCredentials: false }))
  })
  afterAll(() => host.stop())

  it("QUERY_CREDENTIALS=0 turns off credentials in URLs, and no others", async () => {
    for (const [path, name] of [
      [sellerPath, "acme"],
      [bazaarPath, "bazaar"]
    ] as const) {
      const query = await send(host.url, "GET", `${path}?username=${name}&password=${name}-secret`)
      deepStrictEqual([query.status, query.body.code], [400, "QUERY_CREDENTIALS_DISABLED"])
      const body = JSON.stringify({ username: name, password: `${name}-secret` })
      strictEqual((await send(host.url, "POST", path, json, body)).status, 200)
    }
  })

  it("without TRUST_PROXY failed sign-ins are counted by the socket's address, whatever X-Forwarded-For says", async () => {
    const attempt = (nth: number) =>
      rejectionOf(host.url, { username: `nobody-${nth}`, password: "wrong" }, { "x-forwarded-for": `10.7.0.${nth}` })
    const ten = await Promise.all(Array.from({ length: 10 }, (_, nth) => attempt(nth)))
    deepStrictEqual(new Set(ten), new Set(["CREDENTIALS_INVALID"]))
    strictEqual(await attempt(11), "TOO_MANY_ATTEMPTS")
  })
})
