/**
 * Why a SKU can't be deleted now: it is in an open shipment, or else has reserved stock.
 */
import type { CompanyId } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import type { Use } from "../ProductChanges.ts"
import { SkuShipments } from "../SkuShipments.ts"
import { SkuStock } from "../SkuStock.ts"

/**
 * Makes `lock`, which locks what is deleted with SKUs, before their company is locked; and `usesOf`, which returns the uses
 * of SKUs. Another write may add a level and reserve from it until the company is locked, so the uses are read afterwards.
 * A SKU that is not in use is left out.
 */
export const make = Effect.gen(function* () {
  const [stock, shipments] = [yield* SkuStock, yield* SkuShipments]

  const lock = (company: CompanyId, skus: ReadonlyArray<string>) =>
    skus.length === 0 ? Effect.void : stock.lock(company, skus)

  const usesOf = (company: CompanyId, skus: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      if (skus.length === 0) return new Map<string, Use>()
      const reserved = yield* stock.reserved(company, skus)
      const open = yield* shipments.open(company, skus)
      return new Map<string, Use>([
        ...[...reserved].map((sku) => [sku, "RESERVED_STOCK"] as const),
        ...[...open].map((sku) => [sku, "OPEN_SHIPMENTS"] as const)
      ])
    })

  return { lock, usesOf }
})
