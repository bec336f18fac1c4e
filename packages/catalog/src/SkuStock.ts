/**
 * Port: stock and prices of SKUs that are about to be deleted. The storage of stock fills it.
 */
import type { CompanyWrite } from "@crossdock/audit"
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
     * Those of these SKUs that have reserved stock at any location. Inside a transaction their stock levels are locked until
     * it ends, so that nothing is reserved meanwhile.
     */
    readonly reserved: (
      company: CompanyId,
      skus: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlySet<string>, StorageError>
    /**
     * Deletes the levels and prices of these SKUs, before their sizes are deleted. Levels that were marked once are marked
     * as deleted under the change's number and time, so that marketplaces are notified of no stock.
     */
    readonly remove: (
      company: CompanyId,
      skus: ReadonlyArray<string>,
      mark: CompanyWrite.Mark
    ) => Effect.Effect<void, StorageError>
  }
>()("@crossdock/catalog/SkuStock") {}
