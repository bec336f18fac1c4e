import type { Bulk, CompanyId, Page, Stored } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type { KeptProduct, Product, Size } from "./Product.ts"
import type { Brand, ReferenceData } from "./ReferenceData.ts"

/**
 * Port: stores reference data and brands. Laws: `put` replaces records with the same key, can be repeated, and gives the data a
 * new version. Renaming a brand also renames it in its products. The brands of a company have different names.
 */
export class ReferenceStore extends Context.Service<
  ReferenceStore,
  {
    readonly put: (data: ReferenceData) => Stored<void>
    readonly putBrands: (brands: ReadonlyArray<Brand>) => Stored<void>
    readonly read: Stored<ReferenceData>
    /** The version changes with every `put`, so that readers know whether their copy is current. It is 0 at first. */
    readonly version: Stored<number>
    /** The company's brands, sorted by uid. */
    readonly brands: (company: CompanyId) => Stored<ReadonlyArray<Brand>>
  }
>()("@crossdock/catalog/ReferenceStore") {}

/** The keys of a request's products. With them, these products and the products that they conflict with are found. */
export interface ProductKeys {
  readonly itemCodes: ReadonlyArray<string>
  readonly slugs: ReadonlyArray<{ readonly brand: string; readonly slug: string }>
  readonly skus: ReadonlyArray<string>
}

/** Selects products. `name` is any part of a name, in any case. `slug` is a whole slug. Empty `itemCodes` match all. */
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
    readonly put: (company: CompanyId, all: ReadonlyArray<Product>, at: number) => Stored<void>
    /** Deletes products with their sizes. Unknown item codes are ignored. */
    readonly remove: (company: CompanyId, itemCodes: ReadonlyArray<string>) => Stored<void>
    /** The facts about the given SKUs that exist. Each SKU appears once. */
    readonly sold: (company: CompanyId, skus: ReadonlyArray<string>) => Stored<ReadonlyArray<SoldSku>>
    /** Returns the given SKUs whose products are returnless. */
    readonly returnless: (company: CompanyId, skus: ReadonlyArray<string>) => Stored<ReadonlySet<string>>
    /** Returns the given SKUs that at least one of these companies sells. */
    readonly skusOfAny: (
      companies: ReadonlyArray<CompanyId>,
      skus: ReadonlyArray<string>
    ) => Stored<ReadonlySet<string>>
    /** The products that have any of these keys. Each product appears once. */
    readonly find: (company: CompanyId, keys: ProductKeys) => Stored<ReadonlyArray<Product>>
    readonly page: (company: CompanyId, filter: ProductFilter, page: Page.Page) => Stored<Page.Paged<KeptProduct>>
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
    readonly insert: (write: CatalogWrite) => Stored<void>
    readonly find: (company: CompanyId, traceId: string) => Stored<CatalogWrite | undefined>
    /** Deletes at most `limit` writes of all companies that are older than `before`, oldest first. Returns their number. */
    readonly deleteBefore: (before: number, limit: number) => Stored<number>
  }
>()("@crossdock/catalog/CatalogWriteStore") {}
