/** Adapter: connected marketplaces. */
import { Text } from "@crossdock/kernel"
import { type Marketplace, MarketplaceStore } from "@crossdock/marketplaces"
import * as Effect from "effect/Effect"
import * as Order from "effect/Order"
import { adapter } from "./MemoryDatabase.ts"
import * as Table from "./Table.ts"

const marketplaces = Table.make<Marketplace>("marketplaces")
const versions = Table.make<number>("marketplacesVersion")

export const layer = adapter(MarketplaceStore, (database) => {
  const putAll = (some: ReadonlyArray<Marketplace>) =>
    database.write((tables) => {
      const version = (versions.get(tables, Table.noCompany, "marketplaces") ?? 0) + 1
      const kept = versions.put(tables, Table.noCompany, [["marketplaces", version]])
      return marketplaces.putEach(kept, Table.noCompany, some, (one) => [one.slug, one])
    })

  return {
    // One transaction runs at a time.
    lock: Effect.void,
    put: (one) => putAll([one]),
    putAll,
    version: database.read((tables) => versions.get(tables, Table.noCompany, "marketplaces") ?? 0),
    find: (slug) => database.read((tables) => marketplaces.get(tables, Table.noCompany, slug)),
    all: database.read((tables) =>
      marketplaces.rows(tables, Table.noCompany).sort(Order.mapInput(Text.order, (marketplace) => marketplace.slug))
    ),
    purge: Effect.void
  }
})
