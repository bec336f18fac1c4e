/** Contract: prices, stock and their listings. Source: docs/reference/prices.md and stock.md. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { SellerAuthentication } from "../Authentication.ts"
import { badRequest } from "../Failure.ts"
import { bulk, bulkCodes, bulkResult, Meta } from "../internal/BulkOperation.ts"
import * as Fields from "../internal/Fields.ts"
import { field } from "../internal/Fields.ts"
import { Limits } from "../Limits.ts"

const location_id = field(Fields.name, "Code of a location of the company, within the token's access")
const sku = field(Fields.name, "The primary_identifier of a size in the company's catalog")

/** Amounts are decimal numbers of the currency. */
export const PriceRecord = Schema.Struct({
  location_id,
  sku,
  esp: Fields.amount,
  mrp: Fields.amount,
  currency: field(Fields.currency, "The location's currency")
}).annotate({
  identifier: "PriceRecord",
  description:
    "The prices of one SKU at one location, in the currency's main unit, with no more decimals than the currency has"
})

/** A record of a stock update. With an `expected_quantity` it is a compare-and-set. */
export const StockRecord = Schema.Struct({
  location_id,
  sku,
  quantity: field(
    Fields.integer(-Limits.quantity, Limits.quantity),
    `Policy set: the stock on hand in units. Policy adjust: units to add, or to subtract if negative. The stock on hand must stay from 0 to ${Limits.quantity.toLocaleString("en-US")}`
  ),
  expected_quantity: Schema.optionalKey(Schema.NullOr(Fields.integer(0, Limits.quantity)))
}).annotate({ identifier: "StockRecord", description: "The stock of one SKU at one location" })

const updates = { limit: Limits.bulkRecords, keys: ["sku", "location_id"], result: bulkResult }

export const prices = bulk({
  ...updates,
  record: PriceRecord,
  to: ({ location_id, ...record }) => ({ ...record, location: location_id })
})

export const stock = bulk({
  ...updates,
  record: StockRecord,
  to: ({ expected_quantity, location_id, quantity, sku }) => ({
    location: location_id,
    sku,
    quantity,
    expected: expected_quantity ?? null
  })
})

export class PriceGroup extends HttpApiGroup.make("price")
  .add(HttpApiEndpoint.put("update", "/ims/v3/price", prices.contract).annotateMerge(bulkCodes))
  .middleware(SellerAuthentication) {}

export class StockGroup extends HttpApiGroup.make("stock")
  .add(HttpApiEndpoint.put("update", "/ims/v3/inventory", stock.contract).annotateMerge(bulkCodes))
  .middleware(SellerAuthentication) {}

/** `quantity` is the stock on hand. Amounts are decimal numbers of the currency, null without a price. */
export const Listing = Schema.Struct({
  sku: field(Schema.String, "The primary_identifier of a size in the company's catalog"),
  location_id: field(Schema.String, "Code of the location"),
  item_code: field(Schema.String, "The product's item code"),
  name: field(Schema.String, "The product's name"),
  brand: field(Schema.String, "The brand's name"),
  size: field(Schema.String, "The size's name"),
  mrp: Schema.NullOr(Schema.Finite),
  esp: Schema.NullOr(Schema.Finite),
  currency: field(Fields.currency, "The location's currency"),
  quantity: field(Fields.count(), "Stock on hand in units"),
  reserved: field(Fields.count(), "Units reserved for open shipments"),
  sellable: field(Fields.count(), "Units that can be ordered: on hand less reserved, never below 0"),
  unsellable: field(Fields.count(), "Returned units that failed the quality check"),
  batch: field(Schema.Boolean, "Whether the size is batch-tracked"),
  modified_on: field(Fields.time, "Last change of the row, ISO 8601 in UTC")
}).annotate({
  identifier: "Listing",
  description: "Stock and prices (in the currency's main unit) of one SKU at one location"
})

const answer = <S extends Schema.Constraint>(data: S, description: string) =>
  Schema.Struct({ data, meta: field(Meta, "About this answer") }).annotate({ description })

export class ListingsGroup extends HttpApiGroup.make("listings")
  .add(
    HttpApiEndpoint.get("page", "/ims/v3/listings", {
      query: Schema.Struct({
        page_no: field(Fields.withDefault(Fields.queryInteger(1, Limits.pageNumber), 1), "Page, from 1"),
        page_size: field(Fields.withDefault(Fields.queryInteger(1, Limits.listingsPageSize), 100), "Rows on a page"),
        skus: Fields.withDefault(Fields.queryList(Limits.listingSkus), [])
      }),
      success: answer(
        field(Schema.Array(Listing), "One row per SKU and location, by SKU and then location"),
        "A page of rows"
      ),
      error: badRequest
    }),
    HttpApiEndpoint.get("count", "/ims/v3/listings/count", {
      headers: Schema.Struct({
        "x-batch-product": Fields.withDefault(Fields.oneOf("TRUE", "FALSE"), "FALSE" as const)
      }),
      success: answer(
        field(Schema.Struct({ listing_count: field(Fields.count(), "Number of rows") }), "The count"),
        "The number of rows"
      ),
      error: badRequest
    })
  )
  .middleware(SellerAuthentication) {}
