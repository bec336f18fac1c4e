/** Port: runs several writes as one transaction, and repeats them if another writer was faster. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import { PreventSchedulerYield } from "effect/Scheduler"
import * as Metrics from "./Metrics.ts"
import { type StaleWrite, StorageError, type Stored } from "./StorageError.ts"

/** Runs an effect as one unit of work: all its writes are committed, or none. */
export type Run = <A, E, R>(effect: Effect.Effect<A, E, R>) => Stored<A, E, R>

/** Changes how an effect runs, and neither its answer nor its failures. */
type Setting = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * Runs units of work. The laws are tested for every storage:
 * - If the effect succeeds, all its writes become visible together and are durable before `run` returns.
 * - If the effect fails, dies or is interrupted, none of its writes remains. Exception: a unit that is interrupted or times out
 *   after sending its commit may be committed.
 * - A nested `run` joins the outer transaction. The nested run can fail without making the outer transaction fail.
 * - A failed commit is a `StorageError`.
 */
export class Transaction extends Context.Service<
  Transaction,
  {
    readonly run: Run
    /** Fails if the storage can be read but not written, as on a full disk. It is absent if reads then fail too. */
    readonly probe?: Stored<void>
    /** Runs a statement of the application, inside the running transaction if there is one. SQL storages have this function. */
    readonly statement?: (text: string, values: ReadonlyArray<unknown>) => Stored<ReadonlyArray<object>>
    /**
     * Runs effects inside the transaction that the application has opened on this connection and will commit or roll back.
     * The call dies if the connection has no open transaction, or if the storage doesn't use the connection.
     */
    readonly within?: (connection: unknown) => Run
    /** The application's handle that the running transaction uses, in storages that use such handles. */
    readonly client?: Effect.Effect<object>
  }
>()("@crossdock/kernel/Transaction") {}

/** Whether units wait for the application's open transaction to end instead of joining it. Requests and loops wait. */
export const OwnTransactionOnly = Context.Reference<boolean>("@crossdock/kernel/Transaction/OwnTransactionOnly", {
  defaultValue: () => false
})

/** Whether the caller repeats this unit after the database ended it in favor of another writer. */
const IsRepeated = Context.Reference<boolean>("@crossdock/kernel/Transaction/IsRepeated", { defaultValue: () => false })

/** Marks an effect that its caller repeats as a whole. Inside, a unit is repeated alone only if a row was stale. */
export const repeatedByCaller: Setting = Effect.provideService(IsRepeated, true)

const isStale = (error: unknown): error is StaleWrite => Predicate.isTagged(error, "StaleWrite")

const gaveWay = (error: unknown): error is StaleWrite | StorageError =>
  isStale(error) || (error instanceof StorageError && error.isContended === true)

const counted = ({ operation }: StaleWrite | StorageError) => Metric.update(Metrics.writeRestarts.at({ operation }), 1)

const backoff = { schedule: Schedule.jittered(Schedule.exponential("2 millis")), times: 8 }

const busy = (error: StaleWrite) => Effect.fail(new StorageError({ operation: error.operation, cause: error }))

type Repeated<A, E, R> = Effect.Effect<A, Exclude<E, StaleWrite> | StorageError, R>

/** The second attempt needs no pause: the other writer has usually committed, or its locks make the attempt wait. */
const attempted = <A, E, R>(
  once: Stored<A, E | StaleWrite, R>,
  again: (error: unknown) => error is StaleWrite | StorageError,
  bounded: Run = (repeats) => repeats
) => {
  const attempt = Effect.tapError(once, (error) => (again(error) ? counted(error) : Effect.void))
  return Effect.catchIf(attempt, again, () =>
    bounded(Effect.retry(attempt, { ...backoff, while: again }).pipe(Effect.catchIf(isStale, busy)))
  ) as unknown as Repeated<A, E, R>
}

/**
 * Runs an effect in a transaction, and repeats it with its reads if another writer was faster. After ten attempts it fails
 * with `StorageError`. A nested transaction is repeated alone if a row was stale, else with the outer one.
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
    return Effect.flatMap(IsRepeated, (isRepeated) => attempted<A, E, R>(once, isRepeated ? isStale : gaveWay))
  }

/**
 * Runs several changes in one transaction, which is repeated as a whole if another writer was faster. Each change also
 * repeats itself, so `work` may turn a change's final errors into answers. `bounded` limits the time of all repeats.
 */
export const repeating =
  (transaction: typeof Transaction.Service, bounded: Run) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Stored<A, E, R> =>
    attempted(transaction.run(work), gaveWay, bounded)

