import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { PaymentProviderTest } from "@crossdock/billing"
import { brands, productInput, referenceData } from "@crossdock/catalog/testing"
import { EventTypes, Host } from "@crossdock/host"
import * as Node from "@crossdock/host/node"
import { CompanyId } from "@crossdock/kernel"
import { EventReceiver } from "@crossdock/notifications/node"
import { ShipmentStore } from "@crossdock/shipments"
import { StorageMemory } from "@crossdock/storage-memory"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Logger, Redacted, Result, Schema } from "effect"

const acme = CompanyId.make(1)
const location = { code: "BLR1", name: "Bengaluru 1", currency: "INR", handlingHours: 24, address: null }

const seller = {
  kind: "integration",
  id: "acme",
  integrationId: "acme",
  companyId: acme,
  locations: null,
  stockPolicy: "set"
} as const

const start = async (more: Partial<Host.Options> = {}) => {
  const host = await Host.make({
    storage: StorageMemory.layer,
    runtime: Node.runtime({ passwordCost: { logN: 4, blockSize: 8, parallel: 1 } }),
    payments: PaymentProviderTest.layer,
    publicUrl: "https://shop.example",
    interfaces: [],
    workers: false,
    addressOf: () => "192.0.2.1",
    observability: Logger.layer([]),
    ...more
  })
  const { companies, productImport } = host.services
  await companies.register(host.system("setup"), { id: acme, name: "Acme", legalName: "Acme Ltd" }, [location])
  await productImport.reference(referenceData, brands)
  await productImport.products(host.system("setup"), acme, [{ template: "apparel", products: [productInput("T")] }])
  return host
}

const setStock = (host: Host.Host, quantity: number) =>
  host.services.inventory.setStock({ principal: seller, requestId: null }, [
    { sku: "T-S", location_id: "BLR1", quantity }
  ])

const typesOf = (events: ReadonlyArray<{ readonly type: string }>) => events.map(({ type }) => type)

