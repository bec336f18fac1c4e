/**
 * Contract: catalog reads. Source: docs/reference/catalog.md#reads.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { SellerAuthentication } from "../Authentication.ts"
import { badRequest } from "../Failure.ts"
import * as Fields from "../internal/Fields.ts"
import { KnownParameters } from "../internal/KnownParameters.ts"
import { Limits } from "../Limits.ts"

const text = Schema.optionalKey(Fields.text())

const page = {
  page_number: Fields.withDefault(Fields.queryInteger(1, Limits.pageNumber), 1),
  page_size: Fields.withDefault(Fields.queryInteger(1, Limits.catalogPageSize), 10)
}

const paged = <S extends Schema.Constraint>(item: S) =>
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
  logo: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "Department" })

/**
 * `channels` has the names of a level 3 category at marketplaces, by their slugs.
 */
export const CategoryItem = Schema.Struct({
  uid: Schema.Int,
  name: Schema.String,
  slug: Schema.String,
  level: Schema.Int,
  departments: Schema.Array(Schema.Int),
  parent: Schema.optionalKey(Schema.Int),
  l1: Schema.optionalKey(Schema.Int),
  l2: Schema.optionalKey(Schema.Int),
  is_active: Schema.Boolean,
  channels: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
}).annotate({ identifier: "Category" })

export const BrandItem = Schema.Struct({ uid: Schema.Int, name: Schema.String }).annotate({ identifier: "Brand" })

export const TemplateItem = Schema.Struct({
  slug: Schema.String,
  name: Schema.String,
  departments: Schema.Array(Schema.String),
  categories: Schema.Array(Schema.String),
  is_active: Schema.Boolean
}).annotate({ identifier: "Template" })

export const AttributeItem = Schema.Struct({
  slug: Schema.String,
  name: Schema.String,
  schema: Schema.Struct({
    type: Schema.Literals(["str", "int", "float", "bool", "date"]),
    mandatory: Schema.Boolean,
    multi: Schema.Boolean,
    allowed_values: Schema.optionalKey(Schema.Array(Schema.Union([Schema.String, Schema.Finite]))),
    range: Schema.optionalKey(
      Schema.Struct({
        min: Schema.optionalKey(Schema.Finite),
        max: Schema.optionalKey(Schema.Finite)
      })
    ),
    format: Schema.optionalKey(Schema.String)
  })
}).annotate({ identifier: "Attribute" })

export const HsCodeItem = Schema.Struct({
  hs_code: Schema.String,
  type: Schema.Literals(["HS", "SAC"]),
  description: Schema.String,
  country_code: Schema.String
}).annotate({ identifier: "HsCode" })

/**
 * Rates are in percent. A component with a threshold applies to unit prices above it.
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
          rate: Schema.Finite,
          threshold: Schema.optionalKey(Schema.Finite)
        })
      )
    })
  )
}).annotate({ identifier: "TaxRule" })

/**
 * A product, with the field names of a create and the fields that the service adds.
 */
export const ProductItem = Schema.StructWithRest(
  Schema.Struct({
    uid: Schema.Int,
    company_id: Schema.Int,
    brand_uid: Schema.Int,
    template: Schema.String,
    created_on: Schema.String,
    modified_on: Schema.String
  }),
  [Fields.object]
).annotate({ identifier: "Product" })

const base = "/v3/catalog"

const error = [badRequest] as const

export class CatalogReadsGroup extends HttpApiGroup.make("catalog")
  .add(
    HttpApiEndpoint.get("departments", `${base}/departments`, {
      query: { ...page, name: text, slug: text, is_active: Schema.optionalKey(Fields.queryFlag) },
      success: paged(DepartmentItem),
      error
    }).annotate(OpenApi.Summary, "List departments")
  )
  .add(
    HttpApiEndpoint.get("categories", `${base}/category`, {
      query: {
        ...page,
        slug: text,
        level: Schema.optionalKey(Fields.queryInteger(1, 3)),
        department: Schema.optionalKey(Fields.queryInteger(0, 999_999_999_999_999)),
        cat3_id: Fields.withDefault(Fields.queryIntegers(Limits.queryValues), [])
      },
      success: paged(CategoryItem),
      error
    }).annotate(OpenApi.Summary, "List categories of all three levels")
  )
  .add(
    HttpApiEndpoint.get("brands", `${base}/company-brand`, {
      query: { ...page, brand_name: text },
      success: paged(BrandItem),
      error
    }).annotate(OpenApi.Summary, "List the company's brands")
  )
  .add(
    HttpApiEndpoint.get("templates", `${base}/product/template`, {
      query: { ...page, department: text },
      success: paged(TemplateItem),
      error
    }).annotate(OpenApi.Summary, "List product templates")
  )
  .add(
    HttpApiEndpoint.get("attributes", `${base}/product-attributes`, {
      query: { category: Fields.name },
      success: Schema.Struct({ items: Schema.Array(AttributeItem) }),
      error
    }).annotate(OpenApi.Summary, "List the attributes of a level 3 category")
  )
  .add(
    HttpApiEndpoint.get("hsCodes", `${base}/taxes/hscodes`, {
      query: { ...page, search: text, type: Schema.optionalKey(Fields.oneOf("HS", "SAC")) },
      success: paged(HsCodeItem),
      error
    }).annotate(OpenApi.Summary, "Search HS and SAC codes")
  )
  .add(
    HttpApiEndpoint.get("taxRules", `${base}/taxes/rules`, {
      query: { ...page, status: text, version_status: text, rule_name: text },
      success: paged(TaxRuleItem),
      error
    }).annotate(OpenApi.Summary, "List tax rules with their versions")
  )
  .add(
    HttpApiEndpoint.get("products", `${base}/product`, {
      query: {
        ...page,
        name: text,
        slug: text,
        item_code: Fields.withDefault(Fields.queryList(Limits.queryValues), []),
        sort_on: Fields.withDefault(Fields.oneOf("modified_on", "created"), "modified_on")
      },
      success: paged(ProductItem),
      error
    }).annotate(OpenApi.Summary, "List products, newest first")
  )
  .middleware(KnownParameters)
  .middleware(SellerAuthentication)
  .annotate(OpenApi.Title, "Catalog") {}
