/**
 * Contract: writes of products and what came of them (document 1, Catalog write result and Catalog status result).
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { SellerAuthentication } from "../Authentication.ts"
import { badRequest, conflict, notFound, tooLarge, unprocessable, unsupportedMediaType } from "../Failure.ts"
import * as Fields from "../Fields.ts"
import * as Records from "../Records.ts"

const counts = {
  total: Schema.Int,
  success: Schema.Int,
  failed: Schema.Int,
  status: Schema.String,
  /** By the product's index as text. */
  errors: Schema.Record(Schema.String, Records.FailedRecord),
  stage: Schema.Literals(["RUNNING", "COMPLETED"]),
  company_id: Schema.Int
}

/**
 * A dry run has no trace.
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
 * Declared loosely: the products' rules depend on the template and the category, and are told by the rules themselves.
 */
const ProductsBody = Schema.Struct({
  template: Schema.optionalKey(Schema.String),
  products: Schema.Array(Fields.object)
}).annotate({ identifier: "ProductsBody" })

/** In bytes (contract, Errors 413). */
export const bodyLimit = 5 * 1024 * 1024

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
    }).annotate(OpenApi.Summary, "Create products; the trace tells what came of it")
  )
  .add(
    HttpApiEndpoint.put("update", path, {
      query: query,
      payload: ProductsBody,
      success: WriteResult,
      error: [...errors, unprocessable]
    }).annotate(OpenApi.Summary, "Update products; the trace tells what came of it")
  )
  .add(
    HttpApiEndpoint.delete("delete", path, {
      query: query,
      payload: ProductsBody,
      success: WriteResult,
      error: [...errors, unprocessable]
    }).annotate(OpenApi.Summary, "Delete products or sizes; the trace tells what came of it")
  )
  .add(
    HttpApiEndpoint.get("status", "/v3/catalog/status", {
      query: Schema.Struct({ trace_id: Fields.name }),
      success: StatusResult,
      error: [...errors, notFound]
    }).annotate(OpenApi.Summary, "Read what came of a write")
  )
  .middleware(SellerAuthentication)
  .annotate(OpenApi.Title, "Products") {}
