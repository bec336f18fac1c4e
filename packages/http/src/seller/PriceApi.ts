/**
 * Contract: bulk price updates. Source: docs/reference/prices.md#record.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { SellerAuthentication } from "../Authentication.ts"
import { badRequest, conflict, tooLarge, unprocessable, unsupportedMediaType } from "../Failure.ts"
import * as Fields from "../internal/Fields.ts"
import { described } from "../internal/Fields.ts"
import { codes, group, operation } from "../internal/OpenApiDocument.ts"
import { Limits } from "../Limits.ts"
import { BulkResult } from "./BulkResult.ts"

/**
 * Amounts are decimal numbers of the currency.
 */
export const PriceRecord = Schema.Struct({
  location_id: described(Fields.name, "Code of a location of the company, within the token's access"),
  sku: described(Fields.name, "The primary_identifier of a size in the company's catalog"),
  esp: described(
    Fields.amount,
    "Effective selling price of one unit, above 0 and at most mrp, in the currency's main unit with at most its decimals"
  ),
  mrp: described(
    Fields.amount,
    "Maximum retail price of one unit, above 0, in the currency's main unit with at most its decimals"
  ),
  currency: described(Fields.currency, "The location's currency")
}).annotate({ identifier: "PriceRecord", description: "The prices of one SKU at one location" })

const errors = [badRequest, conflict, tooLarge, unsupportedMediaType, unprocessable] as const

export class PriceGroup extends HttpApiGroup.make("price")
  .add(
    HttpApiEndpoint.put("update", "/ims/v3/price", {
      payload: Schema.Array(PriceRecord).pipe(Schema.check(Schema.isMaxLength(Limits.bulkRecords))),
      success: BulkResult,
      error: errors
    })
      .annotateMerge(
        operation(
          "Update prices",
          "Sets MRP and ESP of SKUs at locations. At most 500 records; records are judged one by one: the valid ones are applied together, the others are listed in errors. Any integration of the company may call it; with a location-level token only for its own locations.",
          "prices.md#record",
          "bulk.md#envelope"
        )
      )
      .annotateMerge(codes("EMPTY_REQUEST", "TOO_MANY_RECORDS"))
  )
  .middleware(SellerAuthentication)
  .annotateMerge(group("Pricing", "MRP and ESP per SKU and location")) {}
