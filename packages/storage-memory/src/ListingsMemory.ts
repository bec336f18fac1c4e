/** Adapter: the joined view of stock and prices. */
import { isBatchTracked } from "@crossdock/catalog"
import { type Listing, type ListingFilter, Listings } from "@crossdock/inventory"
import { type CompanyId, Page, required } from "@crossdock/kernel"
import * as Order from "effect/Order"
import { locations } from "./DirectoryMemory.ts"
import { adapter } from "./MemoryDatabase.ts"
import { prices } from "./PriceStoreMemory.ts"
import { findRow, products, type RowKey, rowKeyOf, sizes } from "./ProductStoreMemory.ts"
import { levels } from "./StockLevelsMemory.ts"
import * as Table from "./Table.ts"

const bySkuAndLocation = Order.combine(
  Order.mapInput(Table.textOrder, (listing: Listing) => listing.sku),
  Order.mapInput(Table.textOrder, (listing: Listing) => listing.location)
)

const listingOf = (
  tables: Table.Tables,
  company: CompanyId,
  { location, sku }: Pick<RowKey, "sku" | "location">
): ReadonlyArray<Listing> => {
  const place = findRow(tables, company, { location, sku })
  const product = products.get(tables, company, sizes.get(tables, company, sku)?.itemCode ?? "")
  const size = product?.sizes.find((one) => one.sku === sku)
  if (typeof place === "string" || product === undefined || size === undefined) return []
  const stock = levels.get(tables, company, rowKeyOf(place))
  const price = prices.get(tables, company, rowKeyOf(place))
  if (stock === undefined && price === undefined) return []
  return [
    {
      sku,
      location,
      itemCode: product.itemCode,
      name: product.name,
      brand: product.brand,
      size: size.name,
      mrp: price?.mrp ?? null,
      esp: price?.esp ?? null,
      currency: required(locations.get(tables, company, location), `the location ${location}`).currency,
      onHand: stock?.level.onHand ?? 0,
      reserved: stock?.level.reserved ?? 0,
      unsellable: stock?.level.unsellable ?? 0,
      batch: isBatchTracked(product),
      modifiedAt: Math.max(stock?.modifiedAt ?? 0, price?.modifiedAt ?? 0)
    }
  ]
}

const matching = (tables: Table.Tables, company: CompanyId, filter: ListingFilter): ReadonlyArray<Listing> => {
  const all = (table: Pick<Table.Table<unknown>, "entries">) => table.entries(tables, company).map(([key]) => key)
  const codes = filter.locations ?? all(locations)
  const skus = filter.skus.length === 0 ? all(sizes) : filter.skus
  return [...new Set(skus)]
    .flatMap((sku) => [...new Set(codes)].flatMap((location) => listingOf(tables, company, { location, sku })))
    .sort(bySkuAndLocation)
}

export const layer = adapter(Listings, (database) => ({
  page: (company, filter, page) =>
    database.read((tables) =>
      matching(tables, company, filter).slice(Page.offset(page), Page.offset(page) + page.size)
    ),
  count: (company, filter) =>
    database.read(
      (tables) => matching(tables, company, filter).filter((listing) => filter.withBatches || !listing.batch).length
    )
}))
