/**
 * Contract: bulk stock updates. Source: docs/reference/stock.md#record.
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
 * Quantities are whole units. `expected_quantity` makes the write a compare-and-set; null or absent means no condition.
 */
export const StockRecord = Schema.Struct({
  location_id: described(Fields.name, "Code of a location of the company, within the token's access"),
  sku: described(Fields.name, "The primary_identifier of a size in the company's catalog"),
  quantity: described(
    Fields.integer(-Limits.quantity, Limits.quantity),
    "Whole units. With the integration's policy set: the stock on hand, 0 or more. With adjust: added to the stock on hand, may be negative; on hand stays within 0 and 1,000,000,000"
  ),
  expected_quantity: described(
    Schema.optionalKey(Schema.NullOr(Fields.integer(0, Limits.quantity))),
    "Makes the write a compare-and-set: it happens only when the stock on hand is this number of units. Null or absent: no condition"
  )
}).annotate({ identifier: "StockRecord", description: "The stock of one SKU at one location" })

const errors = [badRequest, conflict, tooLarge, unsupportedMediaType, unprocessable] as const

export class StockGroup extends HttpApiGroup.make("stock")
  .add(
    HttpApiEndpoint.put("update", "/ims/v3/inventory", {
      payload: Schema.Array(StockRecord).pipe(Schema.check(Schema.isMaxLength(Limits.bulkRecords))),
      success: BulkResult,
      error: errors
    })
      .annotateMerge(
        operation(
          "Update stock",
          "Sets the stock on hand of SKUs at locations, or adds to it when the integration's policy is adjust. At most 500 records; records are judged one by one: the valid ones are applied together, the others are listed in errors. Any integration of the company may call it; with a location-level token only for its own locations.",
          "stock.md#record",
          "bulk.md#envelope"
        )
      )
      .annotateMerge(codes("EMPTY_REQUEST", "TOO_MANY_RECORDS"))
  )
  .middleware(SellerAuthentication)
  .annotateMerge(group("Inventory", "Stock per SKU and location")) {}
