/**
 * Use cases: writes of products. A write is judged and accepted at once, in one transaction with its trace; its products
 * are put in place in the background, all of a write in one transaction with its outcome, so each exactly once.
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
import * as ProductFacts from "./ProductFacts.ts"
import * as ProductInput from "./ProductInput.ts"
import * as ProductRules from "./ProductRules.ts"
import * as ProductUse from "./ProductUse.ts"
import * as ReferenceIndex from "./ReferenceIndex.ts"
import { References } from "./References.ts"
import type { SkuShipments } from "./SkuShipments.ts"
import { SkuStock } from "./SkuStock.ts"

/**
 * What was sent: a template's slug and products, of whatever shape.
 */
export interface Submission {
  readonly operation: ProductRules.Operation
  readonly template: unknown
  readonly products: ReadonlyArray<unknown>
}

/**
 * A shape is broken: nothing of the request was accepted.
 */
export class ProductsInvalid extends Schema.TaggedError<ProductsInvalid>("@crossdock/catalog/ProductsInvalid")(
  "ProductsInvalid",
  { violations: Schema.Array(Schema.Unknown as Schema.Schema<Violation>) }
) {
  override get message() {
    return `The products break their shape in ${this.violations.length} places`
  }
}

/**
 * A write that was judged and not kept.
 */
export type Judged = Pick<CatalogWrite.CatalogWrite, "companyId" | "total" | "failures">

export class CatalogWrites extends Context.Service<
  CatalogWrites,
  {
    /** Judges and keeps the accepted products for processing, durably, with those that failed. */
    readonly accept: (
      caller: Caller<Integration>,
      submission: Submission
    ) => Effect.Effect<CatalogWrite.CatalogWrite, ProductsInvalid | StorageError>
    /** The same judgement, and nothing is kept. */
    readonly validate: (
      caller: Caller<Integration>,
      submission: Submission
    ) => Effect.Effect<Judged, ProductsInvalid | StorageError>
    readonly find: (
      caller: Caller<Integration>,
      traceId: string
    ) => Effect.Effect<CatalogWrite.CatalogWrite | undefined, StorageError>
    /** Writes to process, of each company the oldest. */
    readonly due: Effect.Effect<ReadonlyArray<CatalogWrite.WriteKey>, StorageError>
    /**
     * Processes one write; false when another host is at it, or was. Products that can't be put in place any more become
     * failures; a defect makes all of them fail, so that no write runs for ever.
     */
    readonly process: (key: CatalogWrite.WriteKey) => Effect.Effect<boolean, StorageError>
    /** Waits until this host accepts something. */
    readonly accepted: Effect.Effect<void>
  }
>()("@crossdock/catalog/CatalogWrites") {}

/**
 * What is judged: a write and its inputs.
 */
interface Open extends Pick<CatalogWrite.CatalogWrite, "companyId" | "operation" | "template"> {
  readonly accepted: CatalogWrite.Accepted
}

/**
 * Writes of this host whose inputs are kept in its memory for their processing, at most.
 */
const heldInMemory = 8

