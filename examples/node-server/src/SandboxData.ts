/**
 * The shapes of the sandbox's files, and how they become domain values.
 */
import type { Attribute, Brand, Category, Product, ReferenceData } from "@crossdock/catalog"
import { CompanyId } from "@crossdock/kernel"

export interface ReferenceFile {
  readonly departments: ReadonlyArray<{ uid: number; name: string; slug: string; is_active: boolean }>
  readonly categories: ReadonlyArray<{
    uid: number
    name: string
    slug: string
    level: 1 | 2 | 3
    departments: ReadonlyArray<number>
    parent?: number
    l1?: number
    l2?: number
    is_active: boolean
    channels: Category["channels"]
  }>
  readonly brands: ReadonlyArray<{ uid: number; name: string; company_id: number }>
  readonly templates: ReadonlyArray<{
    slug: string
    name: string
    departments: ReadonlyArray<string>
    categories: ReadonlyArray<string>
    is_active: boolean
  }>
  readonly attributes: ReadonlyArray<
    Omit<Attribute, "schema"> & {
      schema: Omit<Attribute["schema"], "allowedValues"> & { allowed_values?: ReadonlyArray<string | number> }
    }
  >
  readonly hsCodes: ReadonlyArray<{ hs_code: string; type: "HS" | "SAC"; description: string; country_code: string }>
  readonly taxRules: ReadonlyArray<{
    id: string
    name: string
    status: string
    versions: ReadonlyArray<{
      version_status: string
      applicable_from: string
      components: ReadonlyArray<{ name: string; rate: number; threshold?: number }>
    }>
  }>
}

export interface RetailProduct {
  readonly item_code: string
  readonly name: string
  readonly slug: string
  readonly department: number
  readonly category: string
  readonly hs_code: string
  readonly template: string
  readonly tax_rule_id: string
  readonly brand: string
  readonly country_of_origin: string
  readonly sku: string
  readonly size: string
  readonly item_length: number
  readonly item_width: number
  readonly item_height: number
  readonly item_weight: number
  readonly mrp: string
  readonly esp: string
  readonly attributes?: Readonly<Record<string, unknown>>
}

export const referenceOf = (file: ReferenceFile): readonly [ReferenceData, ReadonlyArray<Brand>] => [
  {
    departments: file.departments.map(({ is_active, ...rest }) => ({ ...rest, isActive: is_active })),
    categories: file.categories.map(({ is_active, l1, l2, parent, ...rest }) => ({
      ...rest,
      parent: parent ?? null,
      l1: l1 ?? null,
      l2: l2 ?? null,
      isActive: is_active
    })),
    templates: file.templates.map(({ is_active, ...rest }) => ({ ...rest, isActive: is_active })),
    attributes: file.attributes.map(({ schema: { allowed_values, ...schema }, ...rest }) => ({
      ...rest,
      schema: { ...schema, ...(allowed_values === undefined ? {} : { allowedValues: allowed_values }) }
    })),
    hsCodes: file.hsCodes.map(({ country_code, hs_code, ...rest }) => ({
      ...rest,
      code: hs_code,
      countryCode: country_code
    })),
    taxRules: file.taxRules.map(({ versions, ...rest }) => ({
      ...rest,
      versions: versions.map(({ applicable_from, components, version_status }) => ({
        versionStatus: version_status,
        applicableFrom: applicable_from,
        components
      }))
    }))
  },
  file.brands.map(({ company_id, ...brand }) => ({ ...brand, companyId: CompanyId.make(company_id) }))
]

export const productOf = (companyId: CompanyId, retail: RetailProduct): Product => ({
  companyId,
  itemCode: retail.item_code,
  name: retail.name,
  slug: retail.slug,
  brand: retail.brand,
  category: retail.category,
  departments: [retail.department],
  template: retail.template,
  hsCode: retail.hs_code,
  taxRule: retail.tax_rule_id,
  countryOfOrigin: retail.country_of_origin,
  attributes: retail.attributes ?? {},
  traders: [{ type: "Seller", name: "Acme Retail Private Limited", address: ["1 Market Road", "Bengaluru 560001"] }],
  sizes: [
    {
      sku: retail.sku,
      name: retail.size,
      price: retail.mrp,
      priceEffective: retail.esp,
      length: retail.item_length,
      width: retail.item_width,
      height: retail.item_height,
      weight: retail.item_weight,
      trackInventory: true,
      identifiers: []
    }
  ]
})
