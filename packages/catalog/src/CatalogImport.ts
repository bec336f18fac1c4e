/**
 * Use case: put a whole catalog in place, all or nothing.
 */

import type { Caller } from "@crossdock/access"
import { CompanyWrite } from "@crossdock/audit"
import { type CompanyId, StaleWrite, type StorageError, Transaction, type Violation } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Result from "effect/Result"
import { ProductStore, ReferenceStore } from "./CatalogStore.ts"
import { ProductsInvalid } from "./CatalogWrites.ts"
import * as ProductFacts from "./ProductFacts.ts"
import type { CreateInput } from "./ProductInput.ts"
import * as ProductRules from "./ProductRules.ts"
import * as ProductUse from "./ProductUse.ts"
import type { Brand, ReferenceData } from "./ReferenceData.ts"
import * as ReferenceIndex from "./ReferenceIndex.ts"
import { References } from "./References.ts"
import type { SkuShipments } from "./SkuShipments.ts"
import { SkuStock } from "./SkuStock.ts"

/**
 * Products of one template, as a create sends them.
 */
export interface ProductsImport {
  readonly template: string
  readonly products: ReadonlyArray<unknown>
}

export class CatalogImport extends Context.Service<
  CatalogImport,
  {
    /** Reference data belongs to no company and leaves no audit record. See `ReferenceFile` for its judgement. */
    readonly reference: (data: ReferenceData, brands: ReadonlyArray<Brand>) => Effect.Effect<void, StorageError>
    /**
     * Products of one company, judged by the rules of a create, with one audit record. A product whose item code is there
     * already is replaced, so that an import can be repeated; sizes that it no longer has go with their stock and prices,
     * unless they are in use.
     */
    readonly products: (
      caller: Caller,
      company: CompanyId,
      imports: ReadonlyArray<ProductsImport>
    ) => Effect.Effect<void, ProductsInvalid | StorageError>
  }
>()("@crossdock/catalog/CatalogImport") {}

const skusOf = (products: ProductFacts.Known["products"]): ReadonlyArray<string> =>
  products.flatMap(({ sizes }) => sizes.map(({ sku }) => sku))

const madeBy = (verdicts: ReadonlyArray<ProductFacts.Verdict>) =>
  verdicts.flatMap((verdict) => (Result.isSuccess(verdict) ? (verdict.success.after ?? []) : []))

const faultsOf = (verdict: ProductFacts.Verdict, root: string): ReadonlyArray<Violation> =>
  Result.isSuccess(verdict)
    ? []
    : [{ path: `${root}${verdict.failure.path ?? ""}`, code: verdict.failure.code, message: verdict.failure.message }]

export const make = Effect.gen(function* () {
  const store = yield* ProductStore
  const usesOfSkus = yield* ProductUse.make
  const stock = yield* SkuStock
  const referenceStore = yield* ReferenceStore
  const references = yield* References
  const { run } = yield* CompanyWrite.CompanyWrite
  const transaction = yield* Transaction.Transaction

  const reference = Effect.fn("CatalogImport.reference")((data: ReferenceData, brands: ReadonlyArray<Brand>) =>
    transaction.run(Effect.andThen(referenceStore.put(data), referenceStore.putBrands(brands)))
  )

  /**
   * The products of each template, judged one after the other: those before are known to those after.
   */
  const judged = (company: CompanyId, imports: ReadonlyArray<ProductsImport>) =>
    Effect.gen(function* () {
      const index = yield* references.current
      const brands = ReferenceIndex.brandsOf(yield* referenceStore.brands(company))
      const shapes = imports.flatMap(({ products, template }, at) => [
        ...ProductRules.judgeTemplateSlug(index, "create", template),
        ...products.flatMap((product, i) =>
          ProductRules.judge(index, "create", template, product, `/${at}/products/${i}`)
        )
      ])
      if (shapes.length > 0) return yield* new ProductsInvalid({ violations: shapes })
      const submitted = imports.map(({ products }) =>
        products.map((input, i) => ({ index: i, input: input as CreateInput }))
      )
      const keys = ProductFacts.keysOf({ brands }, submitted.flat())
      const own = new Set(keys.itemCodes)
      // What an import replaces can't clash with it.
      const found = yield* store.find(company, keys)
      const known = found.filter(({ itemCode }) => !own.has(itemCode))
      const replaced = found.filter(({ itemCode }) => own.has(itemCode))
      const verdicts: Array<ReadonlyArray<ProductFacts.Verdict>> = []
      for (const [at, { template }] of imports.entries()) {
        const products = [...known, ...madeBy(verdicts.flat())]
        const facts = { companyId: company, template, index, brands, products }
        verdicts.push(ProductFacts.create(facts, submitted[at] ?? []))
      }
      const violations = verdicts.flatMap((some, at) => some.flatMap((verdict) => faultsOf(verdict, `/${at}`)))
      if (violations.length > 0) return yield* new ProductsInvalid({ violations })
      const imported = madeBy(verdicts.flat())
      const kept = new Set(skusOf(imported))
      return { imported, gone: skusOf(replaced).filter((sku) => !kept.has(sku)) }
    })

  const products = Effect.fn("CatalogImport.products")(function* (
    caller: Caller,
    company: CompanyId,
    imports: ReadonlyArray<ProductsImport>
  ) {
    // Levels are locked before the company, and which of them is known only after it: then it starts over.
    const going = yield* Ref.make<ReadonlyArray<string>>([])
    yield* run(caller, {
      load: Effect.gen(function* () {
        const expected = yield* Ref.get(going)
        return { expected, uses: yield* usesOfSkus(company, expected) }
      }),
      companies: () => [company],
      decide: ({ expected, uses }) =>
        Effect.gen(function* () {
          const { gone, imported } = yield* judged(company, imports)
          if (gone.some((sku) => !expected.includes(sku))) {
            yield* Ref.set(going, gone)
            return yield* new StaleWrite({ operation: "CatalogImport.products" })
          }
          const skus = gone.map((sku) => ({ sku }))
          const violations = ProductFacts.inUse(uses, skus, "")
          if (violations.length > 0) return yield* new ProductsInvalid({ violations })
          const change: CompanyWrite.CompanyChange = {
            companyId: company,
            entity: { type: "product", id: String(imported.length), action: "import" },
            save: (mark) =>
              Effect.gen(function* () {
                if (gone.length > 0) yield* stock.remove(company, gone, mark)
                yield* store.put(company, imported, mark.at)
                const codes = imported.map((product) => product.itemCode)
                return { request: codes, response: { imported: imported.length } }
              })
          }
          return { answer: undefined, changes: [change] }
        })
    })
  })

  return CatalogImport.of({ reference, products })
})

export const layer: Layer.Layer<
  CatalogImport,
  never,
  | ProductStore
  | ReferenceStore
  | References
  | SkuStock
  | SkuShipments
  | CompanyWrite.CompanyWrite
  | Transaction.Transaction
> = Layer.effect(CatalogImport, make)
