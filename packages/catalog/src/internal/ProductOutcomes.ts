/**
 * The outcome of each product of a write, by the products and reference data as they are now.
 */
import { type CompanyId, StaleWrite } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import { ProductStore, ReferenceStore } from "../CatalogStore.ts"
import { skusOf } from "../Product.ts"
import * as ProductChanges from "../ProductChanges.ts"
import * as ReferenceIndex from "../ReferenceIndex.ts"
import { References } from "../References.ts"
import * as SkuDeletion from "./SkuDeletion.ts"
import type { CheckedSubmission } from "./Submission.ts"

/**
 * A write and the products to check.
 */
interface Open extends Pick<CheckedSubmission, "operation" | "template" | "accepted"> {
  readonly companyId: CompanyId
}

/**
 * Makes the checks.
 */
export const make = Effect.gen(function* () {
  const products = yield* ProductStore
  const referenceStore = yield* ReferenceStore
  const references = yield* References
  const { lock, usesOf } = yield* SkuDeletion.make

  const contextOf = (company: CompanyId) =>
    Effect.gen(function* () {
      const index = yield* references.current
      return { index, brands: ReferenceIndex.brandsOf(yield* referenceStore.brands(company)) }
    })

  /**
   * Locks the stock and prices of the SKUs that a delete would remove, and returns these SKUs. Other operations lock none.
   */
  const lockDeleted = ({ accepted, companyId, operation }: Open) =>
    Effect.gen(function* () {
      if (operation !== "delete") return new Set<string>()
      const inputs = accepted as ReadonlyArray<ProductChanges.Submitted<never>>
      const { brands } = yield* contextOf(companyId)
      const skus = skusOf(yield* products.find(companyId, ProductChanges.keysOf(brands, inputs)))
      yield* lock(companyId, skus)
      return new Set(skus)
    })

  /**
   * The outcomes by the products as they are now. A delete starts over when its products have other SKUs than those whose
   * stock is `locked`; null is for a check that deletes nothing.
   */
  const outcomesOf = ({ accepted, companyId, operation, template }: Open, locked: ReadonlySet<string> | null) =>
    Effect.gen(function* () {
      const { brands, index } = yield* contextOf(companyId)
      const inputs = accepted as ReadonlyArray<ProductChanges.Submitted<never>>
      const found = yield* products.find(companyId, ProductChanges.keysOf(brands, inputs))
      const known = { companyId, template, index, brands, products: found }
      if (operation === "create") return ProductChanges.creations(known, inputs)
      if (operation === "update") return ProductChanges.updates(known, inputs)
      const skus = skusOf(found)
      if (locked !== null && skus.some((sku) => !locked.has(sku))) {
        return yield* new StaleWrite({ operation: "CatalogWrites.apply" })
      }
      return ProductChanges.deletions(known, inputs, yield* usesOf(companyId, skus))
    })

  return { lockDeleted, outcomesOf }
})
