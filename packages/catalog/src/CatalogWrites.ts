/**
 * Use cases: writes of products. A write is checked and accepted at once. Its products are stored in the background, in one
 * transaction together with the outcome, so that each is applied exactly once. Source: docs/reference/catalog.md#processing.
 */
import type { Caller, Integration } from "@crossdock/access"
import { CompanyWrite } from "@crossdock/audit"
import {
  type Bulk,
  type CompanyId,
  Ids,
  StaleWrite,
  type StorageError,
  Transaction,
  type Violation
} from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Ref from "effect/Ref"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ProductStore, ReferenceStore } from "./CatalogStore.ts"
import * as CatalogWrite from "./CatalogWrite.ts"
import { CatalogWriteStore } from "./CatalogWriteStore.ts"
import * as ProductChanges from "./ProductChanges.ts"
import * as ProductInput from "./ProductInput.ts"
import * as ProductRules from "./ProductRules.ts"
import * as ReferenceIndex from "./ReferenceIndex.ts"
import { References } from "./References.ts"
import * as SkuDeletion from "./SkuDeletion.ts"
import type { SkuShipments } from "./SkuShipments.ts"
import { SkuStock } from "./SkuStock.ts"

/**
 * A write as it was sent: a template's slug and products, of any shape.
 */
export interface Submission {
  readonly operation: ProductRules.Operation
  readonly template: unknown
  readonly products: ReadonlyArray<unknown>
}

/**
 * Products of invalid shape; nothing of the request was accepted.
 */
export class ProductsInvalid extends Schema.TaggedError<ProductsInvalid>("@crossdock/catalog/ProductsInvalid")(
  "ProductsInvalid",
  { violations: Schema.Array(Schema.Unknown as Schema.Schema<Violation>) }
) {
  override get message() {
    return `The products have ${this.violations.length} invalid fields. Correct them and send the request again.`
  }
}

/**
 * The outcome of a dry run.
 */
export type Validated = Pick<CatalogWrite.CatalogWrite, "companyId" | "total" | "failures">

/**
 * Accepts, validates and processes writes of products.
 */
export class CatalogWrites extends Context.Service<
  CatalogWrites,
  {
    /** Checks the products, and durably stores the accepted ones for processing and the failures. */
    readonly accept: (
      caller: Caller<Integration>,
      submission: Submission
    ) => Effect.Effect<CatalogWrite.CatalogWrite, ProductsInvalid | StorageError>
    /** Makes the same checks and stores nothing. Source: docs/reference/catalog.md#dry-run. */
    readonly validate: (
      caller: Caller<Integration>,
      submission: Submission
    ) => Effect.Effect<Validated, ProductsInvalid | StorageError>
    /** A write of the caller's company; undefined when no write has this trace id. */
    readonly find: (
      caller: Caller<Integration>,
      traceId: string
    ) => Effect.Effect<CatalogWrite.CatalogWrite | undefined, StorageError>
    /** The writes to process: the oldest one of each company. */
    readonly due: Effect.Effect<ReadonlyArray<CatalogWrite.WriteKey>, StorageError>
    /**
     * Processes one write; false when another host is processing it or has processed it. Products that are no longer valid
     * become failures. A defect makes all of them fail, so that no write stays RUNNING forever.
     */
    readonly process: (key: CatalogWrite.WriteKey) => Effect.Effect<boolean, StorageError>
    /** Returns when this host accepts a write. */
    readonly accepted: Effect.Effect<void>
  }
>()("@crossdock/catalog/CatalogWrites") {}

/**
 * A write and the products to check.
 */
interface Open extends Pick<CatalogWrite.CatalogWrite, "companyId" | "operation" | "template"> {
  readonly accepted: CatalogWrite.Accepted
}

/**
 * The most writes whose products this host keeps in memory for processing.
 */
const keptInMemory = 8

/**
 * Makes the service from what it needs.
 */
