/** Use cases that write products, each in one transaction with its outcome. Source: docs/reference/catalog.md#writes. */
import { type Caller, type Forbidden, type Integration, mayWriteCatalog } from "@crossdock/access"
import { CompanyWrite } from "@crossdock/audit"
import type { Bulk, CompanyId, Stored, Violation } from "@crossdock/kernel"
import { Ids, required, StaleWrite, Transaction, taggedError } from "@crossdock/kernel"
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type CatalogWrite, CatalogWriteStore, ProductStore, ReferenceStore } from "./CatalogStore.ts"
import * as CustomFields from "./CustomFields.ts"
import { skusOf } from "./Product.ts"
import type { ProductChange } from "./ProductChanges.ts"
import * as ProductChanges from "./ProductChanges.ts"
import * as ProductFeed from "./ProductFeed.ts"
import * as ProductMapping from "./ProductMapping.ts"
import * as ProductShapeCheck from "./ProductShapeCheck.ts"
import * as ReferenceIndex from "./ReferenceIndex.ts"
import { References } from "./References.ts"
import * as SkuUse from "./SkuUse.ts"

/** The host's own rules for products. By default there are no such rules. */
export const OwnRules = Context.Reference<ReadonlyArray<ProductChanges.OwnRule>>("@crossdock/catalog/OwnRules", {
  defaultValue: () => []
})

/** Some products of a request are malformed, and the whole request is rejected. */
export class ProductsInvalid extends taggedError<ProductsInvalid>()(
  "@crossdock/catalog/ProductsInvalid",
  { violations: Schema.Array(Schema.Unknown as Schema.Schema<Violation>) },
  ({ violations }) => `The products have ${violations.length} invalid fields. Correct them and send the request again.`
) {}

/** The outcome of a dry run. */
export type Validated = Pick<CatalogWrite, "companyId" | "total" | "failures">

/**
 * The stage in the answer to a write. RUNNING makes clients read the status, although the products are already stored.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { CatalogWrites } from "@crossdock/catalog"
 * import { CompanyId } from "@crossdock/kernel"
 *
 * strictEqual(CatalogWrites.stageOf({ companyId: CompanyId.make(1), total: 2, failures: [] }), "RUNNING")
 * ```
 */
export const stageOf = ({ failures, total }: Validated): "COMPLETED" | "RUNNING" =>
  failures.length === total ? "COMPLETED" : "RUNNING"

/** Applies and validates writes of products. */
export class CatalogWrites extends Context.Service<
  CatalogWrites,
  {
    /** Stores the valid products. The failures of the other products are stored under the write's trace id. */
    readonly apply: (
      caller: Caller<Integration>,
      submission: ProductShapeCheck.Submission
    ) => Stored<CatalogWrite, Forbidden | ProductsInvalid>
    /** Makes the same checks as `apply` and stores nothing. Source: docs/reference/catalog.md#dry-run. */
    readonly validate: (
      caller: Caller<Integration>,
      submission: ProductShapeCheck.Submission
    ) => Stored<Validated, Forbidden | ProductsInvalid>
    /** Finds a write of the caller's company. The result is undefined for an unknown trace id. */
    readonly find: (caller: Caller<Integration>, trace: string) => Stored<CatalogWrite | undefined>
  }
>()("@crossdock/catalog/CatalogWrites") {}

const allFailures = (
  accepted: ProductChanges.Accepted,
  failures: ReadonlyArray<Bulk.Failure>,
  outcomes: ReadonlyArray<ProductChanges.Outcome>
): ReadonlyArray<Bulk.Failure> => {
  const rejected = accepted.flatMap(({ index, input }, at) => {
    const outcome = outcomes[at]
    if (outcome === undefined || Result.isSuccess(outcome)) return []
    const details = { ...ProductShapeCheck.ownKeyOf(input), ...outcome.failure.details }
    return [{ index, ...outcome.failure, details }]
  })
  return [...failures, ...rejected].sort((a, b) => a.index - b.index)
}

interface Open {
  readonly companyId: CompanyId
  readonly operation: ProductShapeCheck.Operation
  readonly template: string | undefined
  readonly accepted: ProductChanges.Accepted
}

const makeOutcomes = Effect.gen(function* () {
  const products = yield* ProductStore
  const referenceStore = yield* ReferenceStore
  const references = yield* References
  const { lock, usesOf } = yield* SkuUse.make
  const rules = yield* OwnRules
  const fields = yield* CustomFields.Policy

  const contextOf = Effect.fnUntraced(function* (company: CompanyId) {
    const index = yield* references.current
    return { index, brands: ReferenceIndex.brandsOf(yield* referenceStore.brands(company)) }
  })

  /** Locks the stock and prices of the SKUs that a delete would remove, and returns these SKUs. */
  const lockDeleted = Effect.fnUntraced(function* ({ accepted, companyId, operation }: Open) {
    if (operation !== "delete") return new Set<string>()
    const inputs = accepted as ReadonlyArray<ProductChanges.Submitted<never>>
    const { brands } = yield* contextOf(companyId)
    const skus = skusOf(yield* products.find(companyId, ProductChanges.keysOf(brands, inputs)))
    yield* lock(companyId, skus)
    return new Set(skus)
  })

  /** A delete starts over if it needs stock that isn't `locked`. If `locked` is null, the products are only checked. */
  const outcomesOf = ({ accepted, companyId, operation, template }: Open, locked: ReadonlySet<string> | null) =>
    Effect.gen(function* () {
      const { brands, index } = yield* contextOf(companyId)
      const inputs = accepted as ReadonlyArray<ProductChanges.Submitted<never>>
      const found = yield* products.find(companyId, ProductChanges.keysOf(brands, inputs))
      const known = { companyId, template, index, brands, products: found, rules, fields }
      if (operation === "create") return ProductChanges.creations(known, inputs)
      if (operation === "update") return ProductChanges.updates(known, inputs)
      const skus = skusOf(found)
      if (locked !== null && skus.some((sku) => !locked.has(sku)))
        return yield* new StaleWrite({ operation: "CatalogWrites.apply" })
      return ProductChanges.deletions(known, inputs, yield* usesOf(companyId, skus))
    })

  return { contextOf, lockDeleted, outcomesOf }
})

