/**
 * Adapter: what shipments, stock and prices hold against taking a SKU away.
 */
import { type ProductChanges, ProductUse } from "@crossdock/catalog"
import type { CompanyId } from "@crossdock/kernel"
import { mayMoveStock } from "@crossdock/shipments"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { locations } from "./DirectoryMemory.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"
import * as Place from "./Place.ts"
import { prices } from "./PriceStoreMemory.ts"
import { sizes } from "./ProductStoreMemory.ts"
import { shipments } from "./ShipmentStoreMemory.ts"
import { levels, take } from "./StockLevelsMemory.ts"
import type * as Table from "./Table.ts"

/**
 * Every place that these SKUs can have stock or a price at.
 */
const placesOf = (tables: Table.Tables, company: CompanyId, skus: ReadonlyArray<string>) =>
  skus.flatMap((sku) =>
    locations.entries(tables, company).flatMap(([, location]) => {
      const size = sizes.get(tables, company, sku)
      return size === undefined ? [] : [{ sku, key: Place.keyOf({ sizeId: size.id, locationId: location.id }) }]
    })
  )

const reserved = (tables: Table.Tables, company: CompanyId, skus: ReadonlyArray<string>): ReadonlyArray<string> =>
  placesOf(tables, company, skus).flatMap(({ key, sku }) =>
    (levels.get(tables, company, key)?.level.reserved ?? 0) > 0 ? [sku] : []
  )

const shipped = (tables: Table.Tables, company: CompanyId, skus: ReadonlyArray<string>): ReadonlyArray<string> => {
  const wanted = new Set(skus)
  return shipments
    .entries(tables, company)
    .filter(([, shipment]) => mayMoveStock(shipment.status))
    .flatMap(([, shipment]) => shipment.items.map(({ sku }) => sku))
    .filter((sku) => wanted.has(sku))
}

export const make = Effect.gen(function* () {
  const database = yield* MemoryDatabase

  return ProductUse.of({
    uses: (company, skus) =>
      database.read(
        (tables) =>
          new Map<string, ProductChanges.Use>([
            ...reserved(tables, company, skus).map((sku) => [sku, "RESERVED_STOCK"] as const),
            ...shipped(tables, company, skus).map((sku) => [sku, "OPEN_SHIPMENTS"] as const)
          ])
      ),
    clear: (company, skus, { at, number }) =>
      database.write((tables) => {
        const keys = placesOf(tables, company, skus).map(({ key }) => key)
        return prices.remove(take(tables, company, keys, number, at), company, keys)
      })
  })
})

export const layer: Layer.Layer<ProductUse, never, MemoryDatabase> = Layer.effect(ProductUse, make)
