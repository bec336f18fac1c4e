import { PaymentProviderTest } from "@crossdock/billing"
import { brands, productInput, referenceData } from "@crossdock/catalog/testing"
import { EventTypes, Host } from "@crossdock/host"
import * as Node from "@crossdock/host/node"
import { CompanyId } from "@crossdock/kernel"
import { StorageMemory } from "@crossdock/storage-memory"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Logger, Result, Schema } from "effect"

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

const start = async () => {
  const host = await Host.make({
    storage: StorageMemory.layer,
    runtime: Node.runtime({ passwordCost: { logN: 4, blockSize: 8, parallel: 1 } }),
    payments: PaymentProviderTest.layer,
    publicUrl: "https://shop.example",
    interfaces: [],
    workers: false,
    addressOf: () => "192.0.2.1",
    observability: Logger.layer([])
  })
  const { companies, productImport } = host.services
  await companies.register(host.system("setup"), { id: acme, name: "Acme", legalName: "Acme Ltd" }, [location])
  await productImport.reference(referenceData, brands)
  await productImport.products(host.system("setup"), acme, [{ template: "apparel", products: [productInput("T")] }])
  return host
}

const setStock = (host: Host.Host, quantity: number) =>
  host.services.inventory.setStock({ principal: seller, requestId: null }, [
    Result.succeed({ sku: "T-S", location: "BLR1", quantity, expected: null })
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
