/**
 * The marketplaces that place orders.
 */
import { type Marketplace, MarketplaceStore } from "@crossdock/marketplaces"
import * as Effect from "effect/Effect"
import { cached } from "./LookupCache.ts"

const unknownMarketplace = (slug: string): Marketplace => ({
  slug,
  name: slug,
  currency: "",
  locations: [],
  retiredCodes: [],
  skus: null,
  buffers: [],
  webhook: null
})

/**
 * Makes the cached lookup of marketplaces by slug. One that isn't registered has no locations.
 */
export const make = Effect.flatMap(MarketplaceStore, (registered) =>
  cached((slug: string) => Effect.map(registered.find(slug), (one) => one ?? unknownMarketplace(slug)))
)

export type KnownMarketplaces = Effect.Success<typeof make>
