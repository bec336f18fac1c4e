/** Contract: catalog reads. Source: docs/reference/catalog.md#reads. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { SellerAuthentication } from "../Authentication.ts"
import { badRequest } from "../Failure.ts"
import * as Fields from "../internal/Fields.ts"
import { field, nested, nestedList, optionalField } from "../internal/Fields.ts"
import { withLinks } from "../internal/OpenApiDocument.ts"
import { Limits } from "../Limits.ts"
import { ProductItem } from "./ProductsApi.ts"

const text = Schema.optionalKey(Fields.text())

const page = {
  page_number: field(Fields.withDefault(Fields.queryInteger(1, Limits.pageNumber), 1), "Page, from 1"),
  page_size: field(Fields.withDefault(Fields.queryInteger(1, Limits.catalogPageSize), 10), "Records on a page")
}

const paged = <S extends Schema.Constraint>(item: S) =>
  Schema.Struct({
    items: field(Schema.Array(item), "This page's records"),
    page_number: field(Fields.integer(1, Limits.pageNumber), "This page, from 1"),
    page_size: field(Fields.integer(1, Limits.catalogPageSize), "Page size"),
    total: field(Fields.count(), "Number of records on all pages")
  }).annotate({ description: "A page of records" })

export const DepartmentItem = Schema.Struct({
  uid: field(Fields.uid, "Id of the department"),
  name: field(Schema.String, "Name"),
  slug: field(Schema.String, "Unique name for URLs"),
  is_active: field(Schema.Boolean, "Whether the department is active"),
  logo: optionalField(Schema.String, "URL of the logo")
}).annotate({ identifier: "Department", description: "A top-level grouping of categories" })

/** `channels` has the names of a level 3 category at marketplaces, by their slugs. */
export const CategoryItem = Schema.Struct({
  uid: field(Fields.uid, "Id of the category"),
  name: field(Schema.String, "Name"),
  slug: field(Schema.String, "Unique name for URLs"),
  level: field(Schema.Literals([1, 2, 3]), "1, 2 or 3; products belong to a category of level 3"),
  departments: field(Schema.Array(Fields.uid), "Uids of the departments"),
  parent: optionalField(Fields.uid, "Uid of the parent category"),
  l1: optionalField(Fields.uid, "Uid of the level 1 category"),
  l2: optionalField(Fields.uid, "Uid of the level 2 category"),
  is_active: field(Schema.Boolean, "Whether products can be created in the category"),
  channels: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
}).annotate({ identifier: "Category" })

export const BrandItem = Schema.Struct({
  uid: field(Fields.uid, "Id of the brand"),
  name: field(Schema.String, "Name")
}).annotate({ identifier: "Brand", description: "A brand of the company" })

export const TemplateItem = Schema.Struct({
  slug: field(Schema.String, "Id of the template"),
  name: field(Schema.String, "Name"),
  departments: field(Schema.Array(Schema.String), "Slugs of the departments"),
  categories: field(Schema.Array(Schema.String), "Names of the template's level 3 categories"),
  is_active: field(Schema.Boolean, "Whether products can be created with it")
}).annotate({ identifier: "Template" })

export const AttributeItem = Schema.Struct({
  slug: field(Schema.String, "Key of the attribute in a product's attributes"),
  name: field(Schema.String, "Name"),
  schema: nested("Rules of the values", {
    type: Schema.Literals(["str", "int", "float", "bool", "date"]),
    mandatory: field(Schema.Boolean, "Whether products of the category need it"),
    multi: field(Schema.Boolean, "Whether the value is a list"),
    allowed_values: Schema.optionalKey(Schema.Array(Schema.Union([Schema.String, Schema.Finite]))),
    range: Schema.optionalKey(
      Schema.Struct({
        min: optionalField(Schema.Finite, "Smallest value"),
        max: optionalField(Schema.Finite, "Largest value")
      })
    ),
    format: optionalField(Schema.String, "Regular expression for texts")
  })
}).annotate({ identifier: "Attribute" })

