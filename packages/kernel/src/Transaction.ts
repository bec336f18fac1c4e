/**
 * Port: makes several writes one unit.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import { type StaleWrite, StorageError } from "./StorageError.ts"

/**
 * Laws (tested for every storage): what the effect wrote becomes visible together when it succeeds, durably before
 * `run` answers; nothing of it remains when it fails, dies or is interrupted. A `run` inside a `run` joins the outer
 * unit and can still fail on its own. A commit that fails is a `StorageError`, never a success.
 */
export class Transaction extends Context.Service<
  Transaction,
  { readonly run: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StorageError, R> }
>()("@crossdock/kernel/Transaction") {}

const isStale = (error: unknown): error is StaleWrite => Predicate.isTagged(error, "StaleWrite")

const lostToAnother = (error: unknown): boolean =>
  isStale(error) || (error instanceof StorageError && error.isContended === true)

const backoff = { schedule: Schedule.jittered(Schedule.exponential("2 millis")), times: 8 }

/**
 * Runs `effect` as one unit and once more, from its reads on, whenever another writer was faster or it had to give way to
 * one; ten times at most, then it is a storage that is too busy.
 */
export const decide =
  (transaction: typeof Transaction.Service) =>
  <A, E, R>(
    effect: Effect.Effect<A, E | StaleWrite, R>
  ): Effect.Effect<A, Exclude<E, StaleWrite> | StorageError, R> => {
    const attempt = transaction.run(effect)
    const busy = (error: StaleWrite) => Effect.fail(new StorageError({ operation: error.operation, cause: error }))
    // The second attempt waits for nothing: the other writer has just committed.
    return Effect.catchIf(attempt, lostToAnother, () =>
      Effect.retry(attempt, { ...backoff, while: lostToAnother }).pipe(Effect.catchIf(isStale, busy))
    ) as Effect.Effect<A, Exclude<E, StaleWrite> | StorageError, R>
  }
