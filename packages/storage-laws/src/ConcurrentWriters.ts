import { Transaction } from "@crossdock/kernel"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { inTransaction, outcome } from "./Laws.ts"

export const retrying = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Transaction.Transaction, (transaction) => Transaction.retrying(transaction)(effect))

export const concurrently = <A, E, R>(
  effects: Iterable<Effect.Effect<A, E, R>>
): Effect.Effect<ReadonlyArray<A>, E, R> => Effect.all(effects, { concurrency: "unbounded" })

export const times = <A, E, R>(count: number, of: (nth: number) => Effect.Effect<A, E, R>) =>
  concurrently(Array.from({ length: count }, (_, nth) => of(nth)))

/** Asserts that exactly one of `won` is true, and returns its index. */
export const exactlyOne = (won: ReadonlyArray<boolean>): number => {
  strictEqual(won.filter((one) => one).length, 1)
  return won.indexOf(true)
}

/** Asserts that exactly one outcome is a success and all others are `StaleWrite`. It returns the index of the success. */
export const exactlyOneSucceeded = (outcomes: ReadonlyArray<string>): number => {
  strictEqual(outcomes.filter((one) => one === "StaleWrite").length, outcomes.length - 1)
  return exactlyOne(outcomes.map((one) => one === "done"))
}

/** Makes twelve hosts save the same version of a row concurrently, for each of three versions. Exactly one may succeed. */
export const oneSaves = <
  Row extends { version: number; lease: { owner: string; until: number } | null },
  E1,
  R1,
  E2,
  R2
>(
  first: Row,
  store: {
    readonly find: (row: Row) => Effect.Effect<Row | undefined, E1, R1>
    readonly save: (row: Row) => Effect.Effect<void, E2 & { readonly _tag: string }, R2>
  }
) =>
  Effect.gen(function* () {
    const lease = (host: number) => ({ owner: `host ${host}`, until: 1_790_000_000_000 })
    for (const version of [0, 1, 2]) {
      const outcomes = yield* times(12, (host) => {
        const save = store.save({ ...first, version, lease: lease(host) })
        return outcome(version === 1 ? save : inTransaction(save))
      })
      const saved = { ...first, version: version + 1, lease: lease(exactlyOneSucceeded(outcomes)) }
      deepStrictEqual(yield* store.find(first), saved)
    }
  })

/** Yields many times, each time with a read. If another writer doesn't wait, it runs in between. */
export const linger = <A, E, R>(read: Effect.Effect<A, E, R>): Effect.Effect<void, E, R> =>
  Effect.repeat(Effect.andThen(Effect.yieldNow, read), { times: 20 }).pipe(Effect.asVoid)

/** Begins the transaction `second` between the load and the save of another. Returns what `second` loaded. */
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
