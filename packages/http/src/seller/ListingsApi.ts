/**
 * Contract: listings and their count (document 1, Listing responses).
 */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import { SellerAuthentication } from "../Authentication.ts"
import { badRequest } from "../Failure.ts"
import * as Fields from "../Fields.ts"
import { Meta } from "./BulkResult.ts"

/**
 * `quantity` is the stock on hand; money in the currency's decimals, null where there is no price.
 */
export const Listing = Schema.Struct({
  sku: Schema.String,
  location_id: Schema.String,
  item_code: Schema.String,
  name: Schema.String,
  brand: Schema.String,
  size: Schema.String,
  mrp: Schema.NullOr(Schema.Number),
  esp: Schema.NullOr(Schema.Number),
  currency: Schema.String,
  quantity: Schema.Int,
  reserved: Schema.Int,
  sellable: Schema.Int,
  unsellable: Schema.Int,
  batch: Schema.Boolean,
  modified_on: Schema.String
}).annotations({ identifier: "Listing" })

const query = Fields.query({
  page_no: Schema.optionalWith(Fields.queryInteger(1, 1_000_000_000), { default: () => 1, exact: true }),
  page_size: Schema.optionalWith(Fields.queryInteger(1, 500), { default: () => 100, exact: true }),
  skus: Schema.optionalWith(Fields.queryList(10), { default: () => [], exact: true })
})

const headers = Schema.Struct({
  "x-batch-product": Schema.optionalWith(Fields.oneOf("TRUE", "FALSE"), {
    default: () => "FALSE" as const,
    exact: true
  })
})

export class ListingsGroup extends HttpApiGroup.make("listings")
  .add(
    HttpApiEndpoint.get("page", "/ims/v3/listings")
      .setUrlParams(query)
      .addSuccess(Schema.Struct({ data: Schema.Array(Listing), meta: Meta }))
      .annotate(OpenApi.Summary, "Read stock and prices, one row per SKU and location")
  )
  .add(
    HttpApiEndpoint.get("count", "/ims/v3/listings/count")
      .setHeaders(headers)
      .addSuccess(Schema.Struct({ data: Schema.Struct({ listing_count: Schema.Int }), meta: Meta }))
      .annotate(OpenApi.Summary, "Count the listings")
  )
  .addError(badRequest)
  .middleware(SellerAuthentication)
  .annotate(OpenApi.Title, "Listings") {}