export const make = Effect.gen(function* () {
  const products = yield* ProductStore
  const referenceStore = yield* ReferenceStore
  const references = yield* References
  const writes = yield* CatalogWriteStore
  const usesOfSkus = yield* SkuDeletion.make
  const stock = yield* SkuStock
  const { run } = yield* CompanyWrite.CompanyWrite
  const transaction = yield* Transaction.Transaction
  const ids = yield* Ids.Ids
  const wake = yield* Queue.sliding<void>(1)
  const recent = yield* Ref.make<ReadonlyMap<string, CatalogWrite.Accepted>>(new Map())

  const remember = (key: CatalogWrite.WriteKey, accepted: CatalogWrite.Accepted) =>
    Ref.update(recent, (kept) => new Map([...kept, [nameOf(key), accepted] as const].slice(-keptInMemory)))

  /** The products of a write: once from memory, when this host accepted them. They never change. */
  const inputsOf = (key: CatalogWrite.WriteKey) =>
    Ref.modify(recent, (kept) => {
      const name = nameOf(key)
      return [kept.get(name), new Map([...kept].filter(([other]) => other !== name))]
    }).pipe(Effect.flatMap((accepted) => (accepted === undefined ? writes.accepted(key) : Effect.succeed(accepted))))

  const knownOf = (write: Open, found: ProductChanges.Known["products"], context: Surroundings) => ({
    companyId: write.companyId,
    template: write.template,
    index: context.index,
    brands: context.brands,
    products: found
  })

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
      const skus = skusOf(
        yield* products.find(companyId, ProductChanges.keysOf((yield* contextOf(companyId)).brands, inputs))
      )
      return { skus: new Set(skus), uses: yield* usesOfSkus(companyId, skus) }
    })

  /**
   * The outcomes by the products as they are now. A delete starts over when its products have other SKUs than `usesOf` found,
   * since the levels of these aren't locked.
   */
  const outcomesOf = (write: Open, { skus, uses }: Uses) =>
    Effect.gen(function* () {
      const { accepted, companyId, operation } = write
      const context = yield* contextOf(companyId)
      const inputs = accepted as ReadonlyArray<ProductChanges.Submitted<never>>
      const found = yield* products.find(companyId, ProductChanges.keysOf(context.brands, inputs))
      const known = knownOf(write, found, context)
      if (operation === "create") return ProductChanges.creations(known, inputs)
      if (operation === "update") return ProductChanges.updates(known, inputs)
      if (skusOf(found).some((sku) => !skus.has(sku))) {
        return yield* new StaleWrite({ operation: "CatalogWrites.outcomesOf" })
      }
      return ProductChanges.deletions(known, inputs, uses)
    })

  const check = (write: Open) => Effect.flatMap(usesOf(write), (uses) => outcomesOf(write, uses))

  const submitted = ({ operation, products: sent, template }: Submission) =>
    Effect.gen(function* () {
      const index = yield* references.current
      const ofTemplate = ProductRules.templateViolations(index, operation, template)
      const slug = typeof template === "string" && ofTemplate.length === 0 ? template : undefined
      const checked = sent.map((input, at) => ({
        index: at,
        input,
        violations: ProductRules.violationsOf(index, operation, slug, input, `/products/${at}`)
      }))
      const violations = [
        ...ofTemplate,
        ...checked.flatMap((one) => (ProductRules.failsWholeRequest(operation, one.input) ? one.violations : []))
      ]
      if (violations.length > 0) return yield* new ProductsInvalid({ violations })
      const invalid = checked.filter((one) => one.violations.length > 0)
      const valid = checked.filter((one) => one.violations.length === 0)
      const accepted = valid.map(({ index, input }) => ({ index, input }))
      return { operation, template: slug, total: sent.length, accepted, failures: invalid.map(invalidShape) }
    })

  const validate = Effect.fn("CatalogWrites.validate")(function* (caller: Caller<Integration>, submission: Submission) {
    const { companyId } = caller.principal
    const open = { companyId, ...(yield* submitted(submission)) }
    const outcomes = yield* Transaction.retrying(transaction)(check(open))
    return { companyId, total: open.total, failures: allFailures(open, outcomes) }
  })

  const accept = Effect.fn("CatalogWrites.accept")(function* (caller: Caller<Integration>, submission: Submission) {
    const { companyId } = caller.principal
    const open = { companyId, ...(yield* submitted(submission)) }
    const { accepted, write } = yield* Transaction.retrying(transaction)(
      Effect.gen(function* () {
        const outcomes = yield* check(open)
        const { accepted } = summaryOf(open, outcomes)
        const at = yield* Clock.currentTimeMillis
        const write: CatalogWrite.CatalogWrite = {
          companyId,
          operation: open.operation,
          template: open.template,
          traceId: `${(yield* ids.hex).slice(8)}-${at}`,
          caller,
          total: open.total,
          failures: allFailures(open, outcomes),
          stage: accepted.length === 0 ? "COMPLETED" : "RUNNING",
          createdAt: at,
          modifiedAt: at
        }
        yield* writes.insert(write, accepted)
        return { write, accepted }
      })
    )
    if (accepted.length > 0) yield* remember(write, accepted)
    yield* Queue.offer(wake, undefined)
    return write
  })

  /**
   * Stores changed products, and deletes removed SKUs with their stock and prices.
   */
  const apply = (company: CompanyId, changes: ReadonlyArray<ProductChanges.ProductChange>, mark: CompanyWrite.Mark) =>
    Effect.gen(function* () {
      const last = new Map(changes.map(({ after, before }) => [itemCodeOf(after ?? before), after]))
      const put = [...last.values()].flatMap((product) => product ?? [])
      const removed = [...last].flatMap(([itemCode, product]) => (product === null ? [itemCode] : []))
      const kept = new Set(skusOf(put))
      const deleted = changes
        .flatMap(({ before }) => skusOf(before === null ? [] : [before]))
        .filter((_) => !kept.has(_))
      if (deleted.length > 0) yield* stock.remove(company, deleted, mark)
      if (removed.length > 0) yield* products.remove(company, removed)
      if (put.length > 0) yield* products.put(company, put, mark.at)
    })

  /**
   * Processes a write, unless another host has locked or completed it.
   */
  const work = (caller: Caller, key: CatalogWrite.WriteKey) =>
    run(caller, {
      load: Effect.gen(function* () {
        const write = yield* writes.lock(key)
        if (write === undefined) return undefined
        const open = { ...write, accepted: yield* inputsOf(write) }
        return { write, open, uses: yield* usesOf(open) }
      }),
      companies: (loaded) => (loaded === undefined ? [] : [key.companyId]),
      decide: (loaded, at) =>
        Effect.gen(function* () {
          if (loaded === undefined) return CompanyWrite.nothing(false)
          const { open, uses, write } = loaded
          const outcomes = yield* outcomesOf(open, uses)
          const changes = outcomes.flatMap((outcome) => (Result.isSuccess(outcome) ? [outcome.success] : []))
          const done = CatalogWrite.completed(write, summaryOf(open, outcomes).failures, at)
          yield* writes.finish(done)
          if (changes.length === 0) return CompanyWrite.nothing(true)
          const change: CompanyWrite.CompanyChange = {
            companyId: write.companyId,
            entity: { type: "product", id: write.traceId, action: write.operation },
            save: (mark) => Effect.as(apply(write.companyId, changes, mark), logsOf(changes, done))
          }
          return { answer: true, changes: [change] }
        })
    })

  /**
   * Fails all products of a write whose processing ended in a defect.
   */
  const giveUp = (key: CatalogWrite.WriteKey) =>
    Transaction.retrying(transaction)(
      Effect.gen(function* () {
        const write = yield* writes.lock(key)
        if (write === undefined) return false
        const at = yield* Clock.currentTimeMillis
        const failures = (yield* writes.accepted(write)).map(({ index, input }) => ({
          index,
          code: "PROCESSING_FAILED",
          message: "The product could not be processed because of an internal error. Send it again later.",
          path: `/products/${index}`,
          details: ownKeyOf(input)
        }))
        yield* writes.finish(CatalogWrite.completed(write, failures, at))
        return true
      })
    )

  const process = Effect.fn("CatalogWrites.process")(function* (key: CatalogWrite.WriteKey) {
    const write = yield* writes.find(key.companyId, key.traceId)
    if (write === undefined) return false
    return yield* Effect.catchDefect(work(write.caller, key), (defect) =>
      Effect.andThen(Effect.logError("A catalog write ended in a defect", defect), giveUp(key))
    )
  })

  return CatalogWrites.of({
    accept,
    validate,
    find: ({ principal }, traceId) => writes.find(principal.companyId, traceId),
    due: writes.due,
    process,
    accepted: Queue.take(wake)
  })
})

