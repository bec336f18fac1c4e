/** Use case: imports a whole catalog, or nothing if it has a fault. */
import type { Caller } from "@crossdock/access"
import { CompanyWrite } from "@crossdock/audit"
import { type CompanyId, required, StaleWrite, type Stored, Transaction, type Violation } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { ProductStore, ReferenceStore } from "./CatalogStore.ts"
import { OwnRules, ProductsInvalid } from "./CatalogWrites.ts"
import * as CustomFields from "./CustomFields.ts"
import { skusOf } from "./Product.ts"
import * as ProductChanges from "./ProductChanges.ts"
import * as ProductFeed from "./ProductFeed.ts"
import type { CreateInput } from "./ProductMapping.ts"
import * as ProductShapeCheck from "./ProductShapeCheck.ts"
import type { Brand, ReferenceData } from "./ReferenceData.ts"
import * as ReferenceIndex from "./ReferenceIndex.ts"
import * as References from "./References.ts"
import * as SkuUse from "./SkuUse.ts"

/** Products of one template. Each product has the same fields as in a create. */
export interface ProductsImport {
  readonly template: string
  readonly products: ReadonlyArray<unknown>
}

/** Imports reference data and products. */
export class CatalogImport extends Context.Service<
  CatalogImport,
  {
    /** Imports reference data and brands that `ReferenceFile` has checked. There is no audit record of this. */
    readonly reference: (data: ReferenceData, brands: ReadonlyArray<Brand>) => Stored<void>
    /**
     * Imports a company's products by the rules of a create, with one audit record. The import can be repeated. Sizes that a
     * product no longer has are deleted with their stock and prices. If such a size is in use, the import fails.
     */
    readonly products: (
      caller: Caller,
      company: CompanyId,
      imports: ReadonlyArray<ProductsImport>
    ) => Stored<void, ProductsInvalid>
  }
>()("@crossdock/catalog/CatalogImport") {}

const createdBy = (outcomes: ReadonlyArray<ProductChanges.Outcome>) =>
  outcomes.flatMap((outcome) => (Result.isSuccess(outcome) ? (outcome.success.after ?? []) : []))

const faultsOf = (outcome: ProductChanges.Outcome, root: string): ReadonlyArray<Violation> =>
  Result.isSuccess(outcome)
    ? []
    : [{ path: `${root}${outcome.failure.path ?? ""}`, code: outcome.failure.code, message: outcome.failure.message }]

export const make = Effect.gen(function* () {
  const store = yield* ProductStore
  const { lock, remove, usesOf } = yield* SkuUse.make
  const referenceStore = yield* ReferenceStore
  const references = yield* References.References
  const { run } = yield* CompanyWrite.CompanyWrite
  const transaction = yield* Transaction.Transaction
  const rules = yield* OwnRules
  const fields = yield* CustomFields.Policy

  const reference = Effect.fn("CatalogImport.reference")((data: ReferenceData, brands: ReadonlyArray<Brand>) =>
    transaction.run(Effect.andThen(referenceStore.put(data), referenceStore.putBrands(brands)))
  )

  const checked = Effect.fnUntraced(function* (company: CompanyId, imports: ReadonlyArray<ProductsImport>) {
    const index = yield* references.current
    const brands = ReferenceIndex.brandsOf(yield* referenceStore.brands(company))
    const shapes = imports.flatMap(({ products, template }, at) => [
      ...References.template(index, template, true),
      ...products.flatMap((product, i) =>
        ProductShapeCheck.violationsOf(index, "create", template, product, `/${at}/products/${i}`)
      )
    ])
    if (shapes.length > 0) return yield* new ProductsInvalid({ violations: shapes })
    const submitted = imports.map(({ products }) =>
      products.map((input, i) => ({ index: i, input: input as CreateInput }))
    )
    const keys = ProductChanges.keysOf(brands, submitted.flat())
    const own = new Set(keys.itemCodes)
    // Products of the import can't conflict with the products that they replace.
    const found = yield* store.find(company, keys)
    const known = found.filter(({ itemCode }) => !own.has(itemCode))
    const replaced = found.filter(({ itemCode }) => own.has(itemCode))
    const outcomes: Array<ReadonlyArray<ProductChanges.Outcome>> = []
    for (const [at, { template }] of imports.entries()) {
      const products = [...known, ...createdBy(outcomes.flat())]
      const facts = { companyId: company, template, index, brands, products, rules, fields }
      outcomes.push(ProductChanges.creations(facts, required(submitted[at], "the products of an import")))
    }
    const violations = outcomes.flatMap((some, at) => some.flatMap((outcome) => faultsOf(outcome, `/${at}`)))
    if (violations.length > 0) return yield* new ProductsInvalid({ violations })
    const imported = createdBy(outcomes.flat())
    const kept = new Set(skusOf(imported))
    return { imported, replaced, deleted: skusOf(replaced).filter((sku) => !kept.has(sku)) }
  })

  const products = Effect.fn("CatalogImport.products")(function* (
    caller: Caller,
    company: CompanyId,
    imports: ReadonlyArray<ProductsImport>
  ) {
    // Levels must be locked before the company, so the import starts over once it knows which levels to lock.
    let toDelete: ReadonlyArray<string> = []
    yield* run(caller, {
      load: Effect.suspend(() => Effect.as(lock(company, toDelete), toDelete)),
      lockFirst: () => [company],
      decide: (skus) =>
        Effect.gen(function* () {
          const { deleted, imported, replaced } = yield* checked(company, imports)
          const locked = new Set(skus)
          if (deleted.some((sku) => !locked.has(sku))) {
            toDelete = deleted
            return yield* new StaleWrite({ operation: "CatalogImport.products" })
          }
          const sizes = deleted.map((sku) => ({ sku }))
          const violations = ProductChanges.inUse(yield* usesOf(company, deleted), sizes, "")
          if (violations.length > 0) return yield* new ProductsInvalid({ violations })
          const change: CompanyWrite.CompanyChange = {
            companyId: company,
            entity: { type: "product", id: String(imported.length), action: "import" },
            save: Effect.fnUntraced(function* (mark) {
              yield* remove(company, deleted, mark)
              yield* store.put(company, imported, mark.at)
              const codes = imported.map((product) => product.itemCode)
              const byCode = new Map(replaced.map((product) => [product.itemCode, product]))
              const changed = imported.map((after) => ({ before: byCode.get(after.itemCode) ?? null, after }))
              const logs = { request: codes, response: { imported: imported.length } }
              return { logs, events: ProductFeed.eventsOf(changed) }
            })
          }
          return { answer: undefined, changes: [change] }
        })
    })
  })

  return CatalogImport.of({ reference, products })
})

export const layer = Layer.effect(CatalogImport, make)
