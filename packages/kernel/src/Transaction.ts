/**
 * Port: several writes as one transaction, which is repeated when another writer was faster. Its statements need not wait for each
 * other's answers: a storage on a server then sends them as one round trip; every other storage runs one after the other, with the
 * same result.
 */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import * as Metrics from "./Metrics.ts"
import { type StaleWrite, StorageError } from "./StorageError.ts"

/** Runs an effect as one unit. */
export type Run = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StorageError, R>

/**
 * Laws (tested for every storage): if the effect succeeds, all its writes become visible together and are durable before
 * `run` returns; if it fails, dies or is interrupted, none of them remains. Exception: a unit that is interrupted or takes
 * too long after its commit was sent may have been committed. A `run` inside a `run` joins the outer transaction and can
 * still fail on its own. A commit that fails is a `StorageError`, never a success.
 */
export class Transaction extends Context.Service<
  Transaction,
  {
    readonly run: Run
    /** Fails when nothing can be written although reads succeed, as on a full disk. Absent where a failed read says so. */
    readonly probe?: Effect.Effect<void, StorageError>
    /** A statement of the application, in the running transaction if there is one. SQL storages have it. */
    readonly statement?: (
      text: string,
      values: ReadonlyArray<unknown>
    ) => Effect.Effect<ReadonlyArray<object>, StorageError>
    /**
     * `run` as a part of the transaction that the application has open on its own connection, and that it commits or rolls
     * back. Dies if no transaction is open there, or the storage doesn't use that connection. Storages on the application's
     * handles have it.
     */
    readonly within?: (connection: unknown) => Run
    /** The application's client or handle that the running transaction uses. Storages on the application's handles have it. */
    readonly client?: Effect.Effect<object>
  }
>()("@crossdock/kernel/Transaction") {}

/**
 * Whether units keep out of a transaction that the application has open on the storage's connection, and wait until it has
 * ended. Requests and background work do: their acknowledgement must not depend on another's commit.
 */
export const OwnTransactionOnly = Context.Reference<boolean>("@crossdock/kernel/Transaction/OwnTransactionOnly", {
  defaultValue: () => false
})

/** Whether the caller of this unit repeats it when it gave way to another writer. */
const IsRepeated = Context.Reference<boolean>("@crossdock/kernel/Transaction/IsRepeated", { defaultValue: () => false })

/**
 * Leaves it to the caller to repeat the effect when its transaction gave way to another writer: a part of the application's
 * transaction can't be repeated alone, since it would wait for the same locks again.
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
 * Runs work that makes several changes in one transaction. Each of them repeats its own part, so the work may turn its errors into
 * answers; the work is repeated as a whole when the transaction gave way at its end. All repeats run by `bounded`, which bounds their time.
 */
export const repeating =
  (transaction: typeof Transaction.Service, bounded: Run) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageError, R> =>
    attempted(transaction.run(work), gaveWay, bounded)

/** Whether the running unit's storage takes statements before it has answered the ones before. */
const IsSupported = Context.Reference<boolean>("@crossdock/kernel/Transaction/IsSupported", {
  defaultValue: () => false
})

type Unanswered = Array<Fiber.Fiber<unknown, unknown>>

/** The writes whose answers the running unit waits for at its end, with that of its commit. */
const OfUnit = Context.Reference<Unanswered | undefined>("@crossdock/kernel/Transaction/OfUnit", {
  defaultValue: () => undefined
})

/** The statements that the running `writes` has sent. */
const Sent = Context.Reference<Unanswered | undefined>("@crossdock/kernel/Transaction/Sent", {
  defaultValue: () => undefined
})

/** Whether units inside a unit leave their writes to its end. */
const IsJoined = Context.Reference<boolean>("@crossdock/kernel/Transaction/IsJoined", { defaultValue: () => false })

const waited: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = Effect.provideService(
  Sent,
  undefined
)

/** The first failure causes the later ones. */
const firstFailure = <A, E>(exits: ReadonlyArray<Exit.Exit<A, E>>): Exit.Exit<A, E> | undefined =>
  exits.find(Exit.isFailure)

const answers = (sent: Unanswered) => Effect.forEach(sent, (fiber) => Fiber.await(fiber))

/**
 * Fails as the first write that has failed already: it was never sent, such as when its values could not be encoded, so the storage
 * doesn't know of its failure and would commit the others.
 */
const failedHere = (sent: Unanswered) =>
  Effect.suspend(() => {
    for (const fiber of sent) {
      const exit = fiber.pollUnsafe()
      if (exit !== undefined && Exit.isFailure(exit)) return exit as Exit.Exit<never>
    }
    return Effect.void
  })

