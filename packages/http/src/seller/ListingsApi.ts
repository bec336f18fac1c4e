/**
 * Contract: listings and their count. Source: docs/reference/stock.md#listings.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { SellerAuthentication } from "../Authentication.ts"
import { badRequest } from "../Failure.ts"
import * as Fields from "../internal/Fields.ts"
import { KnownParameters } from "../internal/KnownParameters.ts"
import { Limits } from "../Limits.ts"
import { Meta } from "./BulkResult.ts"

/**
 * `quantity` is the stock on hand. Amounts are decimal numbers of the currency, null without a price.
 */
export const Listing = Schema.Struct({
  sku: Schema.String,
  location_id: Schema.String,
  item_code: Schema.String,
  name: Schema.String,
  brand: Schema.String,
  size: Schema.String,
  mrp: Schema.NullOr(Schema.Finite),
  esp: Schema.NullOr(Schema.Finite),
  currency: Schema.String,
  quantity: Schema.Int,
  reserved: Schema.Int,
  sellable: Schema.Int,
  unsellable: Schema.Int,
  batch: Schema.Boolean,
  modified_on: Schema.String
}).annotate({ identifier: "Listing" })

const query = Schema.Struct({
  page_no: Fields.withDefault(Fields.queryInteger(1, Limits.pageNumber), 1),
  page_size: Fields.withDefault(Fields.queryInteger(1, Limits.listingsPageSize), 100),
  skus: Fields.withDefault(Fields.queryList(Limits.listingSkus), [])
})

const headers = Schema.Struct({
  "x-batch-product": Fields.withDefault(Fields.oneOf("TRUE", "FALSE"), "FALSE" as const)
})

const errors = [badRequest] as const

export class ListingsGroup extends HttpApiGroup.make("listings")
  .add(
    HttpApiEndpoint.get("page", "/ims/v3/listings", {
      query: query,
      success: Schema.Struct({ data: Schema.Array(Listing), meta: Meta }),
      error: errors
    }).annotate(OpenApi.Summary, "List stock and prices, one row per SKU and location")
  )
  .add(
    HttpApiEndpoint.get("count", "/ims/v3/listings/count", {
      headers: headers,
      success: Schema.Struct({ data: Schema.Struct({ listing_count: Schema.Int }), meta: Meta }),
      error: errors
    }).annotate(OpenApi.Summary, "Count the listings")
  )
  .middleware(KnownParameters)
  .middleware(SellerAuthentication)
  .annotate(OpenApi.Title, "Listings") {}
