/**
 * The SKUs of products: one for each size.
 */
import type { Product } from "../Product.ts"

export const skusOf = (products: ReadonlyArray<Pick<Product, "sizes">>): ReadonlyArray<string> =>
  products.flatMap(({ sizes }) => sizes.map(({ sku }) => sku))
