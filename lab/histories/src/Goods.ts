/** The products that the sellers sell. */
import type { Brand, ReferenceData } from "@crossdock/catalog"
import type { StockUpdate } from "@crossdock/inventory"
import type { CompanyId } from "@crossdock/kernel"
import { Result } from "effect"

export const reference: ReferenceData = {
  departments: [{ uid: 1, name: "Apparel", slug: "apparel", isActive: true }],
  categories: [
    { level: 1 as const, uid: 1, name: "Apparel", slug: "apparel", parent: null, l1: null, l2: null },
    { level: 2 as const, uid: 2, name: "Clothing", slug: "clothing", parent: 1, l1: 1, l2: null },
    { level: 3 as const, uid: 3, name: "T-Shirts", slug: "t-shirts", parent: 2, l1: 1, l2: 2 }
  ].map((one) => ({ ...one, departments: [1], isActive: true, channels: {} })),
  templates: [{ slug: "apparel", name: "Apparel", departments: ["apparel"], categories: ["t-shirts"], isActive: true }],
  attributes: [],
  hsCodes: [{ code: "610910", type: "HS", description: "T-shirts", countryCode: "IN" }],
  taxRules: [{ id: "gst-12", name: "GST 12 %", status: "ACTIVE", versions: [] }]
}

export const brands = (companies: ReadonlyArray<CompanyId>): ReadonlyArray<Brand> =>
  companies.map((companyId) => ({ companyId, uid: 1, name: "Own" }))

export const codes = ["P1", "P2", "P3", "P5", "P6"] as const

const sizes = ["S", "M"] as const

export const skusOf = (code: string): ReadonlyArray<string> => sizes.map((size) => `${code}-${size}`)

export const skus = codes.flatMap(skusOf)

/** A product as in the body of a create request. */
export const product = (code: string) => ({
  item_type: "standard",
  name: `Shirt ${code}`,
  slug: `shirt-${code.toLowerCase()}`,
  departments: ["1"],
  category: "T-Shirts",
  brand: "Own",
  item_code: code,
  country_of_origin: "India",
  tax_identifier: { tax_rule_id: "gst-12" },
  hs_code: "610910",
  sizes: skusOf(code).map((sku) => ({ primary_identifier: sku, size: sku, price: 800, price_effective: 500 })),
  trader: [{ type: "Seller", name: "Own", address: ["1 Market Road"] }],
  attributes: {},
  is_dependent: false
})

/** Sets the stock of every SKU at one location, and of a single product at the other. */
export const some = (quantity: number): ReadonlyArray<Result.Result<StockUpdate.StockRecord, never>> =>
  [...skus.map((sku) => ["L1", sku] as const), ...skusOf("P1").map((sku) => ["L2", sku] as const)].map(
    ([location, sku]) => Result.succeed({ location, sku, quantity, expected: null })
  )
