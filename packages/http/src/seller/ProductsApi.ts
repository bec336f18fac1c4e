/**
 * Contract: writes of products and what came of them (document 1, Catalog write result and Catalog status result).
 */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
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
  errors: Schema.Record({ key: Schema.String, value: Records.FailedRecord }),
  stage: Schema.Literal("RUNNING", "COMPLETED"),
  company_id: Schema.Int
}

/**
 * A dry run has no trace.
 */
export const WriteResult = Schema.Struct({
  trace_id: Schema.optionalWith(Schema.String, { exact: true }),
  ...counts
}).annotations({ identifier: "CatalogWriteResult" })

export const StatusResult = Schema.Struct({
  trace_id: Schema.String,
  ...counts,
  message: Schema.String,
  last_updated_on: Schema.String
}).annotations({ identifier: "CatalogStatusResult" })

/**
 * Declared loosely: the products' rules depend on the template and the category, and are told by the rules themselves.
 */
const ProductsBody = Schema.Struct({
  template: Schema.optionalWith(Schema.String, { exact: true }),
  products: Schema.Array(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
}).annotations({ identifier: "ProductsBody" })

/** In bytes (contract, Errors 413). */
export const bodyLimit = 5 * 1024 * 1024

const query = Fields.query({ dry_run: Schema.optionalWith(Fields.queryFlag, { default: () => false, exact: true }) })

const path = "/v3/catalog/product"

export class ProductsGroup extends HttpApiGroup.make("products")
  .add(
    HttpApiEndpoint.post("create", path)
      .setUrlParams(query)
      .setPayload(ProductsBody)
      .addSuccess(WriteResult)
      .addError(unprocessable)
      .annotate(OpenApi.Summary, "Create products; the trace tells what came of it")
  )
  .add(
    HttpApiEndpoint.put("update", path)
      .setUrlParams(query)
      .setPayload(ProductsBody)
      .addSuccess(WriteResult)
      .addError(unprocessable)
      .annotate(OpenApi.Summary, "Update products; the trace tells what came of it")
  )
  .add(
    HttpApiEndpoint.del("delete", path)
      .setUrlParams(query)
      .setPayload(ProductsBody)
      .addSuccess(WriteResult)
      .addError(unprocessable)
      .annotate(OpenApi.Summary, "Delete products or sizes; the trace tells what came of it")
  )
  .add(
    HttpApiEndpoint.get("status", "/v3/catalog/status")
      .setUrlParams(Fields.query({ trace_id: Fields.name }))
      .addSuccess(StatusResult)
      .addError(notFound)
      .annotate(OpenApi.Summary, "Read what came of a write")
  )
  .addError(badRequest)
  .addError(conflict)
  .addError(tooLarge)
  .addError(unsupportedMediaType)
  .middleware(SellerAuthentication)
  .annotate(OpenApi.Title, "Products") {}
