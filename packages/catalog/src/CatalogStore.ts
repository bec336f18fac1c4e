/**
 * Ports: where reference data and products are kept.
 */

import type { CompanyId, Page, StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { KeptProduct, Product, Size } from "./Product.ts"
import type { ProductKeys } from "./ProductFacts.ts"
import type { Brand, ReferenceData } from "./ReferenceData.ts"

/**
 * Laws: an import puts every record in place of the one with its key and can be repeated; each gives the data a version
 * that it never had.
 */
export class ReferenceStore extends Context.Service<
  ReferenceStore,
  {
    readonly put: (data: ReferenceData) => Effect.Effect<void, StorageError>
    readonly putBrands: (brands: ReadonlyArray<Brand>) => Effect.Effect<void, StorageError>
    readonly read: Effect.Effect<ReferenceData, StorageError>
    /** By which a reader knows that what it keeps is still what stands here; 0 before the first import. */
    readonly version: Effect.Effect<number, StorageError>
    /** One company's, ordered by uid. */
    readonly brands: (company: CompanyId) => Effect.Effect<ReadonlyArray<Brand>, StorageError>
  }
>()("@crossdock/catalog/ReferenceStore") {}

/**
 * `name` is a part of it without case, `slug` all of it; `itemCodes` empty means all. Newest first by `sort`.
 */
export interface ProductFilter {
  readonly name?: string
  readonly slug?: string
  readonly itemCodes: ReadonlyArray<string>
  readonly sort: "created" | "modified_on"
}

/**
 * A SKU as it is sold: its product's name and HS code, and grams of one unit.
 */
export interface SoldSku extends Pick<Product, "name" | "hsCode">, Pick<Size, "sku" | "weight"> {}

/**
 * Laws: products are found by item code, sizes by SKU, both within the company only; putting a product again replaces it
 * and keeps the stock and prices of the sizes it still has; products of one put may exchange SKUs and slugs, and a put that
 * would give two products of a brand one slug fails.
 */
export class ProductStore extends Context.Service<
  ProductStore,
  {
    readonly put: (
      company: CompanyId,
      products: ReadonlyArray<Product>,
      at: number
    ) => Effect.Effect<void, StorageError>
    /** Takes products away with their sizes; unknown item codes are left out. */
    readonly remove: (company: CompanyId, itemCodes: ReadonlyArray<string>) => Effect.Effect<void, StorageError>
    /** Of these SKUs what orders and parcels need, each once; unknown SKUs are left out. */
    readonly sold: (
      company: CompanyId,
      skus: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<SoldSku>, StorageError>
    /** The products that have any of these keys, each once. */
    readonly find: (company: CompanyId, keys: ProductKeys) => Effect.Effect<ReadonlyArray<Product>, StorageError>
    readonly page: (
      company: CompanyId,
      filter: ProductFilter,
      page: Page.Page
    ) => Effect.Effect<Page.Paged<KeptProduct>, StorageError>
  }
>()("@crossdock/catalog/ProductStore") {}
