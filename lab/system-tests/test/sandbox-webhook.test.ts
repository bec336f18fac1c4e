import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import * as Storage from "@crossdock/cli/Storage"
import { MarketplaceStore } from "@crossdock/marketplaces"
import { Signature } from "@crossdock/notifications/node"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Option, Redacted } from "effect"
import { afterAll } from "vitest"
import { webhookFaults } from "../../../packages/http/test/DocumentedAnswers.ts"
import { temporaryFolder } from "../../../packages/http/test/TemporaryFolder.ts"
import { setStock } from "../../../packages/http/test/TestOrders.ts"
import { done, product } from "../../../packages/http/test/TestProducts.ts"
import * as Api from "../src/Api.ts"
import { settings, startHost } from "./TestHost.ts"

interface Arrived {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const secret = `whsec_${Buffer.from("w".repeat(32)).toString("base64")}`

describe("The sandbox's marketplace", () => {
  const closing: Array<() => void> = []
  afterAll(() => {
    for (const close of closing) close()
  })

  /** A receiver of notifications; `next` waits for one. */
  const inbox = () =>
    new Promise<{ url: string; arrived: Array<Arrived>; next: () => Promise<Arrived> }>((resolve) => {
      const arrived: Array<Arrived> = []
      let wake = (_: Arrived) => {}
      const next = () => new Promise<Arrived>((one) => (wake = one))
      const server = createServer((request, response) => {
        let body = ""
        request.on("data", (chunk) => (body += chunk))
        request.on("end", () => {
          response.writeHead(204).end()
          arrived.push({ headers: request.headers, body })
          wake({ headers: request.headers, body })
        })
      })
      closing.push(() => server.close())
      server.listen(0, "127.0.0.1", () =>
        resolve({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/inventory`, arrived, next })
      )
    })

  it("receives stock at SANDBOX_WEBHOOK_URL, signed with SANDBOX_WEBHOOK_SECRET", async () => {
    const { next, url } = await inbox()
    const host = await startHost(
      settings({ sandboxWebhookUrl: Option.some(url), sandboxWebhookSecret: Redacted.make(secret) })
    )
    const acme = await Api.seller(host.url)
    const arriving = next()
    await setStock(acme, 7, ["85123A"])
    const { body, headers } = await arriving
    assertTrue(Signature.matches(secret, headers, body, Math.floor(Date.now() / 1000)))
    deepStrictEqual(webhookFaults(headers, body), [])
    deepStrictEqual(
      JSON.parse(body).map(({ location_id, quantity, sku }: Readonly<Record<string, unknown>>) => [
        sku,
        location_id,
        quantity
      ]),
      [["85123A", "BLR1", 7]]
    )
    acme.close()
    await host.stop()
  })

  it("keeps changes made by hand over a restart, except for an address set in the environment", async () => {
    const databaseUrl = `sqlite:${join(temporaryFolder(), "restart.db")}`
    const started = async (url?: string) => {
      const sandboxWebhookUrl = Option.fromUndefinedOr(url)
      await (await startHost(settings({ databaseUrl, sandboxWebhookUrl }))).stop()
    }
    const registered = <A, E>(work: Effect.Effect<A, E, MarketplaceStore>) =>
      Effect.runPromise(Effect.provide(work, Storage.layer(databaseUrl)))
    const bazaar = Effect.flatMap(MarketplaceStore, (store) => store.find("bazaar"))
    await started("http://127.0.0.1:1/first")
    const skus = ["85123A"]
    await registered(
      Effect.gen(function* () {
        const known = yield* bazaar
        if (known !== undefined) yield* (yield* MarketplaceStore).put({ ...known, name: "By hand", skus })
      })
    )
    await started()
    const kept = await registered(bazaar)
    deepStrictEqual([kept?.name, kept?.skus, kept?.webhook?.url], ["By hand", skus, "http://127.0.0.1:1/first"])
    await started("http://127.0.0.1:1/second")
    const moved = await registered(bazaar)
    deepStrictEqual([moved?.name, moved?.skus, moved?.webhook?.url], ["By hand", skus, "http://127.0.0.1:1/second"])
  })

  it("receives quantity 0 for the stock of a deleted product, and no other event", async () => {
    const { next, url } = await inbox()
    const host = await startHost(settings({ sandboxWebhookUrl: Option.some(url) }))
    const acme = await Api.seller(host.url)
    const eventsAfter = async (act: () => Promise<unknown>) => {
      const arriving = next()
      await act()
      return JSON.parse((await arriving).body)
    }
    await done(acme, "POST", [product("GOING")])
    const [before] = await eventsAfter(() => setStock(acme, 7, ["GOING-M"]))
    const after = await eventsAfter(() => done(acme, "DELETE", [{ item_code: "GOING" }]))
    deepStrictEqual(
      after.map(({ location_id, quantity, sku }: typeof before) => [sku, location_id, quantity]),
      [["GOING-M", "BLR1", 0]]
    )
    assertTrue(after[0].sequence > before.sequence)
    await done(acme, "POST", [product("GOING")])
    const [back] = await eventsAfter(() => setStock(acme, 3, ["GOING-M"]))
    deepStrictEqual([back.sku, back.quantity], ["GOING-M", 3])
    assertTrue(back.sequence > after[0].sequence)
    acme.close()
    await host.stop()
  })

  it("receives nothing at a private address if WEBHOOK_ALLOW_PRIVATE is 0", async () => {
    const [shut, open] = [await inbox(), await inbox()]
    const start = (url: string, allowed: boolean) =>
      startHost(settings({ sandboxWebhookUrl: Option.some(url), webhookAllowPrivate: Option.some(allowed) }))
    const hosts = [await start(shut.url, false), await start(open.url, true)]
    const notified = open.next()
    for (const { url } of hosts) {
      const acme = await Api.seller(url)
      await setStock(acme, 7, ["85123A"])
      acme.close()
    }
    // By then the other host, whose stock was set later, has notified its marketplace.
    await notified
    strictEqual(shut.arrived.length, 0)
    for (const host of hosts) await host.stop()
  })
})
