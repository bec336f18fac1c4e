/**
 * Ports: connected marketplaces, and resending stock to them.
 */
import type { CompanyWrite } from "@crossdock/audit"
import type { CompanyId, StaleWrite, StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Marketplace } from "./Marketplace.ts"

/** Port: connected marketplaces. What was written is read back equal, and writing again replaces it. */
export class MarketplaceStore extends Context.Service<
  MarketplaceStore,
  {
    /** Inside a transaction: no other transaction writes a marketplace until this one ends. Reads are not blocked. */
    readonly lock: Effect.Effect<void, StorageError>
    readonly put: (marketplace: Marketplace) => Effect.Effect<void, StorageError>
    /** Writes all of them or none. */
    readonly putAll: (marketplaces: ReadonlyArray<Marketplace>) => Effect.Effect<void, StorageError>
    /** Undefined for an unknown slug. */
    readonly find: (slug: string) => Effect.Effect<Marketplace | undefined, StorageError>
    /** Grows with every `put`, so that readers know whether their copy is current; 0 before the first one. */
    readonly version: Effect.Effect<number, StorageError>
    /** Ordered by slug, by code point. */
    readonly all: Effect.Effect<ReadonlyArray<Marketplace>, StorageError>
    /**
     * After this no file of the storage contains the bodies that marketplaces had before; outside a transaction. It may
     * rewrite them all, so it takes as long as it does.
     */
    readonly purge: Effect.Effect<void, StorageError>
  }
>()("@crossdock/marketplaces/MarketplaceStore") {}

/** Resends stock. */
export class StockResend extends Context.Service<
  StockResend,
  {
    /**
     * Sends everything that the marketplace sells of the company again, under new sequences. It is called inside a
     * transaction that has locked the company.
     */
    readonly restart: (
      marketplace: string,
      company: CompanyId,
      mark: CompanyWrite.Mark
    ) => Effect.Effect<void, StaleWrite | StorageError>
  }
>()("@crossdock/marketplaces/StockResend") {}
