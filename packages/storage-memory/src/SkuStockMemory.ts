/**
 * Adapter: stock and prices of SKUs that are about to be deleted.
 */
import { SkuStock } from "@crossdock/catalog"
import type { CompanyId } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { locations } from "./DirectoryMemory.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"
import { prices } from "./PriceStoreMemory.ts"
import { sizes } from "./ProductStoreMemory.ts"
import { levels, take } from "./StockLevelsMemory.ts"
import * as StockRows from "./StockRows.ts"
import type * as Table from "./Table.ts"

/**
 * Every place that these SKUs can have stock or a price at.
 */
const placesOf = (tables: Table.Tables, company: CompanyId, skus: ReadonlyArray<string>) =>
  skus.flatMap((sku) =>
    locations.entries(tables, company).flatMap(([, location]) => {
      const size = sizes.get(tables, company, sku)
      return size === undefined ? [] : [{ sku, key: StockRows.keyOf({ sizeId: size.id, locationId: location.id }) }]
    })
  )

export const make = Effect.gen(function* () {
  const database = yield* MemoryDatabase

  return SkuStock.of({
    // There is one writer at a time: nothing to lock.
    lock: () => Effect.void,
    reserved: (company, skus) =>
      database.read((tables) => {
        const isReserved = (key: string) => (levels.get(tables, company, key)?.level.reserved ?? 0) > 0
        return new Set(placesOf(tables, company, skus).flatMap(({ key, sku }) => (isReserved(key) ? [sku] : [])))
      }),
    remove: (company, skus, { at, changeNumber }) =>
      database.write((tables) => {
        const keys = placesOf(tables, company, skus).map(({ key }) => key)
        return prices.remove(take(tables, company, keys, changeNumber, at), company, keys)
      })
  })
})

export const layer: Layer.Layer<SkuStock, never, MemoryDatabase> = Layer.effect(SkuStock, make)
