/**
 * Statements of a unit that don't wait for each other's answers. A storage on a server sends them as one round trip; every other
 * storage runs one after the other, with the same result.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"

/** Whether the running unit's storage takes statements before it has answered the ones before. */
const IsSupported = Context.Reference<boolean>("@crossdock/kernel/Pipeline/IsSupported", {
  defaultValue: () => false
})

type Unanswered = Array<Fiber.Fiber<unknown, unknown>>

/** The writes whose answers the running unit waits for at its end, with that of its commit. */
const OfUnit = Context.Reference<Unanswered | undefined>("@crossdock/kernel/Pipeline/OfUnit", {
  defaultValue: () => undefined
})

/** The statements that the running `writes` has sent. */
const Sent = Context.Reference<Unanswered | undefined>("@crossdock/kernel/Pipeline/Sent", {
  defaultValue: () => undefined
})

/** Whether units inside a unit leave their writes to its end. */
const IsJoined = Context.Reference<boolean>("@crossdock/kernel/Pipeline/IsJoined", { defaultValue: () => false })

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
 * import { Pipeline } from "@crossdock/kernel"
 * import { Effect } from "effect"
 *
 * const sent: Array<string> = []
 * const statement = (name: string) =>
 *   Effect.sync(() => sent.push(name)).pipe(
 *     Effect.andThen(Effect.sleep("1 millis")),
 *     Effect.andThen(Effect.sync(() => sent.join()))
 *   )
 * const both = Pipeline.together(statement("a"), statement("b"))
 *
 * const unit = Pipeline.unit(both, (effect) => Effect.tap(effect, statement("COMMIT")))
 * deepStrictEqual(await Effect.runPromise(unit), ["a,b", "a,b"])
 * ```
 */
export const unit = <A, E, R, E2 = never>(
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
  Effect.gen(function* () {
    if (!(yield* IsSupported)) return yield* effect
    const ofUnit = yield* OfUnit
    if (ofUnit !== undefined) return yield* Effect.provideService(effect, Sent, ofUnit)
    const sent: Unanswered = []
    return yield* Effect.gen(function* () {
      const exit = yield* Effect.exit(Effect.provideService(effect, Sent, sent))
      return yield* firstFailure<unknown, unknown>(yield* answers(sent)) ?? exit
    }).pipe(Effect.onInterrupt(() => Fiber.interruptAll(sent))) as Effect.Effect<A, E, R>
  })

/**
 * A statement whose answer is rarely read: its result is an effect that waits for the answer. Inside `writes` it is
 * sent on.
 */
export const started = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<Effect.Effect<A, E>, E, R> =>
  Effect.flatMap(Sent, (sent) =>
    sent === undefined
      ? Effect.map(effect, (answer) => Effect.succeed(answer))
      : Effect.map(Effect.forkDetach(waited(effect), { startImmediately: true }), (fiber) => {
          sent.push(fiber)
          return Fiber.join(fiber)
        })
  )

/**
 * A write whose answer nothing else in its unit needs. Inside `writes` it returns before the storage has answered, and
 * may fail only where the storage failed: then nothing of its unit is committed.
 */
export const write = <E, R>(effect: Effect.Effect<void, E, R>): Effect.Effect<void, E, R> =>
  Effect.asVoid(started(effect))
