/**
 * Contract: bulk price updates. Source: docs/reference/prices.md#record.
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
 * Amounts are decimal numbers of the currency.
 */
export const PriceRecord = Schema.Struct({
  location_id: Fields.name,
  sku: Fields.name,
  esp: Fields.amount,
  mrp: Fields.amount,
  currency: Fields.name
}).annotate({ identifier: "PriceRecord" })

const errors = [badRequest, conflict, tooLarge, unsupportedMediaType, unprocessable] as const

export class PriceGroup extends HttpApiGroup.make("price")
  .add(
    HttpApiEndpoint.put("update", "/ims/v3/price", {
      payload: Schema.Array(PriceRecord).pipe(Schema.check(Schema.isMaxLength(Limits.bulkRecords))),
      success: BulkResult,
      error: errors
    }).annotate(OpenApi.Summary, "Set MRP and ESP of SKUs at locations")
  )
  .middleware(KnownParameters)
  .middleware(SellerAuthentication)
  .annotate(OpenApi.Title, "Pricing") {}
