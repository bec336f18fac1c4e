/** Use cases that read a company's products and brands. */
import type { Caller, Integration } from "@crossdock/access"
import type { Page, Stored } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type ProductFilter, ProductStore, ReferenceStore } from "./CatalogStore.ts"
import type { KeptProduct } from "./Product.ts"
import type { Brand } from "./ReferenceData.ts"

/** Reads products and brands. */
export class Products extends Context.Service<
  Products,
  {
    /** The products of the caller's company, newest first. Every token has access, since products have no location. */
    readonly page: (
      caller: Caller<Integration>,
      filter: ProductFilter,
      page: Page.Page
    ) => Stored<Page.Paged<KeptProduct>>
    /** Returns the given SKUs of the caller's company whose products are returnless. */
    readonly returnless: (caller: Caller<Integration>, skus: ReadonlyArray<string>) => Stored<ReadonlySet<string>>
    /** The company's brands, sorted by uid. */
    readonly brands: (caller: Caller<Integration>) => Stored<ReadonlyArray<Brand>>
  }
>()("@crossdock/catalog/Products") {}

export const make = Effect.gen(function* () {
  const products = yield* ProductStore
  const references = yield* ReferenceStore

  return Products.of({
    page: ({ principal }, filter, page) => products.page(principal.companyId, filter, page),
    returnless: ({ principal }, skus) => products.returnless(principal.companyId, skus),
    brands: ({ principal }) => references.brands(principal.companyId)
  })
})

export const layer = Layer.effect(Products, make)
