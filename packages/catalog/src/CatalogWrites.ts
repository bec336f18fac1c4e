/**
 * Use cases: writes of products. A write is checked and accepted at once. Its products are stored in the background, in one
 * transaction together with the outcome, so that each is applied exactly once. Source: docs/reference/catalog.md#processing.
 */
import type { Caller, Integration } from "@crossdock/access"
import { CompanyWrite } from "@crossdock/audit"
import { type CompanyId, Ids, required, type StorageError, Transaction, type Violation } from "@crossdock/kernel"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Ref from "effect/Ref"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { CatalogWriteStore, ProductStore, type ReferenceStore } from "./CatalogStore.ts"
import * as CatalogWrite from "./CatalogWrite.ts"
import { skusOf } from "./Product.ts"
import type { ProductChange } from "./ProductChanges.ts"
import * as ProductFeed from "./ProductFeed.ts"
import * as ProductInput from "./ProductInput.ts"
import * as ProductOutcomes from "./ProductOutcomes.ts"
import { allFailures, defects, invalidShape, rejections } from "./ProductOutcomes.ts"
import * as ProductRules from "./ProductRules.ts"
import type { ReferenceIndex } from "./ReferenceIndex.ts"
import { References } from "./References.ts"
import type { SkuShipments, SkuStock } from "./SkuUse.ts"
import * as SkuUse from "./SkuUse.ts"

/** Products of invalid shape; nothing of the request was accepted. */
export class ProductsInvalid extends Schema.TaggedError<ProductsInvalid>("@crossdock/catalog/ProductsInvalid")(
  "ProductsInvalid",
  { violations: Schema.Array(Schema.Unknown as Schema.Schema<Violation>) }
) {
  override get message() {
    return `The products have ${this.violations.length} invalid fields. Correct them and send the request again.`
  }
}

/** A write as it was sent: a template's slug and products, of any shape. */
export interface Submission {
  readonly operation: ProductRules.Operation
  readonly template: unknown
  readonly products: ReadonlyArray<unknown>
}

/** The outcome of a dry run. */
export type Validated = Pick<CatalogWrite.CatalogWrite, "companyId" | "total" | "failures">

/** Accepts, validates and processes writes of products. */
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

/** Writes whose products are kept in memory. */
const keptInMemory = 8

/**
 * The products of valid shape, and the failures of the others. Some faults fail the whole request, others only their product.
 */
const checkShapes = (index: ReferenceIndex, { operation, products, template }: Submission) => {
  const ofTemplate = ProductRules.templateViolations(index, operation, template)
  const slug = typeof template === "string" && ofTemplate.length === 0 ? template : undefined
  const checked = products.map((input, at) => ({
    index: at,
    input,
    violations: ProductRules.violationsOf(index, operation, slug, input, `/products/${at}`)
  }))
  const violations = [
    ...ofTemplate,
    ...checked.flatMap((one) => (ProductRules.failsWholeRequest(operation, one.input) ? one.violations : []))
  ]
  if (violations.length > 0) return Result.fail(new ProductsInvalid({ violations }))
  const valid = checked.filter((one) => one.violations.length === 0)
  return Result.succeed({
    operation,
    template: slug,
    total: products.length,
    accepted: valid.map(({ index, input }) => ({ index, input })),
    failures: checked.flatMap(({ index, input, violations: [first, ...others] }) =>
      first === undefined ? [] : [invalidShape(index, input, [first, ...others])]
    )
  })
}

const nameOf = ({ companyId, traceId }: CatalogWrite.WriteKey): string => `${companyId} ${traceId}`

const itemCodeOf = ({ after, before }: Pick<ProductChange, "after" | "before">): string =>
  required(after ?? before, "the changed product").itemCode

/**
 * One change for each product, from what it was first to what it is last: a small request can change a large product many
 * times.
 */
const netChanges = (changes: ReadonlyArray<ProductChange>): ReadonlyArray<ProductChange> => {
  const byItemCode = new Map<string, ProductChange>()
  for (const change of changes) {
    const itemCode = itemCodeOf(change)
    byItemCode.set(itemCode, { ...change, before: (byItemCode.get(itemCode) ?? change).before })
  }
  return [...byItemCode.values()]
}

const auditRecord = (changes: ReadonlyArray<ProductChange>, done: CatalogWrite.CatalogWrite) => ({
  request: changes.map(itemCodeOf),
  response: { success: CatalogWrite.succeeded(done), failures: done.failures },
  before: changes.map(({ before }) => (before === null ? null : ProductInput.shown(before))),
  after: changes.map(({ after }) => (after === null ? null : ProductInput.shown(after)))
})

/**
 * Accepts writes of products and processes them; needs the stores of the catalog, what uses a SKU, and `CompanyWrite`.
 */
