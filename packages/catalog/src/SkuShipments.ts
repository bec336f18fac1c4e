/**
 * Port: shipments of SKUs that are about to be deleted. The storage of orders fills it.
 */
import type { CompanyId, StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/**
 * Whether SKUs are in shipments that may still move stock.
 */
export class SkuShipments extends Context.Service<
  SkuShipments,
  {
    /** Those of these SKUs that are in a shipment of the company that may still move stock: open, or before its quality check. */
    readonly open: (company: CompanyId, skus: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>, StorageError>
  }
>()("@crossdock/catalog/SkuShipments") {}
