/**
 * A small world of reference data, and products that fit it.
 */
import {
  type Attribute,
  type Brand,
  type Product,
  type ProductFacts,
  type ProductInput,
  type ReferenceData,
  ReferenceIndex
} from "@crossdock/catalog"
import { CompanyId } from "@crossdock/kernel"

export const company = CompanyId.make(1)

const attribute = (slug: string, schema: Partial<Attribute["schema"]>): Attribute => ({
  slug,
  name: slug,
  categories: ["T-Shirts"],
  schema: { type: "str", mandatory: false, multi: false, ...schema }
})

export const data: ReferenceData = {
  departments: [
    { uid: 166, name: "Apparel", slug: "apparel", isActive: true },
    { uid: 222, name: "Electronics", slug: "electronics", isActive: true }
  ],
  categories: [
    { level: 1 as const, uid: 166, name: "Apparel", parent: null, l1: null, l2: null },
    { level: 2 as const, uid: 10, name: "Clothing", parent: 166, l1: 166, l2: null },
    { level: 3 as const, uid: 11, name: "T-Shirts", parent: 10, l1: 166, l2: 10 },
    { level: 3 as const, uid: 12, name: "Hats", parent: 10, l1: 166, l2: 10 }
  ].map((one) => ({ ...one, slug: one.name.toLowerCase(), departments: [166], isActive: true, channels: {} })),
  templates: [
    { slug: "apparel", name: "Apparel", departments: ["apparel"], categories: ["t-shirts", "hats"], isActive: true },
    { slug: "electronics", name: "Electronics", departments: ["electronics"], categories: [], isActive: true }
  ],
  attributes: [
    attribute("color", { mandatory: true, allowedValues: ["Black", "White"] }),
    attribute("material", { mandatory: true }),
    attribute("pack_of", { type: "int", range: { min: 1, max: 100 } }),
    attribute("wash_temperature", { type: "float", range: { min: 20, max: 95.5 } }),
    attribute("is_organic", { type: "bool" }),
    attribute("season", { multi: true, allowedValues: ["Spring", "Summer"] }),
    attribute("labels", { multi: true, mandatory: true }),
    attribute("launch_date", { type: "date" }),
    attribute("care_code", { format: "[A-Z]{2}-[0-9]{4}" }),
    attribute("grade", { type: "int", allowedValues: [1, 2, 3] }),
    { ...attribute("batch_tracked", { type: "bool" }), categories: "*" }
  ],
  hsCodes: [
    { code: "610910", type: "HS", description: "T-shirts", countryCode: "IN" },
    { code: "996511", type: "SAC", description: "Road transport", countryCode: "IN" }
  ],
  taxRules: [{ id: "gst-12", name: "GST 12 %", status: "ACTIVE", versions: [] }]
}

export const brandList: ReadonlyArray<Brand> = [
  { companyId: company, uid: 1, name: "Acme" },
  { companyId: company, uid: 2, name: "Zephyr" }
]

export const index = ReferenceIndex.make(data)
export const brands = ReferenceIndex.brandsOf(brandList)

export const size = (sku: string, more: Partial<ProductInput.SizeInput> = {}): ProductInput.SizeInput => ({
  primary_identifier: sku,
  size: sku,
  price: 799,
  price_effective: 499.5,
  ...more
})

export const input = (code: string, more: Partial<ProductInput.CreateInput> = {}): ProductInput.CreateInput => ({
  item_type: "standard",
  name: `Tee ${code}`,
  slug: `tee-${code.toLowerCase()}`,
  departments: ["166"],
  category: "T-Shirts",
  brand: "Acme",
  item_code: code,
  country_of_origin: "India",
  tax_identifier: { tax_rule_id: "gst-12" },
  hs_code: "610910",
  sizes: [size(`${code}-S`), size(`${code}-M`)],
  trader: [{ type: "Seller", name: "Acme", address: ["1 Market Road"] }],
  attributes: { color: "Black", material: "Cotton", labels: ["x"] },
  is_dependent: false,
  ...more
})

export const submitted = <A>(...inputs: ReadonlyArray<A>): ReadonlyArray<ProductFacts.Submitted<A>> =>
  inputs.map((input, index) => ({ index, input }))

export const known = (
  products: ReadonlyArray<Product> = [],
  template: string | undefined = "apparel"
): ProductFacts.Known => ({
  companyId: company,
  template,
  index,
  brands,
  products
})
