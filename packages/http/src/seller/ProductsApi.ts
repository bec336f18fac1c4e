/** Contract: writes of products, in schemas made from the catalog's rules. Source: docs/reference/catalog.md#writes. */
import { JsonSchema, type ProductMapping, ProductShape, productErrorCodes, Shape } from "@crossdock/catalog"
import { Text } from "@crossdock/kernel"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { SellerAuthentication } from "../Authentication.ts"
import { bodyErrors, FieldFault, fieldCodes, notFound, writeErrors } from "../Failure.ts"
import { BulkStatus, bulkCodes, entry, sent } from "../internal/BulkOperation.ts"
import * as Fields from "../internal/Fields.ts"
import { field, optionalField } from "../internal/Fields.ts"
import { Limits } from "../Limits.ts"

/** Removes keywords that the OpenAPI documents state once for all fields: permitted characters, and free-form content. */
const shown = (key: string, value: unknown): unknown => {
  if (key === "propertyNames" || (key === "pattern" && value === Text.permittedPattern)) return undefined
  if (key === "additionalProperties") return true
  if (typeof value !== "object" || value === null || !("title" in value)) return value
  const { title, ...rest } = value
  return { ...rest, description: title }
}

const documented = <A>(identifier: string, description: string, shape: Shape.Shape): Schema.Codec<A, unknown> =>
  Schema.Any.check(
    Schema.makeFilter(() => true, { toJsonSchema: () => JSON.parse(JSON.stringify(JsonSchema.of(shape)), shown) })
  ).annotate({ identifier, description })

type Sent = Readonly<Record<string, unknown>>

const Created = documented<Sent>(
  "ProductCreate",
  "A product to create. `attributes` has the keys listed by `GET /v3/catalog/product-attributes`, and optional keys of your own",
  ProductShape.create({})
)

const Updated = documented<Sent>(
  "ProductUpdate",
  "A product to update, found by item_code, else by slug with brand, else by the primary_identifier of a size. Absent fields and sizes don't change",
  ProductShape.update({})
)

const Deleted = documented<Sent>(
  "ProductDelete",
  "A product or sizes to delete. The product is found by item_code, else by slug with brand",
  ProductShape.remove
)

type Shown = ReturnType<typeof ProductMapping.shown> & {
  readonly uid: number
  readonly company_id: number
  readonly brand_uid: number
  readonly template: string
  readonly created_on: string
  readonly modified_on: string
}

const whole = Shape.integer(0, Number.MAX_SAFE_INTEGER)

/** The fields of a stored product. Its objects may have keys without a rule, since they are stored as sent. */
const kept = ({ fields }: Shape.Group): Shape.Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const { shape } = field
      const isList = shape._tag === "List" && name === "media"
      const open = isList
        ? Shape.list(Shape.free({}))
        : shape._tag === "Group" && name !== "tax_identifier"
          ? Shape.free(shape.fields)
          : shape
      return [name, { ...field, shape: open }]
    })
  )

/** A product, with the field names of a create and the fields that the service adds. */
export const ProductItem = documented<Shown>(
  "Product",
  "A stored product: the fields of a create, and fields that the host adds",
  Shape.group({
    uid: Shape.required(whole, "Id of the product"),
    company_id: Shape.required(whole, "Id of its company"),
    brand_uid: Shape.required(whole, "Uid of the brand"),
    template: Shape.required(Shape.text(), "Slug of the template"),
    ...kept(ProductShape.create({})),
    created_on: Shape.required(Shape.instant, "Time of creation, ISO 8601 in UTC"),
    modified_on: Shape.required(Shape.instant, "Time of the last change, ISO 8601 in UTC")
  })
)

/** An entry of the errors of a catalog write. Source: docs/reference/catalog.md#data-faults. */
const FailedProduct = Schema.Struct({
  ...entry(/^all$/, ...Object.keys(productErrorCodes), ...Object.keys(fieldCodes)),
  item_code: sent("item_code"),
  suggestion: optionalField(Schema.String, "The value that was probably meant"),
  errors: optionalField(Schema.Array(FieldFault), "All faults of the product, if it has several")
}).annotate({ identifier: "FailedProduct", description: "A rejected product of a catalog write" })

const counts = <Stage extends Schema.Constraint>(stage: Stage) => ({
  total: field(Fields.count(Limits.catalogRecords), "Products in the request"),
  success: field(Fields.count(Limits.catalogRecords), "Products written"),
  failed: field(Fields.count(Limits.catalogRecords), "Rejected products"),
  errors: Schema.Record(Schema.String, FailedProduct),
  stage,
  company_id: field(Fields.uid, "Id of the company")
})

const traceId = field(Schema.String, "Id of the write's status: 16 hex characters, a hyphen, epoch milliseconds")

/** The answer to a write. A dry run has no `trace_id`. */
export const WriteResult = Schema.Struct({
  trace_id: Schema.optionalKey(traceId),
  ...counts(field(Schema.Literals(["RUNNING", "COMPLETED"]), "COMPLETED if nothing was written, else RUNNING")),
  status: field(BulkStatus, "Outcome of the whole request")
}).annotate({
  identifier: "CatalogWriteResult",
  description:
    "Look at failed first: the answer is 200 even if products were rejected. Accepted products are already stored. A dry run has no trace_id"
})

export const StatusResult = Schema.Struct({
  trace_id: traceId,
  ...counts(field(Schema.Literal("COMPLETED"), "Always COMPLETED")),
  status: field(BulkStatus, "Outcome of the whole request"),
  message: field(Schema.String, "The status in words"),
  last_updated_on: field(Fields.time, "Time of the write, ISO 8601 in UTC")
}).annotate({ identifier: "CatalogStatusResult", description: "The outcome of a catalog write" })

const write = <S extends Schema.Constraint>(product: S) => ({
  query: Schema.Struct({
    dry_run: field(Fields.withDefault(Fields.queryFlag, false), "Check the request without writing")
  }),
  payload: Schema.Struct({
    template: optionalField(
      Schema.String,
      "Slug of a template for the products' departments; required except in a delete"
    ),
    products: Schema.Array(product).check(Schema.isMaxLength(Limits.catalogRecords))
  }),
  success: WriteResult,
  error: writeErrors
})

const path = "/v3/catalog/product"

export class ProductsGroup extends HttpApiGroup.make("products")
  .add(
    HttpApiEndpoint.post("create", path, write(Created)),
    HttpApiEndpoint.put("update", path, write(Updated)),
    HttpApiEndpoint.delete("delete", path, write(Deleted))
  )
  .annotateEndpointsMerge(bulkCodes)
  .add(
    HttpApiEndpoint.get("status", "/v3/catalog/status", {
      query: Schema.Struct({ trace_id: field(Fields.name, "The trace_id of the write's answer") }),
      success: StatusResult,
      error: [...bodyErrors, notFound]
    })
  )
  .middleware(SellerAuthentication) {}