export const HsCodeItem = Schema.Struct({
  hs_code: field(Schema.String, "4, 6 or 8 digits"),
  type: field(Schema.Literals(["HS", "SAC"]), "HS for goods, SAC for services"),
  description: field(Schema.String, "The goods or services covered"),
  country_code: field(Schema.String, "Country of the code")
}).annotate({ identifier: "HsCode", description: "A code of goods (HS) or of services (SAC)" })

/** Rates are in percent. A component with a threshold applies to unit prices above it. */
export const TaxRuleItem = Schema.Struct({
  id: field(Schema.String, "Id, for a product's tax_identifier"),
  name: field(Schema.String, "Name"),
  status: field(Schema.String, "Such as ACTIVE"),
  versions: nestedList("Its versions", {
    version_status: field(Schema.String, "Such as CURRENT or FUTURE"),
    applicable_from: field(Fields.date, "First day of the version, as yyyy-mm-dd"),
    components: nestedList("The component taxes", {
      name: field(Schema.String, "Name of the tax"),
      rate: field(Schema.Finite, "Rate in percent"),
      threshold: optionalField(Schema.Finite, "The tax applies only to unit prices above this amount")
    })
  })
}).annotate({ identifier: "TaxRule", description: "A tax rule and its versions" })

/** A list with these filters and the parameters of its page. */
const list = <
  const Name extends string,
  const Path extends string,
  S extends Schema.Constraint,
  const Filters extends Schema.Struct.Fields
>(
  name: Name,
  path: Path,
  item: S,
  filters: Filters
) =>
  HttpApiEndpoint.get(name, `/v3/catalog/${path}`, {
    query: { ...page, ...filters },
    success: paged(item),
    error: badRequest
  })

export class CatalogReadsGroup extends HttpApiGroup.make("catalog")
  .add(
    list("departments", "departments", DepartmentItem, {
      name: field(text, "Part of the name; case is ignored"),
      slug: field(text, "The exact slug"),
      is_active: optionalField(Fields.queryFlag, "Only active (true) or inactive (false) departments")
    }),
    list("categories", "category", CategoryItem, {
      slug: field(text, "The exact slug"),
      level: optionalField(Fields.queryInteger(1, 3), "Only this level"),
      department: optionalField(Fields.queryInteger(0, 999_999_999_999_999), "A department's uid"),
      cat3_id: Fields.withDefault(Fields.queryIntegers(Limits.queryValues), [])
    }),
    list("brands", "company-brand", BrandItem, { brand_name: field(text, "Part of the name; case is ignored") }),
    list("templates", "product/template", TemplateItem, { department: field(text, "A department's slug") }),
    HttpApiEndpoint.get("attributes", "/v3/catalog/product-attributes", {
      query: { category: field(Fields.name, "A level 3 category's name, in exact case") },
      success: Schema.Struct({
        items: field(Schema.Array(AttributeItem), "The attributes; empty for an unknown category")
      }).annotate({ description: "The attributes of the category" }),
      error: badRequest
    }).annotate(
      OpenApi.Transform,
      withLinks({
        "products.create": "Each attribute is a key of attributes in a product of this category, by its slug",
        "products.update": "Each attribute is a key of attributes in a product of this category, by its slug"
      })
    ),
    list("hsCodes", "taxes/hscodes", HsCodeItem, {
      search: field(text, "Part of the code or description; case is ignored"),
      type: optionalField(Fields.oneOf("HS", "SAC"), "Only HS or only SAC codes")
    }),
    list("taxRules", "taxes/rules", TaxRuleItem, {
      status: field(text, "Only rules with this status, such as ACTIVE"),
      version_status: field(text, "Only versions with this status, such as CURRENT or FUTURE"),
      rule_name: field(text, "Part of the name; case is ignored")
    }),
    list("products", "product", ProductItem, {
      name: field(text, "Part of the name; case is ignored"),
      slug: field(text, "The exact slug"),
      item_code: Fields.withDefault(Fields.queryList(Limits.queryValues), []),
      sort_on: Fields.withDefault(Fields.oneOf("modified_on", "created"), "modified_on")
    })
  )
  .middleware(SellerAuthentication) {}
