/**
 * Handlers: catalog reads.
 */
import {
  type Attribute,
  type Category,
  type Department,
  type HsCode,
  type KeptProduct,
  ProductInput,
  Products,
  ReferenceQuery,
  References,
  type TaxRule,
  type Template
} from "@crossdock/catalog"
import type { Page } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import { Seller } from "../Authentication.ts"
import * as Endpoints from "../internal/Endpoints.ts"
import { iso } from "../internal/IsoTime.ts"
import type {
  AttributeItem,
  CategoryItem,
  DepartmentItem,
  HsCodeItem,
  ProductItem,
  TaxRuleItem,
  TemplateItem
} from "./CatalogReadsApi.ts"
import { SellerApi } from "./SellerApi.ts"

interface PageQuery {
  readonly page_number: number
  readonly page_size: number
}

const pageOf = (query: PageQuery): Page.Page => ({ number: query.page_number, size: query.page_size })

const envelope = <A, B>(query: PageQuery, { items, total }: Page.Paged<A>, of: (item: A) => B) => ({
  items: items.map(of),
  page_number: query.page_number,
  page_size: query.page_size,
  total
})

/** An object with the field, or without it when it has no value. */
const ifPresent = <K extends string, A>(key: K, value: A | null | undefined): { readonly [_ in K]?: A } =>
  value === null || value === undefined ? {} : ({ [key]: value } as { readonly [_ in K]: A })

const department = ({ isActive, logo, name, slug, uid }: Department): typeof DepartmentItem.Type => ({
  uid,
  name,
  slug,
  is_active: isActive,
  ...ifPresent("logo", logo)
})

const category = ({ channels, isActive, l1, l2, level, parent, ...rest }: Category): typeof CategoryItem.Type => ({
  uid: rest.uid,
  name: rest.name,
  slug: rest.slug,
  level,
  departments: rest.departments,
  ...ifPresent("parent", parent),
  ...ifPresent("l1", l1),
  ...ifPresent("l2", l2),
  is_active: isActive,
  ...(level === 3 ? { channels } : {})
})

const template = ({ isActive, ...rest }: Template): typeof TemplateItem.Type => ({ ...rest, is_active: isActive })

const attribute = ({ name, schema, slug }: Attribute): typeof AttributeItem.Type => ({
  slug,
  name,
  schema: {
    type: schema.type,
    mandatory: schema.mandatory,
    multi: schema.multi,
    ...ifPresent("allowed_values", schema.allowedValues),
    ...ifPresent("range", schema.range),
    ...ifPresent("format", schema.format)
  }
})

const hsCode = ({ code, countryCode, description, type }: HsCode): typeof HsCodeItem.Type => ({
  hs_code: code,
  type,
  description,
  country_code: countryCode
})

const taxRule = ({ versions, ...rest }: TaxRule): typeof TaxRuleItem.Type => ({
  ...rest,
  versions: versions.map(({ applicableFrom, components, versionStatus }) => ({
    version_status: versionStatus,
    applicable_from: applicableFrom,
    components
  }))
})

const product = ({ createdAt, modifiedAt, product, uid }: KeptProduct): typeof ProductItem.Type => ({
  uid,
  company_id: product.companyId,
  brand_uid: product.brandUid,
  template: product.template,
  ...ProductInput.shown(product),
  created_on: iso(createdAt),
  modified_on: iso(modifiedAt)
})

interface DepartmentsQuery {
  readonly name?: string
  readonly slug?: string
  readonly is_active?: boolean
}

const departmentFilter = (query: DepartmentsQuery) => ({
  ...ifPresent("name", query.name),
  ...ifPresent("slug", query.slug),
  ...ifPresent("isActive", query.is_active)
})

interface CategoriesQuery {
  readonly slug?: string
  readonly level?: number
  readonly department?: number
  readonly cat3_id: ReadonlyArray<number>
}

const categoryFilter = (query: CategoriesQuery) => ({
  ...ifPresent("slug", query.slug),
  ...ifPresent("level", query.level),
  ...ifPresent("department", query.department),
  level3: query.cat3_id
})

interface TaxRulesQuery {
  readonly rule_name?: string
  readonly status?: string
  readonly version_status?: string
}

const taxRuleFilter = (query: TaxRulesQuery) => ({
  ...ifPresent("name", query.rule_name),
  ...ifPresent("status", query.status),
  ...ifPresent("versionStatus", query.version_status)
})

interface ProductsQuery {
  readonly name?: string
  readonly slug?: string
  readonly item_code: ReadonlyArray<string>
  readonly sort_on: "modified_on" | "created"
}

const productFilter = (query: ProductsQuery) => ({
  ...ifPresent("name", query.name),
  ...ifPresent("slug", query.slug),
  itemCodes: query.item_code,
  sort: query.sort_on
})

export const layer = Endpoints.group(SellerApi, "catalog", (handlers) =>
  Effect.gen(function* () {
    const references = yield* References.References
    const products = yield* Products.Products
    const data = Effect.map(references.current, (index) => index.data)
    return handlers({
      departments: ({ query }) =>
        Effect.map(data, (data) =>
          envelope(query, ReferenceQuery.departments(data, departmentFilter(query), pageOf(query)), department)
        ),
      categories: ({ query }) =>
        Effect.map(data, (data) =>
          envelope(query, ReferenceQuery.categories(data, categoryFilter(query), pageOf(query)), category)
        ),
      brands: ({ query }) =>
        Effect.gen(function* () {
          const brands = yield* products.brands(yield* Seller)
          const found = ReferenceQuery.brands(brands, ifPresent("name", query.brand_name), pageOf(query))
          return envelope(query, found, ({ name, uid }) => ({ uid, name }))
        }),
      templates: ({ query }) =>
        Effect.map(data, (data) => {
          const found = ReferenceQuery.templates(data, ifPresent("department", query.department), pageOf(query))
          return envelope(query, found, template)
        }),
      attributes: ({ query: { category } }) =>
        Effect.map(references.current, (index) => ({
          items: ReferenceQuery.attributes(index, category).map(attribute)
        })),
      hsCodes: ({ query }) =>
        Effect.map(data, (data) => {
          const filter = { ...ifPresent("search", query.search), ...ifPresent("type", query.type) }
          return envelope(query, ReferenceQuery.hsCodes(data, filter, pageOf(query)), hsCode)
        }),
      taxRules: ({ query }) =>
        Effect.map(data, (data) =>
          envelope(query, ReferenceQuery.taxRules(data, taxRuleFilter(query), pageOf(query)), taxRule)
        ),
      products: ({ query }) =>
        Effect.gen(function* () {
          const found = yield* products.page(yield* Seller, productFilter(query), pageOf(query))
          return envelope(query, found, product)
        })
    })
  })
)