/** Whether the storage of the running unit accepts a statement before it has answered earlier statements. */
const IsPipelined = Context.Reference<boolean>("@crossdock/kernel/Transaction/IsPipelined", {
  defaultValue: () => false
})

type Unanswered = Array<Fiber.Fiber<unknown, unknown>>

/** The writes that the running unit waits for at its end, together with its commit. */
const OfUnit = Context.Reference<Unanswered | undefined>("@crossdock/kernel/Transaction/OfUnit", {
  defaultValue: () => undefined
})

const Sent = Context.Reference<Unanswered | undefined>("@crossdock/kernel/Transaction/Sent", {
  defaultValue: () => undefined
})

/** Whether nested units let the outer unit wait for their writes. */
const IsJoined = Context.Reference<boolean>("@crossdock/kernel/Transaction/IsJoined", { defaultValue: () => false })

const waited: Setting = Effect.provideService(Sent, undefined)

const firstFailure = <A, E>(exits: ReadonlyArray<Exit.Exit<A, E>>): Exit.Exit<A, E> | undefined =>
  exits.find(Exit.isFailure)

const answers = (sent: Unanswered) => Effect.forEach(sent, (fiber) => Fiber.await(fiber))

/** Fails like the first write that was never sent. The storage would otherwise commit the other writes. */
const failedHere = (sent: Unanswered) =>
  Effect.suspend(() => {
    for (const fiber of sent) {
      const exit = fiber.pollUnsafe()
      if (exit !== undefined && Exit.isFailure(exit)) return exit as Exit.Exit<never>
    }
    return Effect.void
  })

/**
 * Runs a unit with the `transaction` of a storage that accepts statements before it has answered earlier ones. The unit sends
 * its commit directly after its last writes, and fails like its first failed write.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { Transaction } from "@crossdock/kernel"
 * import { Effect } from "effect"
 *
 * const sent: Array<string> = []
 * const statement = (name: string) =>
 *   Effect.sync(() => sent.push(name)).pipe(
 *     Effect.andThen(Effect.sleep("1 millis")),
 *     Effect.andThen(Effect.sync(() => sent.join()))
 *   )
 * const both = Transaction.together(statement("a"), statement("b"))
 *
 * const unit = Transaction.pipelined(both, (effect) => Effect.tap(effect, statement("COMMIT")))
 * deepStrictEqual(await Effect.runPromise(unit), ["a,b", "a,b"])
 * ```
 */
export const pipelined = <A, E, R, E2 = never>(
  effect: Effect.Effect<A, E, R>,
  transaction: (effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E2, R>
): Effect.Effect<A, E2, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const sent: Unanswered = []
      const stopSent = Effect.suspend(() => Fiber.interruptAll(sent))
      const inside = Effect.tap(waited(effect), () => failedHere(sent)).pipe(
        Effect.provideService(OfUnit, sent),
        Effect.provideService(IsPipelined, true),
        // A rollback would be queued after these writes, which may wait for a lock.
        Effect.onInterrupt(() => stopSent)
      )
      // A commit can't be interrupted and may have to wait for blocked writes. So an interruption stops the writes first.
      const fiber = yield* Effect.forkDetach(restore(transaction(inside)), { startImmediately: true })
      const stop = Effect.andThen(stopSent, Fiber.interrupt(fiber))
      const exit = yield* Effect.onInterrupt(restore(Fiber.await(fiber)), () => stop)
      const failed = firstFailure(yield* answers(sent))
      if (failed === undefined) return yield* exit
      if (Exit.isSuccess(exit)) return yield* Effect.die(new Error("A committed write failed", { cause: failed }))
      return yield* failed as Exit.Exit<A, E2>
    })
  )

/** Runs a nested unit. If it fails, the outer unit can succeed. It waits for its writes unless the outer unit is `joined`. */
export const nested: Setting = (effect) =>
  Effect.flatMap(IsJoined, (isJoined) => (isJoined ? effect : Effect.provideService(effect, OfUnit, undefined)))

/** Runs an effect whose nested units don't wait for their writes. If one of these is stale, the outer unit is repeated. */
export const joined: Setting = Effect.provideService(IsJoined, true)

type Effects = ReadonlyArray<Effect.Effect<unknown, unknown, unknown>>
type Answers<All extends Effects> = { -readonly [At in keyof All]: Effect.Success<All[At]> }

type Together<All extends Effects> = Effect.Effect<
  Answers<All>,
  Effect.Error<All[number]>,
  Effect.Services<All[number]>
>

