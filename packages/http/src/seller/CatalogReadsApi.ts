/**
 * Contract: the catalog's reads (document 1, Endpoints).
 */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import { SellerAuthentication } from "../Authentication.ts"
import { badRequest } from "../Failure.ts"
import * as Fields from "../Fields.ts"

const exact = { exact: true } as const
const text = Schema.optionalWith(Fields.text(), exact)

const page = {
  page_number: Schema.optionalWith(Fields.queryInteger(1, 1_000_000_000), { default: () => 1, exact: true }),
  page_size: Schema.optionalWith(Fields.queryInteger(1, 200), { default: () => 10, exact: true })
}

const paged = <A, I>(item: Schema.Schema<A, I>) =>
  Schema.Struct({
    items: Schema.Array(item),
    page_number: Schema.Int,
    page_size: Schema.Int,
    total: Schema.Int
  })

export const DepartmentItem = Schema.Struct({
  uid: Schema.Int,
  name: Schema.String,
  slug: Schema.String,
  is_active: Schema.Boolean,
  logo: Schema.optionalWith(Schema.String, exact)
}).annotations({ identifier: "Department" })

/**
 * `channels` gives a level 3 category's name at each marketplace, by its slug.
 */
export const CategoryItem = Schema.Struct({
  uid: Schema.Int,
  name: Schema.String,
  slug: Schema.String,
  level: Schema.Int,
  departments: Schema.Array(Schema.Int),
  parent: Schema.optionalWith(Schema.Int, exact),
  l1: Schema.optionalWith(Schema.Int, exact),
  l2: Schema.optionalWith(Schema.Int, exact),
  is_active: Schema.Boolean,
  channels: Schema.optionalWith(Schema.Record({ key: Schema.String, value: Schema.String }), exact)
}).annotations({ identifier: "Category" })

export const BrandItem = Schema.Struct({ uid: Schema.Int, name: Schema.String }).annotations({ identifier: "Brand" })

export const TemplateItem = Schema.Struct({
  slug: Schema.String,
  name: Schema.String,
  departments: Schema.Array(Schema.String),
  categories: Schema.Array(Schema.String),
  is_active: Schema.Boolean
}).annotations({ identifier: "Template" })

export const AttributeItem = Schema.Struct({
  slug: Schema.String,
  name: Schema.String,
  schema: Schema.Struct({
    type: Schema.Literal("str", "int", "float", "bool", "date"),
    mandatory: Schema.Boolean,
    multi: Schema.Boolean,
    allowed_values: Schema.optionalWith(Schema.Array(Schema.Union(Schema.String, Schema.Number)), exact),
    range: Schema.optionalWith(
      Schema.Struct({
        min: Schema.optionalWith(Schema.Number, exact),
        max: Schema.optionalWith(Schema.Number, exact)
      }),
      exact
    ),
    format: Schema.optionalWith(Schema.String, exact)
  })
}).annotations({ identifier: "Attribute" })

export const HsCodeItem = Schema.Struct({
  hs_code: Schema.String,
  type: Schema.Literal("HS", "SAC"),
  description: Schema.String,
  country_code: Schema.String
}).annotations({ identifier: "HsCode" })

/**
 * Rates in percent; a component with a threshold holds for a unit price above it.
 */
export const TaxRuleItem = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  status: Schema.String,
  versions: Schema.Array(
    Schema.Struct({
      version_status: Schema.String,
      applicable_from: Schema.String,
      components: Schema.Array(
        Schema.Struct({
          name: Schema.String,
          rate: Schema.Number,
          threshold: Schema.optionalWith(Schema.Number, exact)
        })
      )
    })
  )
}).annotations({ identifier: "TaxRule" })

/**
 * A product with the names of the create input, and what the service adds.
 */
export const ProductItem = Schema.Struct(
  {
    uid: Schema.Int,
    company_id: Schema.Int,
    brand_uid: Schema.Int,
    template: Schema.String,
    created_on: Schema.String,
    modified_on: Schema.String
  },
  { key: Schema.String, value: Schema.Unknown }
).annotations({ identifier: "Product" })

const base = "/v3/catalog"

const read = <Name extends string, A, I>(name: Name, path: HttpApiEndpoint.PathSegment, item: Schema.Schema<A, I>) =>
  HttpApiEndpoint.get(name, `${base}${path}`).addSuccess(paged(item))

export class CatalogReadsGroup extends HttpApiGroup.make("catalog")
  .add(
    read("departments", "/departments", DepartmentItem)
      .setUrlParams(
        Fields.query({ ...page, name: text, slug: text, is_active: Schema.optionalWith(Fields.queryFlag, exact) })
      )
      .annotate(OpenApi.Summary, "Read departments")
  )
  .add(
    read("categories", "/category", CategoryItem)
      .setUrlParams(
        Fields.query({
          ...page,
          slug: text,
          level: Schema.optionalWith(Fields.queryInteger(1, 3), exact),
          department: Schema.optionalWith(Fields.queryInteger(0, 999_999_999_999_999), exact),
          cat3_id: Schema.optionalWith(Fields.queryIntegers(200), { default: () => [], exact: true })
        })
      )
      .annotate(OpenApi.Summary, "Read categories of three levels")
  )
  .add(
    read("brands", "/company-brand", BrandItem)
      .setUrlParams(Fields.query({ ...page, brand_name: text }))
      .annotate(OpenApi.Summary, "Read the company's brands")
  )
  .add(
    read("templates", "/product/template", TemplateItem)
      .setUrlParams(Fields.query({ ...page, department: text }))
      .annotate(OpenApi.Summary, "Read product templates")
  )
  .add(
    HttpApiEndpoint.get("attributes", `${base}/product-attributes`)
      .setUrlParams(Fields.query({ category: Fields.name }))
      .addSuccess(Schema.Struct({ items: Schema.Array(AttributeItem) }))
      .annotate(OpenApi.Summary, "Read the attributes of a level 3 category")
  )
  .add(
    read("hsCodes", "/taxes/hscodes", HsCodeItem)
      .setUrlParams(
        Fields.query({ ...page, search: text, type: Schema.optionalWith(Fields.oneOf("HS", "SAC"), exact) })
      )
      .annotate(OpenApi.Summary, "Search HS and SAC codes")
  )
  .add(
    read("taxRules", "/taxes/rules", TaxRuleItem)
      .setUrlParams(Fields.query({ ...page, status: text, version_status: text, rule_name: text }))
      .annotate(OpenApi.Summary, "Read tax rules with their versions")
  )
  .add(
    read("products", "/product", ProductItem)
      .setUrlParams(
        Fields.query({
          ...page,
          name: text,
          slug: text,
          item_code: Schema.optionalWith(Fields.queryList(200), { default: () => [], exact: true }),
          sort_on: Schema.optionalWith(Fields.oneOf("modified_on", "created"), {
            default: () => "modified_on" as const,
            exact: true
          })
        })
      )
      .annotate(OpenApi.Summary, "Read products, newest first")
  )
  .addError(badRequest)
  .middleware(SellerAuthentication)
  .annotate(OpenApi.Title, "Catalog") {}
