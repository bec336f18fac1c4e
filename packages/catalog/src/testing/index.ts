/** Builders for tests that need the catalog's rules. They make reference data, and products that fit it. */
import { CompanyId } from "@crossdock/kernel"
import type { Product } from "../Product.ts"
import type * as ProductChanges from "../ProductChanges.ts"
import type * as ProductMapping from "../ProductMapping.ts"
import type { Attribute, Brand, ReferenceData } from "../ReferenceData.ts"
import * as ReferenceIndex from "../ReferenceIndex.ts"

/** The company of the sample brands. */
export const company = CompanyId.make(1)

const attribute = (slug: string, schema: Partial<Attribute["schema"]>): Attribute => ({
  slug,
  name: slug,
  categories: ["T-Shirts"],
  schema: { type: "str", mandatory: false, multi: false, ...schema }
})

/** Sample reference data with an attribute of every type. The level 3 categories are "T-Shirts" and "Hats". */
export const referenceData: ReferenceData = {
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

/** The company's brands. */
export const brands: ReadonlyArray<Brand> = [
  { companyId: company, uid: 1, name: "Acme" },
  { companyId: company, uid: 2, name: "Zephyr" }
]

export const referenceIndex = ReferenceIndex.make(referenceData)
export const brandIndex = ReferenceIndex.brandsOf(brands)

/** A valid size with this SKU. */
export const sizeInput = (sku: string, more: Partial<ProductMapping.SizeInput> = {}): ProductMapping.SizeInput => ({
  primary_identifier: sku,
  size: sku,
  price: 799,
  price_effective: 499.5,
  ...more
})

/** A valid product to create, with this item code and the sizes S and M. */
export const productInput = (
  code: string,
  more: Partial<ProductMapping.CreateInput> = {}
): ProductMapping.CreateInput => ({
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
  sizes: [sizeInput(`${code}-S`), sizeInput(`${code}-M`)],
  trader: [{ type: "Seller", name: "Acme", address: ["1 Market Road"] }],
  attributes: { color: "Black", material: "Cotton", labels: ["x"] },
  is_dependent: false,
  ...more
})

/** Products with their indexes in a request. */
export const submitted = <A>(...inputs: ReadonlyArray<A>): ReadonlyArray<ProductChanges.Submitted<A>> =>
  inputs.map((input, index) => ({ index, input }))

/** The facts for the checks of a request, if the company has these products. */
export const known = (
  products: ReadonlyArray<Product> = [],
  template: string | undefined = "apparel"
): ProductChanges.Known => ({ companyId: company, template, index: referenceIndex, brands: brandIndex, products })