interface Uses {
  readonly skus: ReadonlySet<string>
  readonly uses: ReadonlyMap<string, ProductChanges.Use>
}

const noUses: Uses = { skus: new Set(), uses: new Map() }

interface Surroundings {
  readonly index: ReferenceIndex.ReferenceIndex
  readonly brands: ReferenceIndex.BrandIndex
}

const nameOf = ({ companyId, traceId }: CatalogWrite.WriteKey): string => `${companyId} ${traceId}`

const skusOf = (products: ProductChanges.Known["products"]): ReadonlyArray<string> =>
  products.flatMap(({ sizes }) => sizes.map(({ sku }) => sku))

const itemCodeOf = (product: ProductChanges.ProductChange["after"]): string => product?.itemCode ?? ""

/**
 * The item code as it was sent, by which a caller recognizes the product.
 */
const ownKeyOf = (input: unknown): Readonly<Record<string, unknown>> =>
  typeof input === "object" && input !== null && "item_code" in input ? { item_code: input.item_code } : {}

/**
 * Failures by their index in the request, and the products that are accepted.
 */
const summaryOf = ({ accepted }: Open, outcomes: ReadonlyArray<ProductChanges.Outcome>) => ({
  failures: accepted.flatMap(({ index, input }, at): ReadonlyArray<Bulk.Failure> => {
    const outcome = outcomes[at]
    if (outcome === undefined || Result.isSuccess(outcome)) return []
    return [{ index, ...outcome.failure, details: { ...ownKeyOf(input), ...outcome.failure.details } }]
  }),
  accepted: accepted.filter((_, at) => Result.isSuccess(outcomes[at] ?? Result.succeed(undefined)))
})

