/** Port: several writes as one transaction. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import * as Metrics from "./Metrics.ts"
import { type StaleWrite, StorageError } from "./StorageError.ts"

/** Runs an effect as one unit. */
export type Run = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StorageError, R>

/**
 * Laws (tested for every storage): when the effect succeeds, all its writes become visible together and are durable before
 * `run` returns; when it fails, dies or is interrupted, none of them remains, except that a unit that is interrupted or takes too
 * long after its commit was sent may have been committed. A `run` inside a `run` joins the outer
 * transaction and can still fail on its own. A commit that fails is a `StorageError`, never a success.
 */
export class Transaction extends Context.Service<
  Transaction,
  {
    readonly run: Run
    /** Fails when nothing can be written although reads succeed, as on a full disk. Absent where a failed read says so. */
    readonly probe?: Effect.Effect<void, StorageError>
    /** A statement of the program's own, in the running transaction if there is one. SQL storages have it. */
    readonly statement?: (
      text: string,
      values: ReadonlyArray<unknown>
    ) => Effect.Effect<ReadonlyArray<object>, StorageError>
    /**
     * `run`, but as a part of the transaction that the program has open on a connection of its own, and that it commits or
     * rolls back. Dies when no transaction is open there, or the storage does not run on it. Storages on handles of the program have it.
     */
    readonly within?: (connection: unknown) => Run
  }
>()("@crossdock/kernel/Transaction") {}

/**
 * Whether units keep out of a transaction that the program itself has open on the storage's connection, and wait until it
 * has ended. Requests and background work do: their acknowledgement must not depend on another's commit.
 */
export const OwnTransactionOnly = Context.Reference<boolean>("@crossdock/kernel/Transaction/OwnTransactionOnly", {
  defaultValue: () => false
})

/** Whether the caller of this unit repeats it when it gave way to another writer. */
const IsRepeated = Context.Reference<boolean>("@crossdock/kernel/Transaction/IsRepeated", {
  defaultValue: () => false
})

/**
 * Leaves it to the caller to repeat the effect when its transaction gave way to another writer: within a transaction of the
 * program's own, a part of it can't be repeated alone, since it would wait for the same locks again.
 */
export const repeatedByCaller: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> =
  Effect.provideService(IsRepeated, true)

const isStale = (error: unknown): error is StaleWrite => Predicate.isTagged(error, "StaleWrite")

const gaveWay = (error: unknown): error is StaleWrite | StorageError =>
  isStale(error) || (error instanceof StorageError && error.isContended === true)

const counted = ({ operation }: StaleWrite | StorageError) => Metric.update(Metrics.writeRestarts.at({ operation }), 1)

const backoff = { schedule: Schedule.jittered(Schedule.exponential("2 millis")), times: 8 }

const busy = (error: StaleWrite) => Effect.fail(new StorageError({ operation: error.operation, cause: error }))

type Repeated<A, E, R> = Effect.Effect<A, Exclude<E, StaleWrite> | StorageError, R>

/**
 * The second attempt needs no pause: mostly the other writer has committed. When the database rolled back the first
 * attempt in favour of the other writer, the second waits for that writer's locks.
 */
const attempted = <A, E, R>(
  once: Effect.Effect<A, E | StaleWrite | StorageError, R>,
  again: (error: unknown) => error is StaleWrite | StorageError,
  bounded: Run = (repeats) => repeats
) => {
  const attempt = Effect.tapError(once, (error) => (again(error) ? counted(error) : Effect.void))
  return Effect.catchIf(attempt, again, () =>
    bounded(Effect.retry(attempt, { ...backoff, while: again }).pipe(Effect.catchIf(isStale, busy)))
  ) as unknown as Repeated<A, E, R>
}

/**
 * Runs an effect in a transaction, and runs it again from its reads on when another writer was faster. After ten attempts it
 * fails with `StorageError`. Inside another one it repeats its own part when a row was stale; when the database ended it in
 * favour of another writer, whose locks the outer one may wait for too, the outer one starts again.
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
  <A, E, R>(effect: Effect.Effect<A, E | StaleWrite, R>): Repeated<A, E, R> => {
    const once = transaction.run(repeatedByCaller(effect))
    return Effect.flatMap(IsRepeated, (isRepeated) => attempted(once, isRepeated ? isStale : gaveWay)) as Repeated<
      A,
      E,
      R
    >
  }

/**
 * Runs work of several changes in a transaction. Each of them repeats its own part, so the work may turn its errors into
 * answers; the work is repeated as a whole when the transaction gave way at its end. All repeats run by `bounded`, which bounds their time.
 */
export const repeating =
  (transaction: typeof Transaction.Service, bounded: Run) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageError, R> =>
    attempted(transaction.run(work), gaveWay, bounded)
