import type { Bulk, CompanyId, Page, StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { KeptProduct, Product, Size } from "./Product.ts"
import type { ProductKeys } from "./ProductChanges.ts"
import type { Brand, ReferenceData } from "./ReferenceData.ts"

/**
 * Port: stores reference data and brands. Laws: `put` replaces records with the same key, can be repeated, and gives the data a
 * new version. Renaming a brand also renames it in its products. The brands of a company have different names.
 */
export class ReferenceStore extends Context.Service<
  ReferenceStore,
  {
    readonly put: (data: ReferenceData) => Effect.Effect<void, StorageError>
    readonly putBrands: (brands: ReadonlyArray<Brand>) => Effect.Effect<void, StorageError>
    readonly read: Effect.Effect<ReferenceData, StorageError>
    /** The version changes with every `put`, so that readers know whether their copy is current. It is 0 at first. */
    readonly version: Effect.Effect<number, StorageError>
    /** The company's brands, sorted by uid. */
    readonly brands: (company: CompanyId) => Effect.Effect<ReadonlyArray<Brand>, StorageError>
  }
>()("@crossdock/catalog/ReferenceStore") {}

/** Selects products. `name` matches any part in any case, `slug` the whole slug. Empty `itemCodes` match all products. */
export interface ProductFilter {
  readonly name?: string
  readonly slug?: string
  readonly itemCodes: ReadonlyArray<string>
  readonly sort: "created" | "modified_on"
  /** Texts of custom fields (`CustomFields.filterOf`). Only products that have all of them are selected. */
  readonly fields?: ReadonlyArray<string>
}

/** The facts about a SKU that orders and parcels need. The weight is that of one unit, in grams. */
export interface SoldSku extends Pick<Product, "name" | "hsCode">, Pick<Size, "sku" | "weight"> {}

/**
 * Port: stores products. Laws: products are found by item code and sizes by SKU. Storing a product again keeps the stock and
 * prices of its remaining sizes. The products of a `put` may exchange SKUs and slugs. A brand's slugs must differ.
 */
export class ProductStore extends Context.Service<
  ProductStore,
  {
    readonly put: (company: CompanyId, all: ReadonlyArray<Product>, at: number) => Effect.Effect<void, StorageError>
    /** Deletes products with their sizes. Unknown item codes are ignored. */
    readonly remove: (company: CompanyId, itemCodes: ReadonlyArray<string>) => Effect.Effect<void, StorageError>
    /** The facts about the given SKUs that exist. Each SKU appears once. */
    readonly sold: (
      company: CompanyId,
      skus: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<SoldSku>, StorageError>
    /** Returns the given SKUs whose products are returnless. */
    readonly returnless: (
      company: CompanyId,
      skus: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlySet<string>, StorageError>
    /** Returns the given SKUs that at least one of these companies sells. */
    readonly skusOfAny: (
      companies: ReadonlyArray<CompanyId>,
      skus: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlySet<string>, StorageError>
    /** The products that have any of these keys. Each product appears once. */
    readonly find: (company: CompanyId, keys: ProductKeys) => Effect.Effect<ReadonlyArray<Product>, StorageError>
    readonly page: (
      company: CompanyId,
      filter: ProductFilter,
      page: Page.Page
    ) => Effect.Effect<Page.Paged<KeptProduct>, StorageError>
  }
>()("@crossdock/catalog/ProductStore") {}

/** A write of products. `failures` are sorted by index. `at` is in epoch ms. Source: docs/reference/catalog.md#status. */
export interface CatalogWrite {
  readonly companyId: CompanyId
  readonly traceId: string
  readonly total: number
  readonly failures: ReadonlyArray<Bulk.Failure>
  readonly at: number
}

/** Port: stores the outcomes of writes. Laws: a write is read unchanged, and never by another company. */
export class CatalogWriteStore extends Context.Service<
  CatalogWriteStore,
  {
    readonly insert: (write: CatalogWrite) => Effect.Effect<void, StorageError>
    readonly find: (company: CompanyId, traceId: string) => Effect.Effect<CatalogWrite | undefined, StorageError>
    /** Deletes at most `limit` writes of all companies that are older than `before`, oldest first. Returns their number. */
    readonly deleteBefore: (before: number, limit: number) => Effect.Effect<number, StorageError>
  }
>()("@crossdock/catalog/CatalogWriteStore") {}
