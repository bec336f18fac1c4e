/**
 * Port: whether outer domains still use a SKU, and deleting their data of it.
 */
import type { CompanyWrite } from "@crossdock/audit"
import type { CompanyId, StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Use } from "./ProductChanges.ts"

/**
 * Laws: a SKU in a shipment of the company that can still move its stock (an open one, or one whose quality check is pending)
 * is `OPEN_SHIPMENTS`; any other SKU with reserved stock is `RESERVED_STOCK`; the rest are left out. Inside a transaction the
 * SKUs' stock levels stay locked until it ends, so that nothing is reserved meanwhile.
 */
export class ProductUse extends Context.Service<
  ProductUse,
  {
    readonly uses: (
      company: CompanyId,
      skus: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, Use>, StorageError>
    /**
     * Deletes the levels and prices of these SKUs, before their sizes are deleted. Levels that were ever marked are marked as
     * deleted under the change's number and time, so that marketplaces are notified of 0 units.
     */
    readonly clear: (
      company: CompanyId,
      skus: ReadonlyArray<string>,
      mark: CompanyWrite.Mark
    ) => Effect.Effect<void, StorageError>
  }
>()("@crossdock/catalog/ProductUse") {}
