/** Handlers: bulk updates of prices and stock, and their listings. */
import { Inventory, Level, type Listing as StockListing } from "@crossdock/inventory"
import { Ids, Money } from "@crossdock/kernel"
import { Pricing } from "@crossdock/pricing"
import * as Effect from "effect/Effect"
import { Seller } from "../Authentication.ts"
import { metaOf } from "../internal/BulkOperation.ts"
import * as Endpoints from "../internal/Endpoints.ts"
import { iso } from "../internal/Fields.ts"
import { Reply } from "../Reply.ts"
import { type Listing, ListingsGroup, PriceGroup, prices, StockGroup, stock } from "./InventoryApi.ts"

const services = Effect.all({ caller: Effect.succeed(Seller), ids: Ids.Ids, reply: Reply })

export const priceUpdates = Endpoints.group(PriceGroup, function* (handlers) {
  return handlers({ update: prices.handler(yield* services, (yield* Pricing.Pricing).setPrices) })
})

export const stockUpdates = Endpoints.group(StockGroup, function* (handlers) {
  return handlers({ update: stock.handler(yield* services, (yield* Inventory.Inventory).setStock) })
})

const money = (minor: number | null, currency: string) => (minor === null ? null : Money.toNumber(minor, currency))

const listing = (row: StockListing): typeof Listing.Type => ({
  sku: row.sku,
  location_id: row.location,
  item_code: row.itemCode,
  name: row.name,
  brand: row.brand,
  size: row.size,
  mrp: money(row.mrp, row.currency),
  esp: money(row.esp, row.currency),
  currency: row.currency,
  quantity: row.onHand,
  reserved: row.reserved,
  sellable: Level.sellable(row),
  unsellable: row.unsellable,
  batch: row.batch,
  modified_on: iso(row.modifiedAt)
})

export const listings = Endpoints.group(ListingsGroup, function* (handlers) {
  const inventory = yield* Inventory.Inventory
  const ids = yield* Ids.Ids
  return handlers({
    page: Effect.fnUntraced(function* ({ query }) {
      const caller = yield* Seller
      const page = { number: query.page_no, size: query.page_size }
      const rows = yield* inventory.listings(caller, query.skus, page)
      return { data: rows.map(listing), meta: yield* metaOf(ids, caller, "SUCCESS") }
    }),
    count: Effect.fnUntraced(function* ({ headers }) {
      const caller = yield* Seller
      const withBatches = headers["x-batch-product"] === "TRUE"
      const count = yield* inventory.countListings(caller, { withBatches })
      return { data: { listing_count: count }, meta: yield* metaOf(ids, caller, "SUCCESS") }
    })
  })
})
