/**
 * Contract: bulk stock updates (document 1, Inventory record).
 */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import { SellerAuthentication } from "../Authentication.ts"
import { badRequest, conflict, tooLarge, unprocessable, unsupportedMediaType } from "../Failure.ts"
import * as Fields from "../Fields.ts"
import { BulkResult, recordLimit } from "./BulkResult.ts"

const most = 1_000_000_000

/**
 * Whole units. `expected_quantity` makes the write a compare-and-set; null or absent: no condition.
 */
export const StockRecord = Schema.Struct({
  location_id: Fields.name,
  sku: Fields.name,
  quantity: Fields.integer(-most, most),
  expected_quantity: Schema.optional(Schema.NullOr(Fields.integer(0, most)))
}).annotations({ identifier: "StockRecord" })

/**
 * Whether a value is a `StockRecord` at the first glance; one that is not may still be one.
 */
export const isStockRecord = (value: unknown): value is typeof StockRecord.Type => {
  if (typeof value !== "object" || value === null) return false
  const { expected_quantity, location_id, quantity, sku }: Partial<Record<keyof typeof StockRecord.Type, unknown>> =
    value
  return (
    Fields.isPlainName(location_id) &&
    Fields.isPlainName(sku) &&
    Fields.isInteger(quantity, -most, most) &&
    (expected_quantity === undefined || expected_quantity === null || Fields.isInteger(expected_quantity, 0, most))
  )
}

export class StockGroup extends HttpApiGroup.make("stock")
  .add(
    HttpApiEndpoint.put("update", "/ims/v3/inventory")
      .setPayload(Schema.Array(StockRecord).pipe(Schema.maxItems(recordLimit)))
      .addSuccess(BulkResult)
      .annotate(OpenApi.Summary, "Set or adjust the stock of SKUs at locations")
  )
  .addError(badRequest)
  .addError(conflict)
  .addError(tooLarge)
  .addError(unsupportedMediaType)
  .addError(unprocessable)
  .middleware(SellerAuthentication)
  .annotate(OpenApi.Title, "Inventory") {}
