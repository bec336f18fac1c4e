/**
 * Port: what outer domains hold against taking a SKU away, and what of theirs goes with it.
 */
import type { CompanyWrite } from "@crossdock/audit"
import type { CompanyId, StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Use } from "./ProductFacts.ts"

/**
 * Laws: a SKU in a shipment of the company that may yet move its stock (an open one, or one that waits for its quality
 * check) is `OPEN_SHIPMENTS`, else one with reserved stock `RESERVED_STOCK`; others are left out. Inside a transaction the SKUs' stock levels are held until it ends, so that nothing is reserved meanwhile.
 */
export class ProductUse extends Context.Service<
  ProductUse,
  {
    readonly uses: (
      company: CompanyId,
      skus: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, Use>, StorageError>
    /**
     * Takes away the levels and prices of these SKUs, before the sizes go. Levels that were marked once are marked as gone
     * under the change's number and time, so that marketplaces that were notified of the stock are notified that it is gone.
     */
    readonly clear: (
      company: CompanyId,
      skus: ReadonlyArray<string>,
      mark: CompanyWrite.Mark
    ) => Effect.Effect<void, StorageError>
  }
>()("@crossdock/catalog/ProductUse") {}
