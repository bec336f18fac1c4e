/** Port: stock and prices in one view; and that view, composed from the ports of stock, prices, products and locations. */
import type { Directory } from "@crossdock/access"
import {
  type CompanyId,
  firstRows,
  Page,
  type StockFilter,
  type StockKey,
  type StockRows,
  type StorageError,
  stockKeyOrder,
  stockKeyText
} from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { StockLevels } from "./StockLevels.ts"

/**
 * A SKU at a location with a price or stock. Prices are in minor units, null without a price; `modifiedAt` is in epoch
 * milliseconds. Source: docs/reference/stock.md#listings.
 */
export interface Listing extends StockKey {
  readonly itemCode: string
  readonly name: string
  readonly brand: string
  readonly size: string
  readonly mrp: number | null
  readonly esp: number | null
  readonly currency: string
  readonly onHand: number
  readonly reserved: number
  readonly unsellable: number
  readonly batch: boolean
  readonly modifiedAt: number
}

/** Which listings to read. */
export type ListingFilter = StockFilter

/** Law: listings are ordered by SKU, then location, by code point. */
export class Listings extends Context.Service<
  Listings,
  {
    readonly page: (
      company: CompanyId,
      filter: ListingFilter,
      page: Page.Page
    ) => Effect.Effect<ReadonlyArray<Listing>, StorageError>
    /** `withBatches` includes the listings of batch-tracked products. */
    readonly count: (
      company: CompanyId,
      filter: ListingFilter & { readonly withBatches: boolean }
    ) => Effect.Effect<number, StorageError>
  }
>()("@crossdock/inventory/Listings") {}

/** What listings show of a product. */
export interface ListedProduct extends Pick<Listing, "itemCode" | "name" | "brand"> {
  readonly sizes: ReadonlyArray<{ readonly sku: string; readonly name: string }>
}

/** The ports from which listings are composed: `StockLevels`, `PriceStore`, `ProductStore` and `Directory`. */
export interface ListingPorts<Product> {
  readonly levels: Pick<typeof StockLevels.Service, "list">
  readonly prices: { readonly list: StockRows<{ readonly mrp: number; readonly esp: number }> }
  readonly products: {
    readonly find: (
      company: CompanyId,
      keys: { readonly itemCodes: readonly []; readonly slugs: readonly []; readonly skus: ReadonlyArray<string> }
    ) => Effect.Effect<ReadonlyArray<Product>, StorageError>
  }
  readonly directory: Pick<typeof Directory.Service, "locations">
}

const nothing: Pick<Listing, "mrp" | "esp" | "onHand" | "reserved" | "unsellable"> = {
  mrp: null,
  esp: null,
  onHand: 0,
  reserved: 0,
  unsellable: 0
}

/**
 * `Listings` of any ports, each read at a moment of its own. A page costs as much as the rows up to its end, and a count
 * as all rows: a storage whose tables can be joined has a faster one.
 */
export const composedListings = <Product extends ListedProduct>(
  { directory, levels, prices, products }: ListingPorts<Product>,
  isBatchTracked: (product: Product) => boolean
): typeof Listings.Service => {
  const rowsOf = (company: CompanyId, filter: ListingFilter, count?: number) =>
    firstRows(
      (after, limit) =>
        Effect.map(
          Effect.all([levels.list(company, filter, after, limit), prices.list(company, filter, after, limit)]),
          ([stock, priced]) => {
            const rows = new Map(stock.map((level) => [stockKeyText(level), { ...nothing, ...level }]))
            for (const price of priced) {
              const level = rows.get(stockKeyText(price)) ?? { ...nothing, modifiedAt: 0 }
              const modifiedAt = Math.max(level.modifiedAt, price.modifiedAt)
              rows.set(stockKeyText(price), { ...level, ...price, modifiedAt })
            }
            return [...rows.values()].sort(stockKeyOrder).slice(0, limit)
          }
        ),
      count
    )

  const soldOf = (company: CompanyId, rows: ReadonlyArray<StockKey>) =>
    Effect.map(
      products.find(company, { itemCodes: [], slugs: [], skus: [...new Set(rows.map(({ sku }) => sku))] }),
      (found) =>
        new Map(
          found.flatMap((product) => product.sizes.map(({ name, sku }) => [sku, { product, size: name }] as const))
        )
    )

  return Listings.of({
    page: Effect.fnUntraced(function* (company, filter, page) {
      const rows = (yield* rowsOf(company, filter, Page.offset(page) + page.size)).slice(Page.offset(page))
      if (rows.length === 0) return []
      const sold = yield* soldOf(company, rows)
      const currencies = new Map((yield* directory.locations([company])).map(({ code, currency }) => [code, currency]))
      return rows.flatMap(
        ({ esp, location, modifiedAt, mrp, onHand, reserved, sku, unsellable }): ReadonlyArray<Listing> => {
          const [found, currency] = [sold.get(sku), currencies.get(location)]
          if (found === undefined || currency === undefined) return []
          const { product, size } = found
          const { brand, itemCode, name } = product
          const stock = { onHand, reserved, unsellable, batch: isBatchTracked(product), modifiedAt }
          return [{ sku, location, itemCode, name, brand, size, mrp, esp, currency, ...stock }]
        }
      )
    }),
    count: Effect.fnUntraced(function* (company, filter) {
      const rows = yield* rowsOf(company, filter)
      if (filter.withBatches || rows.length === 0) return rows.length
      const sold = yield* soldOf(company, rows)
      return rows.filter(({ sku }) => {
        const found = sold.get(sku)
        return found !== undefined && !isBatchTracked(found.product)
      }).length
    })
  })
}
