/**
 * Stores changed products, and what the audit trail keeps of them.
 */
import { CompanyWrite } from "@crossdock/audit"
import { type CompanyId, required } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import { ProductStore } from "../CatalogStore.ts"
import * as CatalogWrite from "../CatalogWrite.ts"
import { skusOf } from "../Product.ts"
import type { ProductChange } from "../ProductChanges.ts"
import * as ProductInput from "../ProductInput.ts"
import { SkuStock } from "../SkuStock.ts"

const itemCodeOf = ({ after, before }: Pick<ProductChange, "after" | "before">): string =>
  required(after ?? before, "the changed product").itemCode

/**
 * One change for each product, from what it was first to what it is last: a small request can change a large product many
 * times.
 */
export const net = (changes: ReadonlyArray<ProductChange>): ReadonlyArray<ProductChange> => {
  const byItemCode = new Map<string, ProductChange>()
  for (const change of changes) {
    const itemCode = itemCodeOf(change)
    byItemCode.set(itemCode, { ...change, before: (byItemCode.get(itemCode) ?? change).before })
  }
  return [...byItemCode.values()]
}

/**
 * Makes `apply`, which stores products, each changed once, and deletes removed SKUs with their stock and prices.
 */
export const make = Effect.gen(function* () {
  const products = yield* ProductStore
  const stock = yield* SkuStock

  const apply = (company: CompanyId, changes: ReadonlyArray<ProductChange>, mark: CompanyWrite.Mark) =>
    Effect.gen(function* () {
      const put = changes.flatMap(({ after }) => after ?? [])
      const removed = changes.filter(({ after }) => after === null).map(itemCodeOf)
      const kept = new Set(skusOf(put))
      const deleted = skusOf(changes.flatMap(({ before }) => before ?? [])).filter((sku) => !kept.has(sku))
      if (deleted.length > 0) {
        const changeNumber = yield* CompanyWrite.knownNumber(mark.changeNumber)
        yield* stock.remove(company, deleted, { changeNumber, at: mark.at })
      }
      if (removed.length > 0) yield* products.remove(company, removed)
      if (put.length > 0) yield* products.put(company, put, mark.at)
    })

  return { apply }
})

/**
 * The audit record of a write.
 */
export const recordOf = (changes: ReadonlyArray<ProductChange>, done: CatalogWrite.CatalogWrite) => ({
  request: changes.map(itemCodeOf),
  response: { success: CatalogWrite.succeeded(done), failures: done.failures },
  before: changes.map(({ before }) => (before === null ? null : ProductInput.shown(before))),
  after: changes.map(({ after }) => (after === null ? null : ProductInput.shown(after)))
})
