/** Handlers: catalog reads. */
import type { KeptProduct, ReferenceData } from "@crossdock/catalog"
import { CustomFields, ProductMapping, Products, ReferenceQuery, References } from "@crossdock/catalog"
import { Page } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import { Seller } from "../Authentication.ts"
import * as Endpoints from "../internal/Endpoints.ts"
import * as FieldFilters from "../internal/FieldFilters.ts"
import { iso, presentFields } from "../internal/Fields.ts"
import { CatalogReadsGroup } from "./CatalogReadsApi.ts"

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

const pageOfAll = <A, B>(query: PageQuery, all: ReadonlyArray<A>, of: (item: A) => B) => {
  const offset = Page.offset(pageOf(query))
  return envelope(query, { items: all.slice(offset, offset + query.page_size), total: all.length }, of)
}

type One<Kind extends keyof ReferenceData> = ReferenceData[Kind][number]

const department = ({ isActive, logo, name, slug, uid }: One<"departments">) => ({
  uid,
  name,
  slug,
  is_active: isActive,
  ...presentFields({ logo })
})

const category = ({ channels, isActive, l1, l2, level, parent, ...rest }: One<"categories">) => ({
  uid: rest.uid,
  name: rest.name,
  slug: rest.slug,
  level,
  departments: rest.departments,
  ...presentFields({ parent, l1, l2 }),
  is_active: isActive,
  ...(level === 3 ? { channels } : {})
})

const template = ({ isActive, ...rest }: One<"templates">) => ({ ...rest, is_active: isActive })

const attribute = ({ name, schema, slug }: One<"attributes">) => ({
  slug,
  name,
  schema: {
    type: schema.type,
    mandatory: schema.mandatory,
    multi: schema.multi,
    ...presentFields({ allowed_values: schema.allowedValues, range: schema.range, format: schema.format })
  }
})

const hsCode = ({ code, countryCode, description, type }: One<"hsCodes">) => ({
  hs_code: code,
  type,
  description,
  country_code: countryCode
})

const taxRule = ({ versions, ...rest }: One<"taxRules">) => ({
  ...rest,
  versions: versions.map(({ applicableFrom, components, versionStatus }) => ({
    version_status: versionStatus,
    applicable_from: applicableFrom,
    components
  }))
})

const product = ({ createdAt, modifiedAt, product, uid }: KeptProduct) => ({
  uid,
  company_id: product.companyId,
  brand_uid: product.brandUid,
  template: product.template,
  ...ProductMapping.shown(product),
  created_on: iso(createdAt),
  modified_on: iso(modifiedAt)
})

export const layer = Endpoints.group(CatalogReadsGroup, function* (handlers) {
  const references = yield* References.References
  const products = yield* Products.Products
  const filters = FieldFilters.reader(yield* CustomFields.Policy)
  /** A page of the reference data that `find` selects by its filter. */
  const page = <Q extends PageQuery, F, A, B>(
    query: Q,
    find: (data: ReferenceData, filter: F) => ReadonlyArray<A>,
    filter: F,
    of: (item: A) => B
  ) => Effect.map(references.current, ({ data }) => pageOfAll(query, find(data, filter), of))

  return handlers({
    departments: ({ query }) => {
      const filter = presentFields({ name: query.name, slug: query.slug, isActive: query.is_active })
      return page(query, ReferenceQuery.departments, filter, department)
    },
    categories: ({ query }) => {
      const { cat3_id: level3, department, level, slug } = query
      return page(query, ReferenceQuery.categories, { ...presentFields({ slug, level, department }), level3 }, category)
    },
    brands: Effect.fnUntraced(function* ({ query }) {
      const brands = yield* products.brands(yield* Seller)
      const found = ReferenceQuery.brands(brands, presentFields({ name: query.brand_name }))
      return pageOfAll(query, found, ({ name, uid }) => ({ uid, name }))
    }),
    templates: ({ query }) =>
      page(query, ReferenceQuery.templates, presentFields({ department: query.department }), template),
    attributes: ({ query: { category } }) =>
      Effect.map(references.current, (index) => ({ items: ReferenceQuery.attributes(index, category).map(attribute) })),
    hsCodes: ({ query }) => {
      const filter = presentFields({ search: query.search, type: query.type })
      return page(query, ReferenceQuery.hsCodes, filter, hsCode)
    },
    taxRules: ({ query }) => {
      const { rule_name: name, status, version_status: versionStatus } = query
      return page(query, ReferenceQuery.taxRules, presentFields({ name, status, versionStatus }), taxRule)
    },
    products: Effect.fnUntraced(function* ({ query }) {
      const { item_code: itemCodes, name, slug, sort_on: sort } = query
      const filter = {
        ...presentFields({ name, slug }),
        itemCodes,
        sort,
        ...(yield* filters("GET /v3/catalog/product"))
      }
      return envelope(query, yield* products.page(yield* Seller, filter, pageOf(query)), product)
    })
  })
})
