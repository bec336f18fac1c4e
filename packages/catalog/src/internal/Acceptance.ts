/**
 * Use cases: accept a write for processing, or only check it.
 */
import type { Caller, Integration } from "@crossdock/access"
import { Ids, Transaction } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import type { CatalogWrite } from "../CatalogWrite.ts"
import { CatalogWriteStore } from "../CatalogWriteStore.ts"
import { References } from "../References.ts"
import * as ProductOutcomes from "./ProductOutcomes.ts"
import type { RecentProducts } from "./RecentProducts.ts"
import { checkShapes, type Submission } from "./Submission.ts"
import { allFailures } from "./WriteFailures.ts"

/**
 * The outcome of a dry run.
 */
export type Validated = Pick<CatalogWrite, "companyId" | "total" | "failures">

/**
 * Makes the use cases. `accepted` returns when this host accepts a write.
 */
export const make = (recent: RecentProducts) =>
  Effect.gen(function* () {
    const references = yield* References
    const writes = yield* CatalogWriteStore
    const { outcomesOf } = yield* ProductOutcomes.make
    const transaction = yield* Transaction.Transaction
    const ids = yield* Ids.Ids
    const wake = yield* Queue.sliding<void>(1)

    const opened = ({ principal }: Caller<Integration>, submission: Submission) =>
      Effect.gen(function* () {
        const checked = yield* Effect.fromResult(checkShapes(yield* references.current, submission))
        return { companyId: principal.companyId, ...checked }
      })

    const check = (open: ProductOutcomes.Open) => outcomesOf(open, null)

    const validate = Effect.fn("CatalogWrites.validate")(function* (
      caller: Caller<Integration>,
      submission: Submission
    ) {
      const open = yield* opened(caller, submission)
      const outcomes = yield* Transaction.retrying(transaction)(check(open))
      const validated: Validated = {
        companyId: open.companyId,
        total: open.total,
        failures: allFailures(open, outcomes)
      }
      return validated
    })

    /** Checks the products against those that are stored, and stores the write. */
    const stored = (caller: Caller<Integration>, open: Effect.Success<ReturnType<typeof opened>>) =>
      Effect.gen(function* () {
        const outcomes = yield* check(open)
        if (outcomes.length !== open.accepted.length) return yield* Effect.die(new Error("A product has no outcome"))
        const accepted = open.accepted.filter((_, at) => outcomes[at] !== undefined && Result.isSuccess(outcomes[at]))
        const at = yield* Clock.currentTimeMillis
        const write: CatalogWrite = {
          companyId: open.companyId,
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

    const accept = Effect.fn("CatalogWrites.accept")(function* (caller: Caller<Integration>, submission: Submission) {
      const open = yield* opened(caller, submission)
      const { accepted, write } = yield* Transaction.retrying(transaction)(stored(caller, open))
      if (accepted.length > 0) yield* recent.remember(write, accepted)
      yield* Queue.offer(wake, undefined)
      return write
    })

    return { accept, validate, accepted: Queue.take(wake) }
  })
