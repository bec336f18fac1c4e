/**
 * Port: several writes as one transaction.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import { type StaleWrite, StorageError } from "./StorageError.ts"

/**
 * Laws (tested for every storage): when the effect succeeds, all its writes become visible together and are durable before
 * `run` returns; when it fails, dies or is interrupted, none of them remains. A `run` inside a `run` joins the outer
 * transaction and can still fail on its own. A commit that fails is a `StorageError`, never a success.
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
 * Runs an effect in a transaction, and runs it again from its reads on when another writer was faster. After ten attempts it
 * fails with `StorageError`.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { StaleWrite, Transaction } from "@crossdock/kernel"
 * import { Effect } from "effect"
 *
 * // A host's transaction; this one only runs the effect.
 * const retrying = Transaction.retrying(Transaction.Transaction.of({ run: (effect) => effect }))
 * let attempts = 0
 * const write = Effect.suspend(() => (++attempts < 3 ? Effect.fail(new StaleWrite({ operation: "setStock" })) : Effect.void))
 *
 * await Effect.runPromise(retrying(write))
 * strictEqual(attempts, 3)
 * ```
 */
export const retrying =
  (transaction: typeof Transaction.Service) =>
  <A, E, R>(
    effect: Effect.Effect<A, E | StaleWrite, R>
  ): Effect.Effect<A, Exclude<E, StaleWrite> | StorageError, R> => {
    const attempt = transaction.run(effect)
    const busy = (error: StaleWrite) => Effect.fail(new StorageError({ operation: error.operation, cause: error }))
    // The second attempt needs no pause: mostly the other writer has committed. When the database ended this attempt in its
    // favour instead, this one waits for its locks.
    return Effect.catchIf(attempt, lostToAnother, () =>
      Effect.retry(attempt, { ...backoff, while: lostToAnother }).pipe(Effect.catchIf(isStale, busy))
    ) as Effect.Effect<A, Exclude<E, StaleWrite> | StorageError, R>
  }
