/**
 * The narrow keys of a SKU at a location, by which levels and prices are kept.
 */
import type { CompanyId } from "@crossdock/kernel"
import { locations } from "./DirectoryMemory.ts"
import { sizes } from "./ProductStoreMemory.ts"
import type * as Table from "./Table.ts"

export interface Place {
  readonly sku: string
  readonly location: string
  readonly sizeId: number
  readonly locationId: number
}

export const keyOf = ({ locationId, sizeId }: Pick<Place, "sizeId" | "locationId">): string => `${locationId}:${sizeId}`

export const find = (
  tables: Table.Tables,
  company: CompanyId,
  { location, sku }: Pick<Place, "sku" | "location">
): Place | "UNKNOWN_SKU" | "UNKNOWN_LOCATION" => {
  const place = locations.get(tables, company, location)
  if (place === undefined) return "UNKNOWN_LOCATION"
  const size = sizes.get(tables, company, sku)
  return size === undefined ? "UNKNOWN_SKU" : { sku, location, sizeId: size.id, locationId: place.id }
}
