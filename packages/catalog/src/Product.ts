/**
 * A product and its sizes, as document 1 describes them (Product input).
 */
import type { CompanyId } from "@crossdock/kernel"

export interface Gtin {
  readonly value: string
  readonly type: string
  readonly primary: boolean
}

/**
 * What is sold: `sku` is the size's primary identifier, unique within the company. Lengths in centimetres, weight in
 * grams. `price` and `priceEffective` belong to the product and never become a location's price; they are decimal text.
 */
export interface Size {
  readonly sku: string
  readonly name: string
  readonly price: string
  readonly priceEffective: string
  readonly length: number | null
  readonly width: number | null
  readonly height: number | null
  readonly weight: number | null
  readonly trackInventory: boolean
  readonly identifiers: ReadonlyArray<Gtin>
}

export interface Trader {
  readonly type: "Manufacturer" | "Importer" | "Packer" | "Seller"
  readonly name: string
  readonly address: ReadonlyArray<string>
}

/**
 * `slug` is unique within its brand, `itemCode` within the company. What document 1 leaves free (attributes, media and
 * the like) is kept as it was sent.
 */
export interface Product {
  readonly companyId: CompanyId
  readonly itemCode: string
  readonly name: string
  readonly slug: string
  readonly brand: string
  readonly brandUid: number
  /** The category's L3 name. */
  readonly category: string
  readonly departments: ReadonlyArray<number>
  readonly template: string
  readonly hsCode: string
  readonly taxRule: string
  readonly countryOfOrigin: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly traders: ReadonlyArray<Trader>
  readonly sizes: ReadonlyArray<Size>
  readonly details: ProductDetails
}

/**
 * Fields of document 1 that nothing here decides by, under its names and as they were sent.
 */
export interface ProductDetails {
  readonly item_type?: string
  readonly net_quantity?: unknown
  readonly no_of_boxes?: number
  readonly media?: ReadonlyArray<unknown>
  readonly short_description?: string
  readonly description?: string
  readonly highlights?: ReadonlyArray<string>
  readonly product_publish?: unknown
  readonly tags?: ReadonlyArray<string>
  readonly return_config?: unknown
  readonly custom_order?: unknown
  readonly is_dependent?: boolean
}

/**
 * A product as it is kept: `uid` is the storage's own number, times are epoch milliseconds.
 */
export interface KeptProduct {
  readonly uid: number
  readonly createdAt: number
  readonly modifiedAt: number
  readonly product: Product
}

/**
 * Whether the stock of a product's sizes is kept by batch (contract, Price and inventory).
 */
export const isBatchTracked = (product: Pick<Product, "attributes">): boolean =>
  product.attributes.batch_tracked === true