describe("The change feed of a host", () => {
  it("has an event for each change, of a known type and with the payload of that type", async () => {
    const host = await start()
    await setStock(host, 5)
    const read = await host.services.events.read(acme, 0, 100)
    assertTrue(read.ok)
    deepStrictEqual(typesOf(read.value), ["company.registered", "product.created", "stock.changed"])
    for (const event of read.value) {
      const type = EventTypes.all.find((one) => one.type === event.type)
      assertTrue(type !== undefined && Schema.is(type.data as Schema.Codec<unknown>)(event.data), event.type)
    }
    const [, , last] = read.value
    const known = last === undefined ? undefined : EventTypes.known(last)
    strictEqual(known?.type === "stock.changed" ? known.data.sellable : undefined, 5)
    await host.dispose()
  })

  it("has no event for records that were rejected, or for a change that was not made", async () => {
    const host = await start()
    const record = (sku: string) => ({ sku, location_id: "BLR1", quantity: 5 })
    const { events, inventory } = host.services
    await inventory.setStock({ principal: seller, requestId: null }, [record("T-S"), record("UNKNOWN")])
    await inventory.setStock({ principal: seller, requestId: null }, [record("UNKNOWN")])
    await setStock(host, 5)
    const read = await events.read(acme, 2, 100)
    assertTrue(read.ok)
    deepStrictEqual(
      read.value.map(({ data }) => (data as { readonly sku: string }).sku),
      ["T-S"]
    )
    await host.dispose()
  })

  it("has one handler at a time: a consumer that is stopped first waits for its handler", async () => {
    const host = await start()
    const { events } = host.services
    const [begun, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const seen: Array<string> = []
    const stop = events.consume({
      group: "g",
      handler: async () => {
        begun.resolve()
        await done.promise
        seen.push("first ends")
      }
    })
    await begun.promise
    const stopped = stop().then(() => seen.push("stopped"))
    await host.services.events.read(acme, 0, 1)
    deepStrictEqual(seen, [])
    done.resolve()
    await stopped
    const second = Promise.withResolvers<void>()
    events.consume({ group: "g", handler: async () => second.resolve(void seen.push("second begins")) })
    await second.promise
    deepStrictEqual(seen, ["first ends", "stopped", "second begins"])
    await host.dispose()
  })

  it("has no second event for a request that is repeated under its Idempotency-Key", async () => {
    const host = await start({ interfaces: ["seller"], tokenSecret: Redacted.make("0123456789abcdef0123456789abcdef") })
    const password = "correct horse battery"
    await host.services.accounts.register(host.system("setup"), seller, password)
    const send = async (method: string, path: string, body: unknown, headers: Record<string, string> = {}) => {
      const request = {
        method,
        body: JSON.stringify(body),
        headers: { "content-type": "application/json", ...headers }
      }
      const answer = await host.handler(new Request(`https://shop.example${path}`, request))
      return { status: answer.status, body: await answer.json() }
    }
    const { body } = await send("POST", "/aggregator/v1/token", { username: "acme", password })
    const headers = { "x-access-token": String(body.access_token), "idempotency-key": "key-1" }
    for (const [quantity, last] of [
      [5, 3],
      [5, 3]
    ]) {
      const stock = [{ location_id: "BLR1", sku: "T-S", quantity }]
      strictEqual((await send("PUT", "/ims/v3/inventory", stock, headers)).status, 200)
      const read = await host.services.events.read(acme, 0, 100)
      strictEqual(read.ok && read.value.length, last)
    }
    await host.dispose()
  })

  it("has no personal data, and an event when an order's is erased", async () => {
    const host = await start()
    const { events, marketplaces, orders } = host.services
    const locations = [{ companyId: acme, location: "BLR1", code: "BLR1" }]
    const bazaar = { slug: "bazaar", name: "Bazaar", currency: "INR", password: "correct horse battery" }
    await marketplaces.register(host.system("setup"), { ...bazaar, locations, skus: null, buffers: [], webhook: null })
    await setStock(host, 5)
    const address = {
      name: "PERSONAL-NAME",
      phone: "+919000000001",
      email: "personal@example.com",
      address1: "PERSONAL-ROAD",
      address2: "PERSONAL-FLOOR",
      landmark: "PERSONAL-LANDMARK",
      city: "PERSONAL-CITY",
      state: "Karnataka",
      pincode: "560001",
      country: "India"
    }
    const order = {
      external_order_id: "BZ-1",
      ordering_currency: "INR",
      payment: { mode: "PREPAID" },
      billing_address: address,
      shipping_address: address,
      shipments: [
        { external_shipment_id: "BZ-1-1", location_id: "BLR1", lines: [{ sku: "T-S", quantity: 1, esp: 100 }] }
      ]
    } as const
    const placed = await orders.place({ principal: { kind: "marketplace", id: "bazaar" }, requestId: null }, order)
    assertTrue(placed.ok, JSON.stringify(placed))
    const { id, shipments: given } = placed.value
    const close = Effect.gen(function* () {
      const store = yield* ShipmentStore
      const found = yield* store.load(
        acme,
        given.map(({ shipmentId }) => shipmentId)
      )
      const closed = found.map((before) => {
        const status = "delivery_done" as const
        return { before, after: { ...before, version: before.version + 1, status } }
      })
      yield* store.update(acme, closed)
    })
    await host.run(close)
    const erased = await orders.erase(host.system("privacy"), "bazaar", id)
    deepStrictEqual(erased, { ok: true, value: true })
    const read = await events.read(acme, 0, 100)
    assertTrue(read.ok)
    const types = typesOf(read.value)
    assertTrue(types.includes("order.placed") && types.includes("order.erased"), types.join())
    assertTrue(!/personal|\+919000000001|560001/i.test(JSON.stringify(read.value)), JSON.stringify(read.value))
    await host.dispose()
  })

  it("reaches a backend in another process as webhooks, which the host's own workers send", async () => {
    const host = await start({ workers: true, privateWebhooks: true })
    const received = Promise.withResolvers<ReadonlyArray<string>>()
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    const receive = EventReceiver.make(EventTypes.all)
    const receiver = createServer(async (request, response) => {
      const incoming = { headers: request.headers, body: await text(request) }
      const { events, known } = Result.getOrThrow(receive(incoming, { secrets: [secret], now: Date.now() }))
      response.writeHead(204).end()
      received.resolve(events.map(known).map((event) => String(event?.type)))
    })
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
    const { port } = receiver.address() as AddressInfo
    const { eventEndpoints } = host.services
    const caller = host.system("setup")
    const endpoint = { companyId: acme, id: "erp", url: `http://127.0.0.1:${port}/`, secret, types: null }
    const misspelt = await eventEndpoints.register(caller, { ...endpoint, types: ["order.place"], cursor: null })
    assertTrue(!misspelt.ok && misspelt.error.message.endsWith("Did you mean order.placed?"))
    deepStrictEqual(await eventEndpoints.register(caller, { ...endpoint, cursor: 0 }), { ok: true, value: undefined })
    deepStrictEqual(await received.promise, ["company.registered", "product.created"])
    await host.dispose()
    receiver.close()
  })

  it("is an asynchronous iterable that waits for more", async () => {
    const host = await start()
    const seen: Array<number> = []
    for await (const { number } of host.services.events.after(acme, 0)) {
      seen.push(number)
      if (number === 2) void setStock(host, 5)
      if (number === 3) break
    }
    deepStrictEqual(seen, [1, 2, 3])
    await host.dispose()
  })

  it("hands events to a group's handler, again when its promise was rejected, and keeps its cursor", async () => {
    const host = await start()
    const { events } = host.services
    const handled: Array<ReadonlyArray<number>> = []
    const done = Promise.withResolvers<void>()
    const stop = events.consume({
      group: "search",
      handler: async (some) => {
        handled.push(some.map(({ number }) => number))
        if (handled.length === 1) throw new Error("the search engine is away")
        done.resolve()
      }
    })
    await done.promise
    await expectCursor(host, 2)
    await stop()
    deepStrictEqual(handled, [
      [1, 2],
      [1, 2]
    ])
    await host.dispose()
  })

  it("says where to go on to a reader whose cursor is beyond the feed", async () => {
    const host = await start()
    const read = await host.services.events.read(acme, 9, 100)
    assertTrue(!read.ok && read.error._tag === "CursorOutOfRange")
    deepStrictEqual(
      [read.error.resumeAfter, read.error.message.startsWith("Company 1 has events up to number 2")],
      [2, true]
    )
    await host.dispose()
  })
})

const expectCursor = async (host: Host.Host, expected: number) => {
  for (;;) {
    const cursor = await host.services.events.cursor("search", acme)
    if (cursor.ok && cursor.value === expected) return
  }
}

describe("The types of events", () => {
  it("have an example of their own payload, and no two are the same version of a type", () => {
    for (const { data, example, type } of EventTypes.all) {
      assertTrue(Schema.is(data as Schema.Codec<unknown>)(example), type)
    }
    const names = EventTypes.all.map(({ type, version }) => `${type} ${version}`)
    strictEqual(new Set(names).size, names.length)
  })
})
