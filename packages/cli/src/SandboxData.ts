/** The products of the retail sample, and the bodies that create them. */
import type { CatalogImport } from "@crossdock/catalog"

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

/** The body that creates a product. Source: docs/reference/catalog.md#create. */
export const inputOf = (retail: RetailProduct) => ({
  item_type: "standard",
  name: retail.name,
  slug: retail.slug,
  departments: [String(retail.department)],
  category: retail.category,
  brand: retail.brand,
  item_code: retail.item_code,
  country_of_origin: retail.country_of_origin,
  tax_identifier: { tax_rule_id: retail.tax_rule_id },
  hs_code: retail.hs_code,
  sizes: [
    {
      primary_identifier: retail.sku,
      size: retail.size,
      price: Number(retail.mrp),
      price_effective: Number(retail.esp),
      item_length: retail.item_length,
      item_width: retail.item_width,
      item_height: retail.item_height,
      item_weight: retail.item_weight,
      track_inventory: true
    }
  ],
  trader: [{ type: "Seller", name: "Acme Retail Private Limited", address: ["1 Market Road", "Bengaluru 560001"] }],
  attributes: retail.attributes ?? {},
  is_dependent: false
})

export type ProductBody = ReturnType<typeof inputOf>

/** The products grouped by template. Within a template they keep their order. */
export const importsOf = (products: ReadonlyArray<RetailProduct>): ReadonlyArray<CatalogImport.ProductsImport> =>
  [...new Set(products.map(({ template }) => template))].map((template) => ({
    template,
    products: products.filter((product) => product.template === template).map(inputOf)
  }))
