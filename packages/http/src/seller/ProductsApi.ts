/**
 * Contract: product writes and their status. Source: docs/reference/catalog.md#processing.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { SellerAuthentication } from "../Authentication.ts"
import { badRequest, conflict, notFound, tooLarge, unprocessable, unsupportedMediaType } from "../Failure.ts"
import * as Fields from "../internal/Fields.ts"
import { KnownParameters } from "../internal/KnownParameters.ts"
import * as Records from "../internal/Records.ts"

const counts = {
  total: Schema.Int,
  success: Schema.Int,
  failed: Schema.Int,
  status: Schema.String,
  /** Keyed by the product's index as text. */
  errors: Schema.Record(Schema.String, Records.FailedRecord),
  stage: Schema.Literals(["RUNNING", "COMPLETED"]),
  company_id: Schema.Int
}

/**
 * The answer to a write. A dry run has no `trace_id`.
 */
export const WriteResult = Schema.Struct({
  trace_id: Schema.optionalKey(Schema.String),
  ...counts
}).annotate({ identifier: "CatalogWriteResult" })

export const StatusResult = Schema.Struct({
  trace_id: Schema.String,
  ...counts,
  message: Schema.String,
  last_updated_on: Schema.String
}).annotate({ identifier: "CatalogStatusResult" })

/**
 * Declared loosely, since the rules for products depend on their template and category.
 */
const ProductsBody = Schema.Struct({
  template: Schema.optionalKey(Schema.String),
  products: Schema.Array(Fields.object)
}).annotate({ identifier: "ProductsBody" })

const query = Schema.Struct({ dry_run: Fields.withDefault(Fields.queryFlag, false) })

const path = "/v3/catalog/product"

const errors = [badRequest, conflict, tooLarge, unsupportedMediaType] as const

export class ProductsGroup extends HttpApiGroup.make("products")
  .add(
    HttpApiEndpoint.post("create", path, {
      query: query,
      payload: ProductsBody,
      success: WriteResult,
      error: [...errors, unprocessable]
    }).annotate(OpenApi.Summary, "Create products in the background; the answer has a trace_id to follow them")
  )
  .add(
    HttpApiEndpoint.put("update", path, {
      query: query,
      payload: ProductsBody,
      success: WriteResult,
      error: [...errors, unprocessable]
    }).annotate(OpenApi.Summary, "Update products in the background; the answer has a trace_id to follow them")
  )
  .add(
    HttpApiEndpoint.delete("delete", path, {
      query: query,
      payload: ProductsBody,
      success: WriteResult,
      error: [...errors, unprocessable]
    }).annotate(OpenApi.Summary, "Delete products or sizes in the background; the answer has a trace_id to follow them")
  )
  .add(
    HttpApiEndpoint.get("status", "/v3/catalog/status", {
      query: Schema.Struct({ trace_id: Fields.name }),
      success: StatusResult,
      error: [...errors, notFound]
    }).annotate(OpenApi.Summary, "Read the status of a catalog write")
  )
  .middleware(KnownParameters)
  .middleware(SellerAuthentication)
  .annotate(OpenApi.Title, "Products") {}
