/**
 * Contract: bulk stock updates. Source: docs/reference/stock.md#record.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { SellerAuthentication } from "../Authentication.ts"
import { badRequest, conflict, tooLarge, unprocessable, unsupportedMediaType } from "../Failure.ts"
import * as Fields from "../internal/Fields.ts"
import { KnownParameters } from "../internal/KnownParameters.ts"
import { Limits } from "../Limits.ts"
import { BulkResult } from "./BulkResult.ts"

/**
 * Quantities are whole units. `expected_quantity` makes the write a compare-and-set; null or absent means no condition.
 */
export const StockRecord = Schema.Struct({
  location_id: Fields.name,
  sku: Fields.name,
  quantity: Fields.integer(-Limits.quantity, Limits.quantity),
  expected_quantity: Schema.optionalKey(Schema.NullOr(Fields.integer(0, Limits.quantity)))
}).annotate({ identifier: "StockRecord" })

const errors = [badRequest, conflict, tooLarge, unsupportedMediaType, unprocessable] as const

export class StockGroup extends HttpApiGroup.make("stock")
  .add(
    HttpApiEndpoint.put("update", "/ims/v3/inventory", {
      payload: Schema.Array(StockRecord).pipe(Schema.check(Schema.isMaxLength(Limits.bulkRecords))),
      success: BulkResult,
      error: errors
    }).annotate(OpenApi.Summary, "Set or adjust the stock of SKUs at locations")
  )
  .middleware(KnownParameters)
  .middleware(SellerAuthentication)
  .annotate(OpenApi.Title, "Inventory") {}
