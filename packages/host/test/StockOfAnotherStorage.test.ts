/** A host whose `StockLevels` or `PriceStore` is another one than its storage's: its lists and deletions are right. */
import { SkuStock } from "@crossdock/catalog"
import { Host, orThrow, Services } from "@crossdock/host"
import { Listings, StockLevels } from "@crossdock/inventory"
import { PriceStore } from "@crossdock/pricing"
import { portLaws, Seed } from "@crossdock/storage-laws"
import { StorageMemory } from "@crossdock/storage-memory"
import { StorageSql } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Context, Effect, Layer } from "effect"
import * as OwnStock from "../../storage-sql/test/OwnStock.ts"
import { options, seller, start } from "./Shop.ts"

/** One port of a layer. */
const only = <I, S, A extends I, E, R>(port: Context.Key<I, S>, layer: Layer.Layer<A, E, R>) =>
  Layer.effect(port, Effect.map(Layer.build(layer as Layer.Layer<I, E, R>), Context.get(port)))

const sqlite = BetterSqlite3.layer(":memory:")
const sql = Layer.provideMerge(StorageSql.layer, sqlite)
const memory = Layer.merge(StorageMemory.layer, sqlite)

const storages = [
  ["own StockLevels over SQLite", Layer.provideMerge(only(StockLevels, OwnStock.layer), sql)],
  ["own StockLevels over memory", Layer.provideMerge(only(StockLevels, OwnStock.layer), memory)],
  ["own PriceStore over SQLite", Layer.provideMerge(only(PriceStore, OwnStock.layer), sql)],
  ["own PriceStore over memory", Layer.provideMerge(only(PriceStore, OwnStock.layer), memory)]
] as const

for (const [name, storage] of storages) {
  describe(name, () => {
    const laws = Seed.layer.pipe(Layer.provideMerge(Services.readers), Layer.provideMerge(storage))
    for (const port of ["Listings", "SkuStock"] as const) portLaws(port, laws)

    it("lists its stock and prices, and deletes no product with reserved units", async () => {
      const { host, place } = await start({ storage })
      const { inventory, prices, productWrites } = host.services
      await orThrow(
        prices.setPrices(seller, [{ sku: "T-S", location_id: "BLR1", mrp: 120, esp: 100, currency: "INR" }])
      )
      await place("A")
      const listed = async () =>
        (await orThrow(inventory.listings(seller, [], { number: 1, size: 10 }))).map(
          ({ esp, mrp, onHand, reserved, sku }) => [sku, onHand, reserved, mrp, esp]
        )
      deepStrictEqual(await listed(), [["T-S", 100, 2, 12_000, 10_000]])
      strictEqual(await orThrow(inventory.countListings(seller, { withBatches: false })), 1)
      const remove = async () =>
        (await orThrow(productWrites.delete(seller, { products: [{ item_code: "T" }] }))).failures.map(
          ({ code }) => code
        )
      deepStrictEqual(await remove(), ["OPEN_SHIPMENTS"])
      await host.dispose()
    })
  })
}

describe("A storage", () => {
  it("keeps its own lists where they read its stock and prices, also through a port that wraps another", async () => {
    const own = await Effect.runPromise(Effect.scoped(Layer.build(StorageMemory.layer)))
    const [levels, lists] = [Context.get(own, StockLevels), Context.get(own, Listings)]
    const copied = <A extends object>(port: A) => Object.fromEntries(Object.entries(port)) as A
    const listsWith = async (stock: typeof levels, given = lists) => {
      const storage = Layer.succeedContext(own.pipe(Context.add(StockLevels, stock), Context.add(Listings, given)))
      const found = await Effect.runPromise(Effect.scoped(Layer.build(Layer.provideMerge(Services.readers, storage))))
      return Context.get(found, Listings)
    }
    assertTrue((await listsWith(levels)) === lists)
    assertTrue((await listsWith({ ...levels })) === lists)
    assertTrue((await listsWith(copied(levels))) !== lists)
    const unmarked = copied(lists)
    assertTrue((await listsWith(copied(levels), unmarked)) === unmarked)
  })

  it("needs neither Listings nor SkuStock", async () => {
    const ports = Effect.map(Layer.build(StorageMemory.layer), Context.omit(Listings, SkuStock))
    const host = await Host.make({ ...options, storage: Layer.effectContext(ports) })
    deepStrictEqual(await orThrow(host.services.inventory.listings(seller, [], { number: 1, size: 10 })), [])
    await host.dispose()
  })
})
