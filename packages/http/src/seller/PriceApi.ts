/**
 * Contract: bulk price updates (document 1, Price record).
 */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import { SellerAuthentication } from "../Authentication.ts"
import { badRequest, conflict, tooLarge, unprocessable, unsupportedMediaType } from "../Failure.ts"
import * as Fields from "../Fields.ts"
import { BulkResult, recordLimit } from "./BulkResult.ts"

/**
 * Money as decimal numbers of the currency.
 */
export const PriceRecord = Schema.Struct({
  location_id: Fields.name,
  sku: Fields.name,
  esp: Fields.amount,
  mrp: Fields.amount,
  currency: Fields.name
}).annotations({ identifier: "PriceRecord" })

/**
 * Whether a value is a `PriceRecord` at the first glance; one that is not may still be one.
 */
export const isPriceRecord = (value: unknown): value is typeof PriceRecord.Type => {
  if (typeof value !== "object" || value === null) return false
  const { currency, esp, location_id, mrp, sku }: Partial<Record<keyof typeof PriceRecord.Type, unknown>> = value
  return (
    Fields.isPlainName(location_id) &&
    Fields.isPlainName(sku) &&
    Fields.isPlainName(currency) &&
    Number.isFinite(mrp) &&
    Number.isFinite(esp)
  )
}

export class PriceGroup extends HttpApiGroup.make("price")
  .add(
    HttpApiEndpoint.put("update", "/ims/v3/price")
      .setPayload(Schema.Array(PriceRecord).pipe(Schema.maxItems(recordLimit)))
      .addSuccess(BulkResult)
      .annotate(OpenApi.Summary, "Set MRP and ESP of SKUs at locations")
  )
  .addError(badRequest)
  .addError(conflict)
  .addError(tooLarge)
  .addError(unsupportedMediaType)
  .addError(unprocessable)
  .middleware(SellerAuthentication)
  .annotate(OpenApi.Title, "Pricing") {}
