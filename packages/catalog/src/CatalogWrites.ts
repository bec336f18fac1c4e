/**
 * Use cases: writes of products. A write is judged and applied in one transaction, together with its outcome. Source:
 * docs/reference/catalog.md#writes.
 */
import type { Caller, Integration } from "@crossdock/access"
import { CompanyWrite } from "@crossdock/audit"
import { Ids, type StorageError, Transaction } from "@crossdock/kernel"
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ProductStore, ReferenceStore } from "./CatalogStore.ts"
import type { CatalogWrite } from "./CatalogWrite.ts"
import { CatalogWriteStore } from "./CatalogWriteStore.ts"
import * as ProductOutcomes from "./internal/ProductOutcomes.ts"
import * as ProductWriting from "./internal/ProductWriting.ts"
import { checkShapes, type Submission } from "./internal/Submission.ts"
import { allFailures } from "./internal/WriteFailures.ts"
import * as ProductFeed from "./ProductFeed.ts"
import { ProductsInvalid } from "./ProductsInvalid.ts"
import { References } from "./References.ts"
import type { SkuShipments } from "./SkuShipments.ts"
import type { SkuStock } from "./SkuStock.ts"

export { ProductsInvalid, type Submission }

/**
 * The outcome of a dry run.
 */
export type Validated = Pick<CatalogWrite, "companyId" | "total" | "failures">

/**
 * Applies and validates writes of products.
 */
export class CatalogWrites extends Context.Service<
  CatalogWrites,
  {
    /** Stores the valid products, and the failures of the others under the write's trace id. */
    readonly apply: (
      caller: Caller<Integration>,
      submission: Submission
    ) => Effect.Effect<CatalogWrite, ProductsInvalid | StorageError>
    /** Makes the same checks and stores nothing. Source: docs/reference/catalog.md#dry-run. */
    readonly validate: (
      caller: Caller<Integration>,
      submission: Submission
    ) => Effect.Effect<Validated, ProductsInvalid | StorageError>
    /** A write of the caller's company; undefined when no write has this trace id. */
    readonly find: (
      caller: Caller<Integration>,
      traceId: string
    ) => Effect.Effect<CatalogWrite | undefined, StorageError>
  }
>()("@crossdock/catalog/CatalogWrites") {}

/**
 * Writes of products; needs the stores of the catalog, what uses a SKU, and `CompanyWrite`.
 */
export const make = Effect.gen(function* () {
  const references = yield* References
  const writes = yield* CatalogWriteStore
  const { lockDeleted, outcomesOf } = yield* ProductOutcomes.make
  const { apply } = yield* ProductWriting.make
  const { run } = yield* CompanyWrite.CompanyWrite
  const retrying = Transaction.retrying(yield* Transaction.Transaction)
  const ids = yield* Ids.Ids

  const opened = ({ principal: { companyId } }: Caller<Integration>, submission: Submission) =>
    Effect.flatMap(references.current, (index) =>
      Effect.fromResult(checkShapes(index, submission)).pipe(Effect.map((checked) => ({ companyId, ...checked })))
    )

  return CatalogWrites.of({
    find: ({ principal }, traceId) => writes.find(principal.companyId, traceId),

    validate: Effect.fn("CatalogWrites.validate")(function* (caller, submission) {
      const open = yield* opened(caller, submission)
      const outcomes = yield* retrying(outcomesOf(open, null))
      return { companyId: open.companyId, total: open.total, failures: allFailures(open, outcomes) }
    }),

    apply: Effect.fn("CatalogWrites.apply")(function* (caller, submission) {
      const open = yield* opened(caller, submission)
      const { companyId, total } = open
      return yield* run(caller, {
        load: lockDeleted(open),
        // A product that is new, or whose slug or SKU is, has no row that could be locked.
        lockFirst: () => [companyId],
        decide: (locked, at) =>
          Effect.gen(function* () {
            const outcomes = yield* outcomesOf(open, locked)
            const traceId = `${(yield* ids.hex).slice(8)}-${at}`
            const write: CatalogWrite = { companyId, traceId, total, failures: allFailures(open, outcomes), at }
            yield* writes.insert(write)
            const changes = ProductWriting.net(Arr.getSuccesses(outcomes))
            if (changes.length === 0) return CompanyWrite.nothing(write)
            const change: CompanyWrite.CompanyChange = {
              companyId,
              entity: { type: "product", id: traceId, action: open.operation },
              save: (mark) =>
                Effect.as(apply(companyId, changes, mark), {
                  logs: ProductWriting.recordOf(changes, write),
                  events: ProductFeed.eventsOf(changes)
                })
            }
            return { answer: write, changes: [change] }
          })
      })
    })
  })
})

/**
 * `CatalogWrites` on the ports of a storage.
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
