import type { CompanyId, Page, StockFilter, StockKey, Stored } from "@crossdock/kernel"
import * as Context from "effect/Context"

/** A SKU's stock and price at a location. Prices are in minor units. Source: docs/reference/stock.md#listings. */
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

/** A selection of listings. */
export type ListingFilter = StockFilter

/** Port: lists stock and prices. Law: listings are sorted by SKU and then by location, in code point order. */
export class Listings extends Context.Service<
  Listings,
  {
    readonly page: (company: CompanyId, filter: ListingFilter, page: Page.Page) => Stored<ReadonlyArray<Listing>>
    /** Counts listings. With `withBatches`, the listings of batch-tracked products are counted too. */
    readonly count: (company: CompanyId, filter: ListingFilter & { readonly withBatches: boolean }) => Stored<number>
  }
>()("@crossdock/inventory/Listings") {}
