/**
 * Adapter: connected marketplaces.
 */
import { type Marketplace, MarketplaceStore } from "@crossdock/marketplaces"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Order from "effect/Order"
import * as CodePoint from "./CodePoint.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"
import * as Table from "./Table.ts"

const marketplaces = Table.make<Marketplace>("marketplaces")
const versions = Table.make<number>("marketplacesVersion")

export const make = Effect.gen(function* () {
  const database = yield* MemoryDatabase

  const putAll = (some: ReadonlyArray<Marketplace>) =>
    database.write((tables) => {
      const version = (versions.get(tables, Table.everybody, "marketplaces") ?? 0) + 1
      const kept = versions.put(tables, Table.everybody, [["marketplaces", version]])
      return marketplaces.put(
        kept,
        Table.everybody,
        some.map((one) => [one.slug, one])
      )
    })

  return MarketplaceStore.of({
    // One transaction runs at a time.
    lock: Effect.void,
    put: (one) => putAll([one]),
    putAll,
    version: database.read((tables) => versions.get(tables, Table.everybody, "marketplaces") ?? 0),
    find: (slug) => database.read((tables) => marketplaces.get(tables, Table.everybody, slug)),
    all: database.read((tables) =>
      marketplaces
        .entries(tables, Table.everybody)
        .map(([, marketplace]) => marketplace)
        .sort(Order.mapInput(CodePoint.order, (marketplace) => marketplace.slug))
    ),
    purge: Effect.void
  })
})

export const layer: Layer.Layer<MarketplaceStore, never, MemoryDatabase> = Layer.effect(MarketplaceStore, make)