/** Runs independent effects until all end. Their first statements are sent in order. Fails with the list's first failure. */
export const together = <const All extends Effects>(...effects: All): Together<All> => {
  const sent = Effect.flatMap(Effect.all(effects.map(Effect.exit), { concurrency: "unbounded" }), (exits) => {
    const failed = firstFailure(exits)
    return failed === undefined ? Effect.succeed(exits.map((exit) => Exit.isSuccess(exit) && exit.value)) : failed
  })
  return Effect.flatMap(IsPipelined, (isPipelined) => (isPipelined ? sent : Effect.all(effects))) as Together<All>
}

/**
 * Runs an effect and sends its writes (`write`) without waiting for their answers. At the end of a unit, the commit directly
 * follows the writes. Elsewhere, the call ends after all writes are answered, and fails like the first failed write.
 */
export const writes = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    if (!fiber.getRef(IsPipelined)) return effect
    const ofUnit = fiber.getRef(OfUnit)
    if (ofUnit !== undefined) return Effect.provideService(effect, Sent, ofUnit)
    const sent: Unanswered = []
    return Effect.gen(function* () {
      const exit = yield* Effect.exit(Effect.provideService(effect, Sent, sent))
      return yield* firstFailure<unknown, unknown>(yield* answers(sent)) ?? exit
    }).pipe(Effect.onInterrupt(() => Fiber.interruptAll(sent))) as Effect.Effect<A, E, R>
  })

/** Sends a statement before it returns. A fiber that yielded first could be overtaken by the commit, or never send. */
export const sentImmediately = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.forkDetach(Effect.provideService(effect, PreventSchedulerYield, true), { startImmediately: true })

const sentOn = <A, E, R>(effect: Effect.Effect<A, E, R>, sent: Unanswered) =>
  Effect.map(sentImmediately(waited(effect)), (fiber) => {
    sent.push(fiber)
    return Fiber.join(fiber)
  })

/** Runs a statement, and returns an effect that waits for its answer. Inside `writes`, the call only sends the statement. */
export const started = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<Effect.Effect<A, E>, E, R> =>
  Effect.flatMap(Sent, (sent) => (sent === undefined ? Effect.map(effect, Effect.succeed) : sentOn(effect, sent)))

/** Runs a write that can fail only in the storage. Inside `writes`, the call returns before the answer arrives. */
export const write = <E, R>(effect: Effect.Effect<void, E, R>): Effect.Effect<void, E, R> =>
  Effect.flatMap(Sent, (sent) => (sent === undefined ? effect : Effect.asVoid(sentOn(effect, sent))))

/**
 * Runs the effect, and fails with `orElse()` after `limit`. Cleanup continues in the background, unlike `Effect.timeout`.
 *
 * @example
 * ```ts
 * import { Transaction } from "@crossdock/kernel"
 * import { Effect } from "effect"
 * import { strictEqual } from "node:assert"
 *
 * const silent = Effect.uninterruptible(Effect.never)
 * const impatient = Transaction.abandonAfter(silent, { limit: "1 millis", orElse: () => "no answer" })
 * strictEqual(await Effect.runPromise(Effect.flip(impatient)), "no answer")
 * ```
 */
export const abandonAfter = <A, E, R, E2>(
  effect: Effect.Effect<A, E, R>,
  { limit, orElse }: { readonly limit: Duration.Input; readonly orElse: () => E2 }
): Effect.Effect<A, E | E2, R> =>
  Effect.withFiber((caller) => {
    const clock = caller.getRef(Clock.Clock)
    const end = clock.monotonicTimeNanosUnsafe() + Duration.toNanosUnsafe(Duration.fromInputUnsafe(limit))
    // If the effect has a limit of equal length, its own failure may come first.
    const failure = (error: E) => (clock.monotonicTimeNanosUnsafe() < end ? error : orElse())
    return Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(Effect.forkDetach(restore(effect), { startImmediately: true }), (fiber) => {
        const done = fiber.pollUnsafe()
        if (done !== undefined) return done
        let isGivenUp = false
        const giveUp = Effect.sleep(limit).pipe(
          Effect.andThen(Effect.sync(() => (isGivenUp = true))),
          // It starts at once. Otherwise, the effect could still commit after the caller has failed.
          Effect.andThen(Effect.forkDetach(Fiber.interrupt(fiber), { startImmediately: true })),
          Effect.andThen(Effect.suspend(() => Effect.fail(orElse())))
        )
        const joined = Effect.flatMap(Fiber.await(fiber), (exit) =>
          isGivenUp && Exit.hasInterrupts(exit) ? Effect.fail(orElse()) : Effect.mapError(exit, failure)
        )
        return restore(Effect.raceFirst(joined, giveUp)).pipe(Effect.onInterrupt(() => Fiber.interrupt(fiber)))
      })
    )
  })
