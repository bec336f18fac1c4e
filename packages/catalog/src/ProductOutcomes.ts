/**
 * The outcome of each product of a write, by the products and reference data as they are now.
 */
import { type Bulk, type CompanyId, StaleWrite, type Violation } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { ProductStore, ReferenceStore } from "./CatalogStore.ts"
import { skusOf } from "./Product.ts"
import type { Accepted, Outcome } from "./ProductChanges.ts"
import * as ProductChanges from "./ProductChanges.ts"
import { rejectionOf } from "./ProductFaults.ts"
import type { Operation } from "./ProductRules.ts"
import * as ReferenceIndex from "./ReferenceIndex.ts"
import { References } from "./References.ts"
import * as SkuUse from "./SkuUse.ts"

/** The item code as it was sent, by which a caller recognizes the product. */
const ownKeyOf = (input: unknown): Readonly<Record<string, unknown>> =>
  typeof input === "object" && input !== null && "item_code" in input ? { item_code: input.item_code } : {}

export const invalidShape = (
  index: number,
  input: unknown,
  violations: readonly [Violation, ...ReadonlyArray<Violation>]
): Bulk.Failure => {
  const { details, ...rejected } = rejectionOf(violations)
  return { index, ...rejected, code: "INVALID_RECORD", details: { ...ownKeyOf(input), ...details } }
}

/** The failures of products that were rejected; `outcomes` are those of `accepted`. */
const rejections = (accepted: Accepted, outcomes: ReadonlyArray<Outcome>): ReadonlyArray<Bulk.Failure> =>
  accepted.flatMap(({ index, input }, at) => {
    const outcome = outcomes[at]
    if (outcome === undefined || Result.isSuccess(outcome)) return []
    return [{ index, ...outcome.failure, details: { ...ownKeyOf(input), ...outcome.failure.details } }]
  })

/** The failures of products of invalid shape and of the others. */
export const allFailures = (
  { accepted, failures }: { readonly accepted: Accepted; readonly failures: ReadonlyArray<Bulk.Failure> },
  outcomes: ReadonlyArray<Outcome>
): ReadonlyArray<Bulk.Failure> => [...failures, ...rejections(accepted, outcomes)].sort((a, b) => a.index - b.index)

/** A write and the products to check. */
export interface Open {
  readonly companyId: CompanyId
  readonly operation: Operation
  readonly template: string | undefined
  readonly accepted: Accepted
}

/** Makes the checks. */
export const make = Effect.gen(function* () {
  const products = yield* ProductStore
  const referenceStore = yield* ReferenceStore
  const references = yield* References
  const { lock, usesOf } = yield* SkuUse.make

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
   * Judges the write against the current products. A delete starts over when its products have other SKUs than those whose
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
