/** The short keys of a SKU and a location, the key of levels and prices. */
import type { CompanyId, StockKey } from "@crossdock/kernel"
import { locations } from "./DirectoryMemory.ts"
import { sizes } from "./ProductStoreMemory.ts"
import type * as Table from "./Table.ts"

export interface RowKey extends StockKey {
  readonly sizeId: number
  readonly locationId: number
}

export const keyOf = ({ locationId, sizeId }: Pick<RowKey, "sizeId" | "locationId">): string =>
  `${locationId}:${sizeId}`

export const find = (
  tables: Table.Tables,
  company: CompanyId,
  { location, sku }: StockKey
): RowKey | "UNKNOWN_SKU" | "UNKNOWN_LOCATION" => {
  const known = locations.get(tables, company, location)
  if (known === undefined) return "UNKNOWN_LOCATION"
  const size = sizes.get(tables, company, sku)
  return size === undefined ? "UNKNOWN_SKU" : { sku, location, sizeId: size.id, locationId: known.id }
}

/** Whether the SKU hasn't been deleted or recreated since it was read. */
export const isPresent = (tables: Table.Tables, company: CompanyId, { sizeId, sku }: RowKey): boolean =>
  sizes.get(tables, company, sku)?.id === sizeId
