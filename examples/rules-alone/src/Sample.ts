/** A small sample of reference data in a platform's form, and a product that fits it. */
import { type ProductMapping, type ReferenceData, ReferenceIndex } from "@crossdock/catalog"
import type { CompanyId } from "@crossdock/kernel"

/** The company. `CompanyId.make` would bring Effect's Schema into the page. */
export const company = 1 as CompanyId

const category = (uid: number, name: string) => ({
  ...{ uid, name, slug: name.toLowerCase(), level: 3 as const, departments: [1] },
  ...{ parent: 20, l1: 10, l2: 20, isActive: true, channels: {} }
})

export const data: ReferenceData = {
  departments: [{ uid: 1, name: "Home", slug: "home", isActive: true }],
  categories: [category(31, "Mugs"), category(32, "Cushions")],
  templates: [{ slug: "home", name: "Home", departments: ["home"], categories: ["mugs", "cushions"], isActive: true }],
  attributes: [
    {
      ...{ slug: "material", name: "Material", categories: ["Mugs", "Cushions"] },
      schema: { type: "str", mandatory: true, multi: false, allowedValues: ["Ceramic", "Glass", "Cotton"] }
    },
    {
      ...{ slug: "capacity_ml", name: "Capacity (ml)", categories: ["Mugs"] },
      schema: { type: "int", mandatory: true, multi: false, range: { min: 50, max: 1000 } }
    }
  ],
  hsCodes: [
    { code: "691110", type: "HS", description: "Porcelain tableware", countryCode: "IN" },
    { code: "940490", type: "HS", description: "Cushions", countryCode: "IN" }
  ],
  taxRules: [{ id: "gst-12", name: "GST 12 %", status: "ACTIVE", versions: [] }]
}

export const index = ReferenceIndex.make(data)

export const brands = ReferenceIndex.brandsOf([
  { companyId: company, uid: 1, name: "Acme" },
  { companyId: company, uid: 2, name: "Zephyr" }
])

export const template = "home"

export const product: ProductMapping.CreateInput = {
  item_type: "standard",
  name: "Blue mug",
  slug: "blue-mug",
  departments: ["1"],
  category: "Mugs",
  brand: "Acme",
  item_code: "MUG-1",
  country_of_origin: "India",
  tax_identifier: { tax_rule_id: "gst-12" },
  hs_code: "691110",
  sizes: [{ primary_identifier: "MUG-1-S", size: "S", price: 499, price_effective: 399.5 }],
  trader: [{ type: "Seller", name: "Acme", address: ["1 Market Road"] }],
  attributes: { material: "Ceramic", capacity_ml: 300 },
  is_dependent: false
}
