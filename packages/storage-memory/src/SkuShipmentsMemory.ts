/**
 * Adapter: shipments of SKUs that are about to be deleted.
 */
import { SkuShipments } from "@crossdock/catalog"
import { mayMoveStock } from "@crossdock/shipments"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { MemoryDatabase } from "./MemoryDatabase.ts"
import { shipments } from "./ShipmentStoreMemory.ts"

export const make = Effect.gen(function* () {
  const database = yield* MemoryDatabase

  return SkuShipments.of({
    open: (company, skus) =>
      database.read((tables) => {
        const wanted = new Set(skus)
        const open = shipments.entries(tables, company).filter(([, { status }]) => mayMoveStock(status))
        return new Set(open.flatMap(([, { items }]) => items.map(({ sku }) => sku).filter((sku) => wanted.has(sku))))
      })
  })
})

export const layer: Layer.Layer<SkuShipments, never, MemoryDatabase> = Layer.effect(SkuShipments, make)
