/**
 * A product and its sizes. Source: docs/reference/catalog.md#create.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { isReturnless } from "@crossdock/catalog"
 *
 * const configs = [{ returnable: "No" }, { returnable: "Yes" }, undefined]
 * deepStrictEqual(configs.map((return_config) => isReturnless({ details: { return_config } })), [true, false, false])
 * ```
 */
import type { CompanyId } from "@crossdock/kernel"
import { frozen } from "@crossdock/kernel"
import * as Predicate from "effect/Predicate"

/** A trade item number of a size, such as an EAN. `type` selects the check of the number (see `Gtin`). */
export interface TradeItemNumber {
  readonly value: string
  readonly type: string
  readonly primary: boolean
}

/**
 * A size of a product, which is the unit of sale. `sku` is its primary identifier and is unique within the company. Lengths are
 * in centimetres and the weight is in grams. `price` and `priceEffective` are decimal texts. They never become the price at a
 * location. Source: docs/reference/catalog.md#prices-of-sizes.
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
  readonly identifiers: ReadonlyArray<TradeItemNumber>
}

/** A company that makes, imports, packs or sells a product. */
export interface Trader {
  readonly type: "Manufacturer" | "Importer" | "Packer" | "Seller"
  readonly name: string
  readonly address: ReadonlyArray<string>
}

/** A product. `slug` is unique in its brand, and `itemCode` in its company. Attributes and media are stored as sent. */
export interface Product {
  readonly companyId: CompanyId
  readonly itemCode: string
  readonly name: string
  readonly slug: string
  readonly brand: string
  readonly brandUid: number
  /** The name of a level 3 category. */
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
  readonly customFields?: Readonly<Record<string, unknown>>
  /** The texts for searching the product. `filterText` makes them. */
  readonly filters?: ReadonlyArray<string>
}

/** Marks a filter with a character that no text of a product contains. A search in stored bodies then finds only filters. */
export const filterText = (filter: string): string => `\u0001${filter}`

/** Further fields of a product, with the interface's names and the sent values. Only `isReturnless` reads one of them. */
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

/** A stored product. `uid` is the storage's own number for the product. Times are in epoch milliseconds. */
export interface KeptProduct {
  readonly uid: number
  readonly createdAt: number
  readonly modifiedAt: number
  readonly product: Product
}

/** Whether the stock of a product is tracked by batch. Source: docs/reference/catalog.md#batch-tracked. */
export const isBatchTracked = (product: Pick<Product, "attributes">): boolean =>
  product.attributes.batch_tracked === true

/** The values of `return_config.returnable` that mean that a product can't be returned. */
export const returnlessValues: ReadonlyArray<unknown> = /* @__PURE__ */ frozen(["No", false])

/** Whether customers can't return the product. Source: docs/reference/shipments.md#view. */
export const isReturnless = ({ details: { return_config } }: Pick<Product, "details">): boolean =>
  Predicate.hasProperty(return_config, "returnable") && returnlessValues.includes(return_config.returnable)

/** The SKUs of all sizes of the products. */
export const skusOf = (products: ReadonlyArray<Pick<Product, "sizes">>): ReadonlyArray<string> =>
  products.flatMap(({ sizes }) => sizes.map(({ sku }) => sku))
