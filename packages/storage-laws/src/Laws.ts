/**
 * How a law is written down: a sentence, and an effect that shows it on any storage.
 */
import { Pipeline } from "@crossdock/kernel"
import { assertTrue, strictEqual } from "@effect/vitest/utils"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"

/** Something that a storage says it can't do. Its laws are shown as skipped. */
export type Gap = "concurrent-writers"

/**
 * Registers laws about the ports `R`. `concurrent` ones need writers at once.
 *
 * They run on the real clock: writers at once really wait for each other, and `Transaction.retrying` waits before it tries
 * again, which a test clock would make forever. No law depends on how long anything takes; times are arguments.
 */
export interface Laws<R> {
  readonly law: Registration<R>
  readonly concurrent: Registration<R>
}

/** Takes a law's sentence, and the effect that fails where it is broken, as a generator. */
export type Registration<R> = (
  sentence: string,
  shown: () => Generator<Effect.Effect<unknown, unknown, R | Scope.Scope>, unknown, never>
) => void

/** What one attempt came to: "done", or the tag of its error. A defect stays one. */
export const outcome = <A, R>(
  effect: Effect.Effect<A, { readonly _tag: string }, R>
): Effect.Effect<string, never, R> =>
  Effect.match(effect, { onFailure: (error) => error._tag, onSuccess: () => "done" })

/** All at once; the answers in the order of the effects. */
export const concurrently = <A, E, R>(
  effects: Iterable<Effect.Effect<A, E, R>>
): Effect.Effect<ReadonlyArray<A>, E, R> => Effect.all(effects, { concurrency: "unbounded" })

/** Of `outcomes` exactly one is done; all others are `StaleWrite` and nothing else. */
export const exactlyOneSucceeded = (outcomes: ReadonlyArray<string>): void => {
  strictEqual(outcomes.filter((one) => one === "done").length, 1)
  strictEqual(outcomes.filter((one) => one === "StaleWrite").length, outcomes.length - 1)
}

/** Gives others many turns, each with a read of one's own, so that a writer that does not wait gets in between. */
export const linger = <A, E, R>(read: Effect.Effect<A, E, R>): Effect.Effect<void, E, R> =>
  Effect.repeat(Effect.andThen(Effect.yieldNow, read), { times: 20 }).pipe(Effect.asVoid)

/** Fails, dies and is interrupted: the three ways in which an effect comes to no good end. */
export const badEnds = [
  ["fails", Effect.fail("rejected")],
  ["dies", Effect.die("a bug")],
  ["is interrupted", Effect.interrupt]
] as const

export const endsBadly = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<void, never, R> =>
  Effect.map(Effect.exit(effect), (exit) => assertTrue(Exit.isFailure(exit)))

/**
 * How the writes of a unit end: each is waited for, or the commit is sent behind them where the storage takes it (`Pipeline`).
 */
export const waysToWrite: ReadonlyArray<<A, E, R>(writes: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>> = [
  (writes) => writes,
  Pipeline.writes
]
