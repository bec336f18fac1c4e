/** The products of the retail sample, and the bodies that create them. */
import type { CatalogImport } from "@crossdock/catalog"

type Text = "name" | "slug" | "category" | "template" | "brand" | "country_of_origin" | "sku" | "size" | "mrp" | "esp"
type Code = "item_code" | "hs_code" | "tax_rule_id"
type Measure = "department" | "item_length" | "item_width" | "item_height" | "item_weight"

export interface RetailProduct extends Readonly<Record<Text | Code, string> & Record<Measure, number>> {
  readonly attributes?: Readonly<Record<string, unknown>>
}

/** The body that creates a product. Source: docs/reference/catalog.md#create. */
const inputOf = (retail: RetailProduct) => ({
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

/** The products grouped by template. Within a template they keep their order. */
export const importsOf = (products: ReadonlyArray<RetailProduct>): ReadonlyArray<CatalogImport.ProductsImport> =>
  [...new Set(products.map(({ template }) => template))].map((template) => ({
    template,
    products: products.filter((product) => product.template === template).map(inputOf)
  }))
