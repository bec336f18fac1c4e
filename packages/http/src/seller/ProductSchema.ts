/**
 * The products of a create, an update and a delete, and a product as it is read, for the OpenAPI document. They are made from
 * the catalog's own rules, which check what is sent. Source: docs/reference/catalog-rules.md.
 */
import { JsonSchema, type ProductInput, ProductShape, Shape } from "@crossdock/catalog"
import { Text } from "@crossdock/kernel"
import * as Schema from "effect/Schema"

/** The documents state once for all texts which characters they may have, and for all free-form objects what is in them. */
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

export const Created = documented<Sent>(
  "ProductCreate",
  "A product to create. The keys of `attributes` are those of its category, which `GET /v3/catalog/product-attributes` lists with their types, allowed values, ranges and formats, and keys of your own",
  ProductShape.create({})
)

export const Updated = documented<Sent>(
  "ProductUpdate",
  "A product to update, found by item_code, else by slug with brand, else by the primary_identifier of a size. Fields and sizes that are left out stay as they are",
  ProductShape.update({})
)

export const Deleted = documented<Sent>(
  "ProductDelete",
  "A product, or sizes of it, to delete, found by item_code, else by slug with brand: one of the two is required",
  ProductShape.remove
)

type Shown = ReturnType<typeof ProductInput.shown> & {
  readonly uid: number
  readonly company_id: number
  readonly brand_uid: number
  readonly template: string
  readonly created_on: string
  readonly modified_on: string
}

const whole = Shape.integer(0, Number.MAX_SAFE_INTEGER)

/** What is kept as it was sent may have keys that no rule knows. */
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

export const Item = documented<Shown>(
  "Product",
  "A product as it is stored: the fields of a create, and those that the service adds",
  Shape.group({
    uid: Shape.required(whole, { what: "Id of the product" }),
    company_id: Shape.required(whole, { what: "Id of its company" }),
    brand_uid: Shape.required(whole, { what: "Uid of its brand" }),
    template: Shape.required(Shape.text(), { what: "Slug of its template" }),
    ...kept(ProductShape.create({})),
    created_on: Shape.required(Shape.instant, { what: "When it was created, ISO 8601 in UTC" }),
    modified_on: Shape.required(Shape.instant, { what: "When it was last changed, ISO 8601 in UTC" })
  })
)
