/**
 * The company's products that a request may concern, by each of their keys. Accepted changes are entered one after the other,
 * so that later products of a request are checked against earlier ones.
 */
import type { Product } from "../Product.ts"
import type { KeysInput } from "../ProductInput.ts"
import type { BrandIndex } from "../ReferenceIndex.ts"

export interface ProductsByKey {
  readonly byItemCode: Map<string, Product>
  readonly bySlug: Map<string, Product>
  readonly bySku: Map<string, Product>
}

export const slugKey = (brand: string, slug: string): string => `${brand}\n${slug}`

export const enter = (all: ProductsByKey, product: Product): void => {
  all.byItemCode.set(product.itemCode, product)
  all.bySlug.set(slugKey(product.brand, product.slug), product)
  for (const { sku } of product.sizes) all.bySku.set(sku, product)
}

export const withdraw = (all: ProductsByKey, product: Product): void => {
  all.byItemCode.delete(product.itemCode)
  all.bySlug.delete(slugKey(product.brand, product.slug))
  for (const { sku } of product.sizes) all.bySku.delete(sku)
}

export const make = (products: ReadonlyArray<Product>): ProductsByKey => {
  const all: ProductsByKey = { byItemCode: new Map(), bySlug: new Map(), bySku: new Map() }
  for (const product of products) enter(all, product)
  return all
}

/**
 * The name of the brand that keys give by name or by uid; undefined when they give none that exists.
 */
export const brandOf = (brands: BrandIndex, { brand, brand_uid: uid }: KeysInput): string | undefined =>
  brand ?? (uid === undefined || uid === null ? undefined : brands.byUid.get(String(uid))?.name)

export const findBySlug = (all: ProductsByKey, brands: BrandIndex, keys: KeysInput): Product | undefined => {
  const brand = brandOf(brands, keys)
  return keys.slug === undefined || keys.slug === null || brand === undefined
    ? undefined
    : all.bySlug.get(slugKey(brand, keys.slug))
}

export const findByItemCode = (all: ProductsByKey, { item_code: itemCode }: KeysInput): Product | undefined =>
  itemCode === undefined || itemCode === null ? undefined : all.byItemCode.get(itemCode)
