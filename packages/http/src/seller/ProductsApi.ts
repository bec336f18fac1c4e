/**
 * Contract: product writes and their status. Source: docs/reference/catalog.md#writes.
 */
import { Limits } from "@crossdock/catalog"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { SellerAuthentication } from "../Authentication.ts"
import { badRequest, conflict, notFound, tooLarge, unprocessable, unsupportedMediaType } from "../Failure.ts"
import * as Fields from "../internal/Fields.ts"
import { described } from "../internal/Fields.ts"
import { codes, group, operation } from "../internal/OpenApiDocument.ts"
import * as Records from "../internal/Records.ts"
import * as ProductSchema from "./ProductSchema.ts"

const counts = {
  total: described(Fields.count(Limits.productsPerRequest), "Products in the request"),
  success: described(Fields.count(Limits.productsPerRequest), "Products that were written"),
  failed: described(Fields.count(Limits.productsPerRequest), "Products that were rejected; errors has each of them"),
  errors: described(
    Schema.Record(Schema.String, Records.FailedProduct),
    "The rejected products, by their index in the request as text"
  ),
  company_id: described(Fields.uid, "Id of the company")
}

const traceId = described(Schema.String, "Follow the write with it: 16 hex characters, a hyphen, epoch milliseconds")

/**
 * The answer to a write. A dry run has no `trace_id`.
 */
export const WriteResult = Schema.Struct({
  trace_id: Schema.optionalKey(traceId),
  ...counts,
  status: described(Records.BulkStatus, "Outcome by the counts"),
  stage: described(Schema.Literals(["RUNNING", "COMPLETED"]), "COMPLETED when no product was written")
}).annotate({
  identifier: "CatalogWriteResult",
  description:
    "Look at failed first: 200 is also the answer when some products were rejected, or all. The products are stored by then; the status by trace_id repeats the outcome. A dry run has no trace_id"
})

export const StatusResult = Schema.Struct({
  trace_id: traceId,
  ...counts,
  status: described(Records.BulkStatus, "Outcome by the counts"),
  stage: described(Schema.Literal("COMPLETED"), "Every write is completed when it is answered"),
  message: described(Schema.String, "The status for a person"),
  last_updated_on: described(Fields.time, "When it was written, ISO 8601 in UTC")
}).annotate({
  identifier: "CatalogStatusResult",
  description: "The outcome of a catalog write: look at failed first"
})

/**
 * The rules for products depend on their template and category, so the catalog checks them.
 */
const body = <S extends Schema.Constraint>(product: S) =>
  Schema.Struct({
    template: described(Schema.optionalKey(Schema.String), "Slug of a template of the products' departments"),
    products: described(
      Schema.Array(product).check(Schema.isMaxLength(Limits.productsPerRequest)),
      `The products, 1 to ${Limits.productsPerRequest}`
    )
  })

const query = Schema.Struct({
  dry_run: described(Fields.withDefault(Fields.queryFlag, false), "Judge the request and write nothing")
})

const path = "/v3/catalog/product"

const errors = [badRequest, conflict, tooLarge, unsupportedMediaType] as const

export class ProductsGroup extends HttpApiGroup.make("products")
  .add(
    HttpApiEndpoint.post("create", path, {
      query: query,
      payload: body(ProductSchema.Created),
      success: WriteResult,
      error: [...errors, unprocessable]
    })
      .annotateMerge(
        operation(
          "Create products",
          "Creates products. When any product breaks its shape, none is created and the answer is 400 with all faults; a product whose values don't fit the data fails alone. At most 100 products and 5 MiB. A company-level integration may call it.",
          "catalog.md#create",
          "catalog-rules.md#a-create",
          "catalog.md#writes"
        )
      )
      .annotateMerge(codes("EMPTY_REQUEST", "TOO_MANY_RECORDS"))
  )
  .add(
    HttpApiEndpoint.put("update", path, {
      query: query,
      payload: body(ProductSchema.Updated),
      success: WriteResult,
      error: [...errors, unprocessable]
    })
      .annotateMerge(
        operation(
          "Update products",
          "Updates products. Slug, brand, item code and template never change. At most 100 products and 5 MiB. A company-level integration may call it.",
          "catalog.md#update",
          "catalog-rules.md#an-update",
          "catalog.md#writes"
        )
      )
      .annotateMerge(codes("EMPTY_REQUEST", "TOO_MANY_RECORDS"))
  )
  .add(
    HttpApiEndpoint.delete("delete", path, {
      query: query,
      payload: body(ProductSchema.Deleted),
      success: WriteResult,
      error: [...errors, unprocessable]
    })
      .annotateMerge(
        operation(
          "Delete products",
          "Deletes products, or some of their sizes, with their stock and prices. A product with an open shipment or reserved stock is not deleted. At most 100 products and 5 MiB. A company-level integration may call it.",
          "catalog.md#delete",
          "catalog-rules.md#a-delete",
          "catalog.md#writes"
        )
      )
      .annotateMerge(codes("EMPTY_REQUEST", "TOO_MANY_RECORDS"))
  )
  .add(
    HttpApiEndpoint.get("status", "/v3/catalog/status", {
      query: Schema.Struct({ trace_id: described(Fields.name, "The trace_id of the write's answer") }),
      success: StatusResult,
      error: [...errors, notFound]
    }).annotateMerge(
      operation(
        "Read the status of a catalog write",
        "Which products of a create, update or delete failed. Any integration of the company may call it.",
        "catalog.md#status"
      )
    )
  )
  .middleware(SellerAuthentication)
  .annotateMerge(group("Products", "Creates, updates and deletes products")) {}
