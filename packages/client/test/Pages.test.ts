import { SellerClient } from "@crossdock/client"
import * as Client from "@crossdock/client/promise"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Stream } from "effect"
import { beforeAll } from "vitest"
import { useHost } from "../../http/test/TestHost.ts"
import * as Wire from "./Wire.ts"

const host = useHost()

const account = { url: Wire.account.url, username: "acme", password: "acme-secret" }

beforeAll(async () => {
  const { skus } = { skus: "85123A 71053 84406B 84029G 84029E 22752 21730 22633 22632 84879".split(" ") }
  await host.acme.call(
    "PUT",
    "/ims/v3/inventory",
    skus.flatMap((sku) => ["BLR1", "BOM1"].map((location_id) => ({ location_id, sku, quantity: 1 })))
  )
})

const pagesRead = (wire: Wire.Wire) =>
  wire.sent.flatMap(({ path }) =>
    path.includes("token") ? [] : [new URL(path, account.url).searchParams.get("page_no")]
  )

describe("a list", () => {
  it.live("is read page by page, each record once", () =>
    Effect.gen(function* () {
      const wire = Wire.to(host)
      const client = yield* Wire.over(wire)(SellerClient.make(Wire.account))
      const rows = yield* Wire.over(wire)(Stream.runCollect(client.pages.listings.page({ query: { page_size: 7 } })))
      strictEqual(new Set(rows.map(({ location_id, sku }) => `${location_id} ${sku}`)).size, 20)
      strictEqual(rows.length, 20)
      deepStrictEqual(pagesRead(wire), ["1", "2", "3"])
    })
  )

  it("is an async iterable without Effect; leaving it early reads no more pages", async () => {
    const wire = Wire.to(host)
    const client = Client.seller({ ...account, fetch: wire.fetch })
    let read = 0
    for await (const { quantity } of client.pages.listings.page({ query: { page_size: 4 } })) {
      strictEqual(quantity, 1)
      read += 1
      if (read === 6) break
    }
    await new Promise((resolve) => setImmediate(resolve))
    deepStrictEqual(pagesRead(wire), ["1", "2"])
  })

  it("that fails throws the error of the call", async () => {
    const client = Client.seller({ ...account, password: "wrong", fetch: Wire.to(host).fetch })
    const iterator = client.pages.shipments.read({ query: { orderStatus: "CREATED" } })[Symbol.asyncIterator]()
    const error = await iterator.next().then(
      () => undefined,
      (thrown: unknown) => thrown
    )
    assertTrue(error instanceof Client.ApiError)
    strictEqual(error.code, "CREDENTIALS_INVALID")
  })
})

describe("without Effect", () => {
  const client = () => Client.seller({ ...account, fetch: Wire.to(host).fetch })

  it("a call is a promise of its value", async () => {
    const outcome = await client().stock.update({ payload: [{ location_id: "BLR1", sku: "22745", quantity: 3 }] })
    assertTrue(outcome.ok)
    strictEqual(outcome.value.meta.status, "SUCCESS")
  })

  it("or of its error", async () => {
    const outcome = await client().products.status({ query: { trace_id: "0-0" } })
    assertTrue(!outcome.ok && outcome.error._tag === "ApiError")
    strictEqual(outcome.error.status, 404)
  })

  it("documents are bytes", async () => {
    const outcome = await client().documents.labels({ payload: [{ orderId: "0" }] })
    assertTrue(!outcome.ok && outcome.error._tag === "ApiError" && outcome.error.code === "L400")
  })

  it("the clients of the other interfaces are the same", async () => {
    const { fetch } = Wire.to(host)
    const { url } = account
    const bazaar = Client.marketplace({ url, slug: "bazaar", username: "bazaar", password: "bazaar-secret", fetch })
    const ops = Client.platform({ url, companyId: 1, clientId: "ops", clientSecret: "ops-secret", fetch })
    const order = await bazaar.orders.read({ query: { platform_order_id: "none" } })
    strictEqual(order.ok, false)
    const records = []
    for await (const record of ops.pages.audit.logs({ query: { qs: "acme", limit: 1 } })) records.push(record)
    strictEqual(new Set(records.map(({ _id }) => _id)).size, 2)
  })
})