const itemCodeOf = ({ after, before }: Pick<ProductChange, "after" | "before">): string =>
  required(after ?? before, "the changed product").itemCode

/** Combines each product's changes into one, since a small request can change a large product many times. */
const netChanges = (changes: ReadonlyArray<ProductChange>): ReadonlyArray<ProductChange> => {
  const byItemCode = new Map<string, ProductChange>()
  for (const change of changes) {
    const itemCode = itemCodeOf(change)
    byItemCode.set(itemCode, { ...change, before: (byItemCode.get(itemCode) ?? change).before })
  }
  return [...byItemCode.values()]
}

const auditRecord = (changes: ReadonlyArray<ProductChange>, done: CatalogWrite) => ({
  request: changes.map(itemCodeOf),
  response: { success: done.total - done.failures.length, failures: done.failures },
  before: changes.map(({ before }) => (before === null ? null : ProductMapping.shown(before))),
  after: changes.map(({ after }) => (after === null ? null : ProductMapping.shown(after)))
})

export const make = Effect.gen(function* () {
  const products = yield* ProductStore
  const skuUse = yield* SkuUse.make
  const writes = yield* CatalogWriteStore
  const { contextOf, lockDeleted, outcomesOf } = yield* makeOutcomes
  const references = yield* References
  const { run } = yield* CompanyWrite.CompanyWrite
  const retrying = Transaction.retrying(yield* Transaction.Transaction)
  const ids = yield* Ids.Ids

  const opened = Effect.fnUntraced(function* (caller: Caller<Integration>, submission: ProductShapeCheck.Submission) {
    yield* mayWriteCatalog(caller.principal)
    const { companyId } = caller.principal
    const shapes = ProductShapeCheck.checkShapes(yield* references.current, submission)
    if (Result.isSuccess(shapes)) return { companyId, ...shapes.success }
    const { brands } = yield* contextOf(companyId)
    const violations = ProductShapeCheck.withUnknownBrands(brands, submission, shapes.failure)
    return yield* new ProductsInvalid({ violations })
  })

  const save = (company: CompanyId, changes: ReadonlyArray<ProductChange>, mark: CompanyWrite.Mark) =>
    Effect.gen(function* () {
      const put = changes.flatMap(({ after }) => after ?? [])
      const removed = changes.filter(({ after }) => after === null).map(itemCodeOf)
      const kept = new Set(skusOf(put))
      const deleted = skusOf(changes.flatMap(({ before }) => before ?? [])).filter((sku) => !kept.has(sku))
      yield* skuUse.remove(company, deleted, mark)
      if (removed.length > 0) yield* products.remove(company, removed)
      if (put.length > 0) yield* products.put(company, put, mark.at)
    })

  return CatalogWrites.of({
    find: ({ principal }, traceId) => writes.find(principal.companyId, traceId),

    validate: Effect.fn("CatalogWrites.validate")(function* (caller, submission) {
      const open = yield* opened(caller, submission)
      const outcomes = yield* retrying(outcomesOf(open, null))
      const { accepted, companyId, failures, total } = open
      return { companyId, total, failures: allFailures(accepted, failures, outcomes) }
    }),

    apply: Effect.fn("CatalogWrites.apply")(function* (caller, submission) {
      const open = yield* opened(caller, submission)
      const { accepted, companyId, total } = open
      return yield* run(caller, {
        load: lockDeleted(open),
        // The company is locked, because a new product, slug or SKU has no row that could be locked.
        lockFirst: () => [companyId],
        decide: Effect.fnUntraced(function* (locked, at) {
          const outcomes = yield* outcomesOf(open, locked)
          const traceId = `${(yield* ids.hex).slice(8)}-${at}`
          const failures = allFailures(accepted, open.failures, outcomes)
          const write: CatalogWrite = { companyId, traceId, total, failures, at }
          yield* writes.insert(write)
          const changes = netChanges(Arr.getSuccesses(outcomes))
          if (changes.length === 0) return CompanyWrite.nothing(write)
          const change: CompanyWrite.CompanyChange = {
            companyId,
            entity: { type: "product", id: traceId, action: open.operation },
            save: (mark) =>
              Effect.as(save(companyId, changes, mark), {
                logs: auditRecord(changes, write),
                events: ProductFeed.eventsOf(changes)
              })
          }
          return { answer: write, changes: [change] }
        })
      })
    })
  })
})

export const layer = Layer.effect(CatalogWrites, make)
