/**
 * Contract: listings and their count. Source: docs/reference/stock.md#listings.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { SellerAuthentication } from "../Authentication.ts"
import { badRequest } from "../Failure.ts"
import * as Fields from "../internal/Fields.ts"
import { described } from "../internal/Fields.ts"
import { group, operation } from "../internal/OpenApiDocument.ts"
import { Limits } from "../Limits.ts"
import { Meta } from "./BulkResult.ts"

/**
 * `quantity` is the stock on hand. Amounts are decimal numbers of the currency, null without a price.
 */
export const Listing = Schema.Struct({
  sku: described(Schema.String, "The primary_identifier of a size in the company's catalog"),
  location_id: described(Schema.String, "Code of the location"),
  item_code: described(Schema.String, "The product's item code"),
  name: described(Schema.String, "The product's name"),
  brand: described(Schema.String, "The brand's name"),
  size: described(Schema.String, "The size's name"),
  mrp: described(
    Schema.NullOr(Schema.Finite),
    "Maximum retail price of one unit in the currency's main unit; null without a price"
  ),
  esp: described(
    Schema.NullOr(Schema.Finite),
    "Effective selling price of one unit in the currency's main unit; null without a price"
  ),
  currency: described(Fields.currency, "The location's currency"),
  quantity: described(Fields.count(), "Stock on hand in units"),
  reserved: described(Fields.count(), "Units reserved for open shipments"),
  sellable: described(Fields.count(), "Units that can be ordered: on hand less reserved, never below 0"),
  unsellable: described(Fields.count(), "Units that came back and failed the quality check"),
  batch: described(Schema.Boolean, "Whether the article is tracked by batches"),
  modified_on: described(Fields.time, "Last change of the row, ISO 8601 in UTC")
}).annotate({ identifier: "Listing", description: "Stock and prices of one SKU at one location" })

const query = Schema.Struct({
  page_no: described(Fields.withDefault(Fields.queryInteger(1, Limits.pageNumber), 1), "Page, from 1"),
  page_size: described(Fields.withDefault(Fields.queryInteger(1, Limits.listingsPageSize), 100), "Rows on a page"),
  skus: described(Fields.withDefault(Fields.queryList(Limits.listingSkus), []), "SKUs, comma-separated, at most 10")
})

const headers = Schema.Struct({
  "x-batch-product": described(
    Fields.withDefault(Fields.oneOf("TRUE", "FALSE"), "FALSE" as const),
    "TRUE counts batch-tracked articles too"
  )
})

const errors = [badRequest] as const

export class ListingsGroup extends HttpApiGroup.make("listings")
  .add(
    HttpApiEndpoint.get("page", "/ims/v3/listings", {
      query: query,
      success: Schema.Struct({
        data: described(Schema.Array(Listing), "One row per SKU and location, by SKU and then location"),
        meta: described(Meta, "About this answer")
      }).annotate({ description: "A page of rows" }),
      error: errors
    }).annotateMerge(
      operation(
        "List stock and prices",
        "One row per SKU and location that has a price or stock. Any integration of the company may call it; with a location-level token only for its own locations.",
        "stock.md#listings"
      )
    )
  )
  .add(
    HttpApiEndpoint.get("count", "/ims/v3/listings/count", {
      headers: headers,
      success: Schema.Struct({
        data: described(Schema.Struct({ listing_count: described(Fields.count(), "Number of rows") }), "The count"),
        meta: described(Meta, "About this answer")
      }).annotate({ description: "The number of rows" }),
      error: errors
    }).annotateMerge(
      operation(
        "Count the listings",
        "The number of rows of the list. Any integration of the company may call it; with a location-level token only for its own locations.",
        "stock.md#count"
      )
    )
  )
  .middleware(SellerAuthentication)
  .annotateMerge(group("Listings", "Stock and prices as they are")) {}