export const make = Effect.gen(function* () {
  const products = yield* ProductStore
  const referenceStore = yield* ReferenceStore
  const references = yield* References
  const writes = yield* CatalogWriteStore
  const usesOfSkus = yield* ProductUse.make
  const stock = yield* SkuStock
  const { run } = yield* CompanyWrite.CompanyWrite
  const transaction = yield* Transaction.Transaction
  const ids = yield* Ids.Ids
  const wake = yield* Queue.sliding<void>(1)
  const recent = yield* Ref.make<ReadonlyMap<string, CatalogWrite.Accepted>>(new Map())

  const remember = (key: CatalogWrite.WriteKey, accepted: CatalogWrite.Accepted) =>
    Ref.update(recent, (held) => new Map([...held, [nameOf(key), accepted] as const].slice(-heldInMemory)))

  /** From memory once, when this host accepted them; they never change. */
  const inputsOf = (key: CatalogWrite.WriteKey) =>
    Ref.modify(recent, (held) => {
      const name = nameOf(key)
      return [held.get(name), new Map([...held].filter(([other]) => other !== name))]
    }).pipe(Effect.flatMap((accepted) => (accepted === undefined ? writes.accepted(key) : Effect.succeed(accepted))))

  const knownOf = (write: Open, found: ProductFacts.Known["products"], context: Surroundings) => ({
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
   * What a delete would take away, with the stock levels locked; nothing for other operations, which lock no level.
   */
  const usesOf = ({ accepted, companyId, operation }: Open) =>
    Effect.gen(function* () {
      if (operation !== "delete") return noUses
      const inputs = accepted as ReadonlyArray<ProductFacts.Submitted<never>>
      const skus = skusOf(yield* products.find(companyId, ProductFacts.keysOf(yield* contextOf(companyId), inputs)))
      return { skus: new Set(skus), uses: yield* usesOfSkus(companyId, skus) }
    })

  /**
   * The verdicts on what is open, by the products as they are now. A delete whose products have got other SKUs since
   * `usesOf` begins again, for their levels are not locked.
   */
  const verdictsOf = (write: Open, { skus, uses }: Uses) =>
    Effect.gen(function* () {
      const { accepted, companyId, operation } = write
      const context = yield* contextOf(companyId)
      const inputs = accepted as ReadonlyArray<ProductFacts.Submitted<never>>
      const found = yield* products.find(companyId, ProductFacts.keysOf(context, inputs))
      const known = knownOf(write, found, context)
      if (operation === "create") return ProductFacts.create(known, inputs)
      if (operation === "update") return ProductFacts.update(known, inputs)
      if (skusOf(found).some((sku) => !skus.has(sku))) {
        return yield* new StaleWrite({ operation: "CatalogWrites.verdictsOf" })
      }
      return ProductFacts.remove(known, inputs, uses)
    })

  const judge = (write: Open) => Effect.flatMap(usesOf(write), (uses) => verdictsOf(write, uses))

  const submitted = ({ operation, products: sent, template }: Submission) =>
    Effect.gen(function* () {
      const index = yield* references.current
      const ofTemplate = ProductRules.judgeTemplateSlug(index, operation, template)
      const slug = typeof template === "string" && ofTemplate.length === 0 ? template : undefined
      const judged = sent.map((input, at) => ({
        index: at,
        input,
        violations: ProductRules.judge(index, operation, slug, input, `/products/${at}`)
      }))
      const violations = [
        ...ofTemplate,
        ...judged.flatMap((one) => (ProductRules.failsAll(operation, one.input) ? one.violations : []))
      ]
      if (violations.length > 0) return yield* new ProductsInvalid({ violations })
      const broken = judged.filter((one) => one.violations.length > 0)
      const sound = judged.filter((one) => one.violations.length === 0)
      const accepted = sound.map(({ index, input }) => ({ index, input }))
      return { operation, template: slug, total: sent.length, accepted, failures: broken.map(brokenShape) }
    })

  const validate = Effect.fn("CatalogWrites.validate")(function* (caller: Caller<Integration>, submission: Submission) {
    const { companyId } = caller.principal
    const open = { companyId, ...(yield* submitted(submission)) }
    const verdicts = yield* Transaction.decide(transaction)(judge(open))
    return { companyId, total: open.total, failures: allFailures(open, verdicts) }
  })

  const accept = Effect.fn("CatalogWrites.accept")(function* (caller: Caller<Integration>, submission: Submission) {
    const { companyId } = caller.principal
    const open = { companyId, ...(yield* submitted(submission)) }
    const { accepted, write } = yield* Transaction.decide(transaction)(
      Effect.gen(function* () {
        const verdicts = yield* judge(open)
        const { accepted } = summaryOf(open, verdicts)
        const at = yield* Clock.currentTimeMillis
        const write: CatalogWrite.CatalogWrite = {
          companyId,
          operation: open.operation,
          template: open.template,
          traceId: `${(yield* ids.hex).slice(8)}-${at}`,
          caller,
          total: open.total,
          failures: allFailures(open, verdicts),
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
   * Puts what is left of a product in place, and takes away what is gone with its stock and prices.
   */
  const apply = (company: CompanyId, changes: ReadonlyArray<ProductFacts.ProductChange>, mark: CompanyWrite.Mark) =>
    Effect.gen(function* () {
      const last = new Map(changes.map(({ after, before }) => [itemCodeOf(after ?? before), after]))
      const put = [...last.values()].flatMap((product) => product ?? [])
      const removed = [...last].flatMap(([itemCode, product]) => (product === null ? [itemCode] : []))
      const kept = new Set(skusOf(put))
      const gone = changes.flatMap(({ before }) => skusOf(before === null ? [] : [before])).filter((_) => !kept.has(_))
      if (gone.length > 0) yield* stock.remove(company, gone, mark)
      if (removed.length > 0) yield* products.remove(company, removed)
      if (put.length > 0) yield* products.put(company, put, mark.at)
    })

  /**
   * Processes a write that no other host has; false when there is no such write.
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
          const verdicts = yield* verdictsOf(open, uses)
          const changes = verdicts.flatMap((verdict) => (Result.isSuccess(verdict) ? [verdict.success] : []))
          const done = CatalogWrite.completed(write, summaryOf(open, verdicts).failures, at)
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
   * Fails all of a write for a reason that no other try will change.
   */
  const giveUp = (key: CatalogWrite.WriteKey) =>
    Transaction.decide(transaction)(
      Effect.gen(function* () {
        const write = yield* writes.lock(key)
        if (write === undefined) return false
        const at = yield* Clock.currentTimeMillis
        const failures = (yield* writes.accepted(write)).map(({ index, input }) => ({
          index,
          code: "PROCESSING_FAILED",
          message: "The product could not be processed",
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
  readonly uses: ReadonlyMap<string, ProductFacts.Use>
}

const noUses: Uses = { skus: new Set(), uses: new Map() }

interface Surroundings {
  readonly index: ReferenceIndex.ReferenceIndex
  readonly brands: ReferenceIndex.BrandIndex
}

const nameOf = ({ companyId, traceId }: CatalogWrite.WriteKey): string => `${companyId} ${traceId}`

const skusOf = (products: ProductFacts.Known["products"]): ReadonlyArray<string> =>
  products.flatMap(({ sizes }) => sizes.map(({ sku }) => sku))

const itemCodeOf = (product: ProductFacts.ProductChange["after"]): string => product?.itemCode ?? ""

/**
 * The record's own key, as it was sent.
 */
const ownKeyOf = (input: unknown): Readonly<Record<string, unknown>> =>
  typeof input === "object" && input !== null && "item_code" in input ? { item_code: input.item_code } : {}

/**
 * Failures by their index in the request, and what is still accepted.
 */
const summaryOf = ({ accepted }: Open, verdicts: ReadonlyArray<ProductFacts.Verdict>) => ({
  failures: accepted.flatMap(({ index, input }, at): ReadonlyArray<Bulk.Failure> => {
    const verdict = verdicts[at]
    if (verdict === undefined || Result.isSuccess(verdict)) return []
    return [{ index, ...verdict.failure, details: { ...ownKeyOf(input), ...verdict.failure.details } }]
  }),
  accepted: accepted.filter((_, at) => Result.isSuccess(verdicts[at] ?? Result.succeed(undefined)))
})

/**
 * What an answer says of a product that could not be read, and of the others.
 */
const allFailures = (
  open: Open & { readonly failures: ReadonlyArray<Bulk.Failure> },
  verdicts: ReadonlyArray<ProductFacts.Verdict>
): ReadonlyArray<Bulk.Failure> =>
  [...open.failures, ...summaryOf(open, verdicts).failures].sort((a, b) => a.index - b.index)

const brokenShape = ({
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

const logsOf = (changes: ReadonlyArray<ProductFacts.ProductChange>, done: CatalogWrite.CatalogWrite) => ({
  request: changes.map(({ after, before }) => itemCodeOf(after ?? before)),
  response: { success: CatalogWrite.succeeded(done), failures: done.failures },
  before: changes.map(({ before }) => (before === null ? null : ProductInput.shown(before))),
  after: changes.map(({ after }) => (after === null ? null : ProductInput.shown(after)))
})

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
