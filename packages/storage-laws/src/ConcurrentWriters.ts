/** Writers that compete for the same rows. */
import { Transaction } from "@crossdock/kernel"
import { strictEqual } from "@effect/vitest/utils"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { inTransaction } from "./Laws.ts"

export const retrying = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Transaction.Transaction, (transaction) => Transaction.retrying(transaction)(effect))

/** The answers are in the order of the effects. */
export const concurrently = <A, E, R>(
  effects: Iterable<Effect.Effect<A, E, R>>
): Effect.Effect<ReadonlyArray<A>, E, R> => Effect.all(effects, { concurrency: "unbounded" })

/** Runs `count` effects at once, each with its number, from 0. */
export const times = <A, E, R>(count: number, of: (nth: number) => Effect.Effect<A, E, R>) =>
  concurrently(Array.from({ length: count }, (_, nth) => of(nth)))

/** Asserts that exactly one of `outcomes` is done and all others are `StaleWrite`. */
export const exactlyOneSucceeded = (outcomes: ReadonlyArray<string>): void => {
  strictEqual(outcomes.filter((one) => one === "done").length, 1)
  strictEqual(outcomes.filter((one) => one === "StaleWrite").length, outcomes.length - 1)
}

/** Yields many times, each with a read, so that a writer that doesn't wait interleaves. */
export const linger = <A, E, R>(read: Effect.Effect<A, E, R>): Effect.Effect<void, E, R> =>
  Effect.repeat(Effect.andThen(Effect.yieldNow, read), { times: 20 }).pipe(Effect.asVoid)

/** Returns the rows that a second transaction loads, which begins between the first one's load and save. */
export const loadedBehind = <A, B, E, R, E2, R2, E3, R3, E4, R4>(
  first: Effect.Effect<A, E, R>,
  read: Effect.Effect<unknown, E2, R2>,
  save: (loaded: A) => Effect.Effect<unknown, E3, R3>,
  second: Effect.Effect<B, E4, R4>
) =>
  Effect.gen(function* () {
    const locked = yield* Deferred.make<void>()
    const loadAndSave = first.pipe(
      Effect.tap(() => Deferred.succeed(locked, undefined)),
      Effect.tap(() => linger(read)),
      Effect.flatMap(save)
    )
    const saving = yield* Effect.forkChild(inTransaction(loadAndSave))
    yield* Deferred.await(locked)
    const loaded = yield* inTransaction(second)
    yield* Fiber.join(saving)
    return loaded
  })
