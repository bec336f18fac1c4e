/**
 * The outcome of each product of a write, by the products and reference data as they are now.
 */
import { type CompanyId, StaleWrite } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import { ProductStore, ReferenceStore } from "../CatalogStore.ts"
import type { Accepted, CatalogWrite } from "../CatalogWrite.ts"
import * as ProductChanges from "../ProductChanges.ts"
import * as ReferenceIndex from "../ReferenceIndex.ts"
import { References } from "../References.ts"
import { skusOf } from "./ProductSkus.ts"
import * as SkuDeletion from "./SkuDeletion.ts"

/**
 * A write and the products to check.
 */
export interface Open extends Pick<CatalogWrite, "companyId" | "operation" | "template"> {
  readonly accepted: Accepted
}

/**
 * SKUs that would be deleted, and which of them are in use.
 */
interface Uses {
  readonly skus: ReadonlySet<string>
  readonly uses: ReadonlyMap<string, ProductChanges.Use>
}

const noUses: Uses = { skus: new Set(), uses: new Map() }

/**
 * Makes the checks.
 */
export const make = Effect.gen(function* () {
  const products = yield* ProductStore
  const referenceStore = yield* ReferenceStore
  const references = yield* References
  const usesOfSkus = yield* SkuDeletion.make

  const contextOf = (company: CompanyId) =>
    Effect.gen(function* () {
      const index = yield* references.current
      return { index, brands: ReferenceIndex.brandsOf(yield* referenceStore.brands(company)) }
    })

  /**
   * The SKUs that a delete would remove and which of them are in use, with their stock levels locked. Other operations lock no
   * levels.
   */
  const usesOf = ({ accepted, companyId, operation }: Open) =>
    Effect.gen(function* () {
      if (operation !== "delete") return noUses
      const inputs = accepted as ReadonlyArray<ProductChanges.Submitted<never>>
      const { brands } = yield* contextOf(companyId)
      const skus = skusOf(yield* products.find(companyId, ProductChanges.keysOf(brands, inputs)))
      return { skus: new Set(skus), uses: yield* usesOfSkus(companyId, skus) }
    })

  /**
   * The outcomes by the products as they are now. A delete starts over when its products have other SKUs than `usesOf` found,
   * since the levels of these aren't locked.
   */
  const outcomesOf = ({ accepted, companyId, operation, template }: Open, { skus, uses }: Uses) =>
    Effect.gen(function* () {
      const { brands, index } = yield* contextOf(companyId)
      const inputs = accepted as ReadonlyArray<ProductChanges.Submitted<never>>
      const found = yield* products.find(companyId, ProductChanges.keysOf(brands, inputs))
      const known = { companyId, template, index, brands, products: found }
      if (operation === "create") return ProductChanges.creations(known, inputs)
      if (operation === "update") return ProductChanges.updates(known, inputs)
      if (skusOf(found).some((sku) => !skus.has(sku))) {
        return yield* new StaleWrite({ operation: "CatalogWrites.outcomesOf" })
      }
      return ProductChanges.deletions(known, inputs, uses)
    })

  return { usesOf, outcomesOf }
})