/**
 * Runs a unit by `transaction` of a storage that takes statements before it has answered the ones before. Its commit is sent
 * behind its last writes, and it ends when all of them are answered. A write that fails must do so in the storage, which then
 * doesn't commit; the unit fails as the first of them did.
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
        Effect.provideService(IsSupported, true),
        // A rollback would queue behind these writes, which may be waiting for a lock.
        Effect.onInterrupt(() => stopSent)
      )
      // A commit can't be interrupted, and behind writes that wait for a lock it may take long. Interrupting those first ends it
      // at once.
      const fiber = yield* Effect.forkDetach(restore(transaction(inside)), { startImmediately: true })
      const stop = Effect.andThen(stopSent, Fiber.interrupt(fiber))
      const exit = yield* Effect.onInterrupt(restore(Fiber.await(fiber)), () => stop)
      const failed = firstFailure(yield* answers(sent))
      if (failed === undefined) return yield* exit
      if (Exit.isSuccess(exit)) return yield* Effect.die(new Error("A committed write failed", { cause: failed }))
      return yield* failed as Exit.Exit<A, E2>
    })
  )

/**
 * A unit inside another one, which can fail on its own: it waits for its own writes, unless the other one is `joined`.
 */
export const nested = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(IsJoined, (isJoined) => (isJoined ? effect : Effect.provideService(effect, OfUnit, undefined)))

/**
 * Units inside this effect end before their writes are answered; the unit around waits for these, and is repeated as a
 * whole when one of them was stale. Use it when the surrounding unit ends right afterwards.
 */
export const joined: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = Effect.provideService(
  IsJoined,
  true
)

type Effects = ReadonlyArray<Effect.Effect<unknown, unknown, unknown>>
type Answers<All extends Effects> = { -readonly [At in keyof All]: Effect.Success<All[At]> }

/**
 * The answers of effects that don't depend on each other. Their first statements are sent in their order. None is still
 * running when this fails, with the failure of the first one in the list that failed.
 */
export const together = <const All extends Effects>(
  ...effects: All
): Effect.Effect<Answers<All>, Effect.Error<All[number]>, Effect.Services<All[number]>> => {
  const sent = Effect.flatMap(Effect.all(effects.map(Effect.exit), { concurrency: "unbounded" }), (exits) => {
    const failed = firstFailure(exits)
    return failed === undefined ? Effect.succeed(exits.map((exit) => Exit.isSuccess(exit) && exit.value)) : failed
  })
  return Effect.flatMap(IsSupported, (isSupported) => (isSupported ? sent : Effect.all(effects))) as Effect.Effect<
    Answers<All>,
    Effect.Error<All[number]>,
    Effect.Services<All[number]>
  >
}

/**
 * Runs an effect whose writes (`write`) are sent on, without waiting for their answers. At the end of a unit, its commit is sent
 * behind them. Elsewhere all of them have ended when this ends, and when any of them failed, it fails as the first of them did.
 */
export const writes = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    if (!fiber.getRef(IsSupported)) return effect
    const ofUnit = fiber.getRef(OfUnit)
    if (ofUnit !== undefined) return Effect.provideService(effect, Sent, ofUnit)
    const sent: Unanswered = []
    return Effect.gen(function* () {
      const exit = yield* Effect.exit(Effect.provideService(effect, Sent, sent))
      return yield* firstFailure<unknown, unknown>(yield* answers(sent)) ?? exit
    }).pipe(Effect.onInterrupt(() => Fiber.interruptAll(sent))) as Effect.Effect<A, E, R>
  })

const sentOn = <A, E, R>(effect: Effect.Effect<A, E, R>, sent: Unanswered) =>
  Effect.map(Effect.forkDetach(waited(effect), { startImmediately: true }), (fiber) => {
    sent.push(fiber)
    return Fiber.join(fiber)
  })

/**
 * A statement whose answer is rarely read: its result is an effect that waits for the answer. Inside `writes` it is
 * sent on.
 */
export const started = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<Effect.Effect<A, E>, E, R> =>
  Effect.flatMap(Sent, (sent) => (sent === undefined ? Effect.map(effect, Effect.succeed) : sentOn(effect, sent)))

/**
 * A write whose answer nothing else in its unit needs. Inside `writes` it returns before the storage has answered, and
 * may fail only where the storage failed: then nothing of its unit is committed.
 */
export const write = <E, R>(effect: Effect.Effect<void, E, R>): Effect.Effect<void, E, R> =>
  Effect.flatMap(Sent, (sent) => (sent === undefined ? effect : Effect.asVoid(sentOn(effect, sent))))

/**
 * Runs `effect`, and fails with `orElse()` if it takes longer than `limit`. `Effect.timeout` would wait for the work's
 * cleanup, which takes just as long if a server doesn't answer; here it goes on in the background.
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
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkDetach(restore(effect), { startImmediately: true }), (fiber) => {
      const done = fiber.pollUnsafe()
      if (done !== undefined) return done
      const giveUp = Effect.sleep(limit).pipe(
        Effect.andThen(Effect.forkDetach(Fiber.interrupt(fiber))),
        Effect.andThen(Effect.suspend(() => Effect.fail(orElse())))
      )
      return restore(Effect.raceFirst(Fiber.join(fiber), giveUp)).pipe(Effect.onInterrupt(() => Fiber.interrupt(fiber)))
    })
  )
