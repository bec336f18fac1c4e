/**
 * Ports: where reference data and products are kept.
 */

import type { CompanyId, StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Product } from "./Product.ts"
import type { Brand, ReferenceData } from "./ReferenceData.ts"

/**
 * Laws: an import puts every record in place of the one with its key and can be repeated.
 */
export class ReferenceStore extends Context.Tag("@crossdock/catalog/ReferenceStore")<
  ReferenceStore,
  {
    readonly put: (data: ReferenceData) => Effect.Effect<void, StorageError>
    readonly putBrands: (brands: ReadonlyArray<Brand>) => Effect.Effect<void, StorageError>
    readonly read: Effect.Effect<ReferenceData, StorageError>
  }
>() {}

/**
 * Laws: products are found by item code, sizes by SKU, both within the company only; putting a product again replaces it
 * and keeps the stock and prices of the sizes it still has.
 */
export class ProductStore extends Context.Tag("@crossdock/catalog/ProductStore")<
  ProductStore,
  {
    readonly put: (
      company: CompanyId,
      products: ReadonlyArray<Product>,
      at: number
    ) => Effect.Effect<void, StorageError>
    /** The products that have one of these SKUs, each once; unknown SKUs are left out. */
    readonly bySku: (
      company: CompanyId,
      skus: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Product>, StorageError>
  }
>() {}