export const make = Effect.gen(function* () {
  const references = yield* References
  const products = yield* ProductStore
  const writes = yield* CatalogWriteStore
  const skuUse = yield* SkuUse.make
  const { lockDeleted, outcomesOf } = yield* ProductOutcomes.make
  const { run } = yield* CompanyWrite.CompanyWrite
  const transaction = yield* Transaction.Transaction
  const ids = yield* Ids.Ids
  const wake = yield* Queue.sliding<void>(1)
  // The products of writes that this host accepted, so that it needn't read them again. They never change.
  const recent = yield* Ref.make<ReadonlyMap<string, CatalogWrite.Accepted>>(new Map())

  const open = ({ principal }: Caller<Integration>, submission: Submission) =>
    Effect.gen(function* () {
      const checked = yield* Effect.fromResult(checkShapes(yield* references.current, submission))
      return { companyId: principal.companyId, ...checked }
    })

  const validate = Effect.fn("CatalogWrites.validate")(function* (caller: Caller<Integration>, submission: Submission) {
    const opened = yield* open(caller, submission)
    const outcomes = yield* Transaction.retrying(transaction)(outcomesOf(opened, null))
    const validated: Validated = {
      companyId: opened.companyId,
      total: opened.total,
      failures: allFailures(opened, outcomes)
    }
    return validated
  })

  /** Checks the products against those that are stored, and stores the write. */
  const store = (caller: Caller<Integration>, opened: Effect.Success<ReturnType<typeof open>>) =>
    Effect.gen(function* () {
      const outcomes = yield* outcomesOf(opened, null)
      if (outcomes.length !== opened.accepted.length) return yield* Effect.die(new Error("A product has no outcome"))
      const accepted = opened.accepted.filter((_, at) => outcomes[at] !== undefined && Result.isSuccess(outcomes[at]))
      const at = yield* Clock.currentTimeMillis
      const write: CatalogWrite.CatalogWrite = {
        companyId: opened.companyId,
        operation: opened.operation,
        template: opened.template,
        traceId: `${(yield* ids.hex).slice(8)}-${at}`,
        caller,
        total: opened.total,
        failures: allFailures(opened, outcomes),
        stage: accepted.length === 0 ? "COMPLETED" : "RUNNING",
        createdAt: at,
        modifiedAt: at
      }
      yield* writes.insert(write, accepted)
      return { write, accepted }
    })

  const accept = Effect.fn("CatalogWrites.accept")(function* (caller: Caller<Integration>, submission: Submission) {
    const opened = yield* open(caller, submission)
    const { accepted, write } = yield* Transaction.retrying(transaction)(store(caller, opened))
    if (accepted.length > 0) {
      yield* Ref.update(recent, (kept) => new Map([...kept, [nameOf(write), accepted] as const].slice(-keptInMemory)))
    }
    yield* Queue.offer(wake, undefined)
    return write
  })

  const productsOf = (key: CatalogWrite.WriteKey) =>
    Ref.modify(recent, (kept) => {
      const name = nameOf(key)
      return [kept.get(name), new Map([...kept].filter(([other]) => other !== name))]
    }).pipe(Effect.flatMap((accepted) => (accepted === undefined ? writes.accepted(key) : Effect.succeed(accepted))))

  /** Stores products, each changed once, and deletes removed SKUs with their stock and prices. */
  const apply = (company: CompanyId, changes: ReadonlyArray<ProductChange>, mark: CompanyWrite.Mark) =>
    Effect.gen(function* () {
      const put = changes.flatMap(({ after }) => after ?? [])
      const removed = changes.filter(({ after }) => after === null).map(itemCodeOf)
      const kept = new Set(skusOf(put))
      const deleted = skusOf(changes.flatMap(({ before }) => before ?? [])).filter((sku) => !kept.has(sku))
      yield* skuUse.remove(company, deleted, mark)
      if (removed.length > 0) yield* products.remove(company, removed)
      if (put.length > 0) yield* products.put(company, put, mark.at)
    })

  /** Processes a write, unless another host has locked or completed it. */
  const work = (caller: Caller, key: CatalogWrite.WriteKey) =>
    run(caller, {
      load: Effect.gen(function* () {
        const write = yield* writes.lock(key)
        if (write === undefined) return undefined
        const opened = { ...write, accepted: yield* productsOf(write) }
        return { write, opened, locked: yield* lockDeleted(opened) }
      }),
      lockFirst: (loaded) => (loaded === undefined ? [] : [key.companyId]),
      decide: (loaded, at) =>
        Effect.gen(function* () {
          if (loaded === undefined) return CompanyWrite.nothing(false)
          const { locked, opened, write } = loaded
          const outcomes = yield* outcomesOf(opened, locked)
          const changes = netChanges(Arr.getSuccesses(outcomes))
          const done = CatalogWrite.completed(write, rejections(opened.accepted, outcomes), at)
          yield* writes.finish(done)
          if (changes.length === 0) return CompanyWrite.nothing(true)
          const change: CompanyWrite.CompanyChange = {
            companyId: write.companyId,
            entity: { type: "product", id: write.traceId, action: write.operation },
            save: (mark) =>
              Effect.as(apply(write.companyId, changes, mark), {
                logs: auditRecord(changes, done),
                events: ProductFeed.eventsOf(changes)
              })
          }
          return { answer: true, changes: [change] }
        })
    })

  /** Fails all products of a write whose processing ended in a defect. */
  const giveUp = (key: CatalogWrite.WriteKey) =>
    Transaction.retrying(transaction)(
      Effect.gen(function* () {
        const write = yield* writes.lock(key)
        if (write === undefined) return false
        const at = yield* Clock.currentTimeMillis
        yield* writes.finish(CatalogWrite.completed(write, defects(yield* writes.accepted(write)), at))
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

/** `CatalogWrites` on the ports of a storage. `CatalogWorker` processes what it accepts. */
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
