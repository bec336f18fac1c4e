/**
 * Why a SKU can't be deleted now: it is in an open shipment, or else has reserved stock.
 */
import type { CompanyId } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import type { Use } from "../ProductChanges.ts"
import { SkuShipments } from "../SkuShipments.ts"
import { SkuStock } from "../SkuStock.ts"

/**
 * The uses of these SKUs; a SKU that is not in use is left out. Stock is locked before shipments are read: a later order
 * finds nothing to reserve.
 */
export const make = Effect.gen(function* () {
  const [stock, shipments] = [yield* SkuStock, yield* SkuShipments]

  return (company: CompanyId, skus: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      if (skus.length === 0) return new Map<string, Use>()
      const reserved = yield* stock.reserved(company, skus)
      const open = yield* shipments.open(company, skus)
      return new Map<string, Use>([
        ...[...reserved].map((sku) => [sku, "RESERVED_STOCK"] as const),
        ...[...open].map((sku) => [sku, "OPEN_SHIPMENTS"] as const)
      ])
    })
})
