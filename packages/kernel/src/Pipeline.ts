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

/** The writes of `writes` that are on their way. */
const Sent = Context.Reference<Array<Fiber.Fiber<void, unknown>> | undefined>("@crossdock/kernel/Pipeline/Sent", {
  defaultValue: () => undefined
})

const waited: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = Effect.provideService(
  Sent,
  undefined
)

/**
 * How a storage runs a unit whose statements it takes before it has answered the ones before.
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
 * deepStrictEqual(await Effect.runPromise(Pipeline.unit(both)), ["a,b", "a,b"])
 * ```
 */
export const unit = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(waited(effect), IsSupported, true)

type Effects = ReadonlyArray<Effect.Effect<unknown, unknown, unknown>>
type Answers<All extends Effects> = { -readonly [At in keyof All]: Effect.Success<All[At]> }

/** Of statements that fail, the first one is the reason of the others. */
const firstFailure = <A, E>(exits: ReadonlyArray<Exit.Exit<A, E>>): Exit.Exit<A, E> | undefined =>
  exits.find(Exit.isFailure)

/**
 * The answers of effects that don't depend on each other. Their first statements are sent in their order. All of them have ended
 * when this fails, with the failure of the first one in the list that failed.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { Pipeline } from "@crossdock/kernel"
 * import { Effect } from "effect"
 *
 * const both = Pipeline.together(Effect.succeed(["SKU-1"]), Effect.succeed(3))
 * deepStrictEqual(await Effect.runPromise(both), [["SKU-1"], 3])
 * ```
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
 * Runs an effect whose writes (`write`) are sent on, without waiting for their answers. All of them have ended when this ends, and
 * when any of them failed, it fails as the first of them did.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { Pipeline } from "@crossdock/kernel"
 * import { Effect } from "effect"
 *
 * const stale = Pipeline.write(Effect.andThen(Effect.sleep("1 millis"), Effect.fail("stale")))
 * const saved = Pipeline.writes(Effect.as(stale, "sent"))
 * strictEqual(await Effect.runPromise(Effect.flip(Pipeline.unit(saved))), "stale")
 * ```
 */
export const writes = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(IsSupported, (isSupported) => {
    if (!isSupported) return effect
    const sent: Array<Fiber.Fiber<void, unknown>> = []
    return Effect.gen(function* () {
      const exit = yield* Effect.exit(Effect.provideService(effect, Sent, sent))
      const ended = yield* Effect.forEach(sent, (fiber) => Fiber.await(fiber))
      return yield* firstFailure<unknown, unknown>(ended) ?? exit
    }).pipe(Effect.onInterrupt(() => Fiber.interruptAll(sent))) as Effect.Effect<A, E, R>
  })

/**
 * A write that nothing else of its unit reads the answer of. Inside of `writes` it returns before the storage has answered.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { Pipeline } from "@crossdock/kernel"
 * import { Effect } from "effect"
 *
 * const log: Array<string> = []
 * const note = (what: string) => Effect.asVoid(Effect.sync(() => log.push(what)))
 * const write = Pipeline.write(Effect.andThen(Effect.sleep("1 millis"), note("answered")))
 * await Effect.runPromise(Pipeline.unit(Pipeline.writes(Effect.andThen(write, note("went on")))))
 * deepStrictEqual(log, ["went on", "answered"])
 * ```
 */
export const write = <E, R>(effect: Effect.Effect<void, E, R>): Effect.Effect<void, E, R> =>
  Effect.flatMap(Sent, (sent) =>
    sent === undefined
      ? effect
      : Effect.map(Effect.forkChild(waited(effect), { startImmediately: true }), (fiber) => {
          sent.push(fiber)
        })
  )
