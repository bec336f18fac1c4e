/**
 * Port: stock and prices of SKUs that are about to be deleted. The storage of stock fills it.
 */
import type { CompanyId, StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/**
 * Whether SKUs have reserved stock, and deleting their stock and prices.
 */
export class SkuStock extends Context.Service<
  SkuStock,
  {
    /**
     * Inside a transaction, locks the levels and prices of these SKUs until it ends, in key order. What others store
     * afterwards isn't locked.
     */
    readonly lock: (company: CompanyId, skus: ReadonlyArray<string>) => Effect.Effect<void, StorageError>
    /** Those of these SKUs that have reserved stock at any location. */
    readonly reserved: (
      company: CompanyId,
      skus: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlySet<string>, StorageError>
    /**
     * Deletes the levels and prices of these SKUs, before their sizes are deleted. Levels that were marked once are marked
     * as deleted under the change's number and time, so that marketplaces are notified of no stock. It is called inside a
     * transaction that has locked the company, so it never waits: it fails as contended when another writer has locked one
     * of them, which `lock` didn't find.
     */
    readonly remove: (
      company: CompanyId,
      skus: ReadonlyArray<string>,
      mark: { readonly changeNumber: number; readonly at: number }
    ) => Effect.Effect<void, StorageError>
  }
>()("@crossdock/catalog/SkuStock") {}
