import type { Bulk, CompanyId, Page, StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { KeptProduct, Product, Size } from "./Product.ts"
import type { ProductKeys } from "./ProductChanges.ts"
import type { Brand, ReferenceData } from "./ReferenceData.ts"

/**
 * Laws: `put` replaces records with the same key, can be repeated, and gives the data a new version. Renaming a brand renames
 * it in its products. A company's brands have different names.
 */
export class ReferenceStore extends Context.Service<
  ReferenceStore,
  {
    readonly put: (data: ReferenceData) => Effect.Effect<void, StorageError>
    readonly putBrands: (brands: ReadonlyArray<Brand>) => Effect.Effect<void, StorageError>
    readonly read: Effect.Effect<ReferenceData, StorageError>
    /** Changes with every `put`, so readers know whether their copy is current; 0 before the first. */
    readonly version: Effect.Effect<number, StorageError>
    /** Ordered by uid. */
    readonly brands: (company: CompanyId) => Effect.Effect<ReadonlyArray<Brand>, StorageError>
  }
>()("@crossdock/catalog/ReferenceStore") {}

/** Which products, newest first by `sort`. `name` matches a part in any case, `slug` exactly; empty `itemCodes` means all. */
export interface ProductFilter {
  readonly name?: string
  readonly slug?: string
  readonly itemCodes: ReadonlyArray<string>
  readonly sort: "created" | "modified_on"
  /** Texts of custom fields (`CustomFields.filterOf`); a product must have all. */
  readonly fields?: ReadonlyArray<string>
}

/** A SKU's facts for orders and parcels: its product's name and HS code, and one unit's grams. */
export interface SoldSku extends Pick<Product, "name" | "hsCode">, Pick<Size, "sku" | "weight"> {}

/**
 * Laws: products are found by item code and sizes by SKU, within the company. Storing a product again keeps remaining sizes'
 * stock and prices. Products of a `put` may exchange SKUs and slugs; two of a brand with one slug fail it.
 */
export class ProductStore extends Context.Service<
  ProductStore,
  {
    readonly put: (company: CompanyId, all: ReadonlyArray<Product>, at: number) => Effect.Effect<void, StorageError>
    /** Deletes products with their sizes; unknown item codes are ignored. */
    readonly remove: (company: CompanyId, itemCodes: ReadonlyArray<string>) => Effect.Effect<void, StorageError>
    /** These SKUs, each once, without unknown ones. */
    readonly sold: (
      company: CompanyId,
      skus: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<SoldSku>, StorageError>
    /** The given SKUs whose products are returnless. */
    readonly returnless: (
      company: CompanyId,
      skus: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlySet<string>, StorageError>
    /** The given SKUs that any of these companies sells. */
    readonly skusOfAny: (
      companies: ReadonlyArray<CompanyId>,
      skus: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlySet<string>, StorageError>
    /** The products with any of these keys, each once. */
    readonly find: (company: CompanyId, keys: ProductKeys) => Effect.Effect<ReadonlyArray<Product>, StorageError>
    readonly page: (
      company: CompanyId,
      filter: ProductFilter,
      page: Page.Page
    ) => Effect.Effect<Page.Paged<KeptProduct>, StorageError>
  }
>()("@crossdock/catalog/ProductStore") {}

/** A write, by trace id. `failures` ascend by index; `at` is epoch milliseconds. Source: docs/reference/catalog.md#status. */
export interface CatalogWrite {
  readonly companyId: CompanyId
  readonly traceId: string
  readonly total: number
  readonly failures: ReadonlyArray<Bulk.Failure>
  readonly at: number
}

/** Laws: a write reads back equal; no method returns another company's writes. */
export class CatalogWriteStore extends Context.Service<
  CatalogWriteStore,
  {
    readonly insert: (write: CatalogWrite) => Effect.Effect<void, StorageError>
    readonly find: (company: CompanyId, traceId: string) => Effect.Effect<CatalogWrite | undefined, StorageError>
    /** Deletes at most `limit` writes of any company from before a time, oldest first; returns how many. */
    readonly deleteBefore: (before: number, limit: number) => Effect.Effect<number, StorageError>
  }
>()("@crossdock/catalog/CatalogWriteStore") {}
