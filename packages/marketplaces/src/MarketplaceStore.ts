/**
 * Port: connected marketplaces.
 */
import type { StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Marketplace } from "./Marketplace.ts"

/**
 * Laws: what was written is read back equal; writing again replaces; an unknown slug is undefined, never a failure.
 */
export class MarketplaceStore extends Context.Service<
  MarketplaceStore,
  {
    /** Inside a transaction: until it ends nobody else writes a marketplace. Everybody goes on reading them. */
    readonly lock: Effect.Effect<void, StorageError>
    readonly put: (marketplace: Marketplace) => Effect.Effect<void, StorageError>
    readonly find: (slug: string) => Effect.Effect<Marketplace | undefined, StorageError>
    /** Ordered by slug, by code point. */
    readonly all: Effect.Effect<ReadonlyArray<Marketplace>, StorageError>
  }
>()("@crossdock/marketplaces/MarketplaceStore") {}