/**
 * The failures of products of invalid shape and of the others.
 */
const allFailures = (
  open: Open & { readonly failures: ReadonlyArray<Bulk.Failure> },
  outcomes: ReadonlyArray<ProductChanges.Outcome>
): ReadonlyArray<Bulk.Failure> =>
  [...open.failures, ...summaryOf(open, outcomes).failures].sort((a, b) => a.index - b.index)

const invalidShape = ({
  index,
  input,
  violations
}: {
  readonly index: number
  readonly input: unknown
  readonly violations: ReadonlyArray<Violation>
}): Bulk.Failure => ({
  index,
  code: "INVALID_RECORD",
  message: violations.map(({ message, path }) => `${path}: ${message}`).join("; "),
  path: violations[0]?.path ?? `/products/${index}`,
  details: ownKeyOf(input)
})

const logsOf = (changes: ReadonlyArray<ProductChanges.ProductChange>, done: CatalogWrite.CatalogWrite) => ({
  request: changes.map(({ after, before }) => itemCodeOf(after ?? before)),
  response: { success: CatalogWrite.succeeded(done), failures: done.failures },
  before: changes.map(({ before }) => (before === null ? null : ProductInput.shown(before))),
  after: changes.map(({ after }) => (after === null ? null : ProductInput.shown(after)))
})

/**
 * Provides the service.
 */
export const layer: Layer.Layer<
  CatalogWrites,
  never,
  | ProductStore
  | ReferenceStore
  | References
  | CatalogWriteStore
  | SkuStock
  | SkuShipments
  | CompanyWrite.CompanyWrite
  | Transaction.Transaction
  | Ids.Ids
> = Layer.effect(CatalogWrites, make)
