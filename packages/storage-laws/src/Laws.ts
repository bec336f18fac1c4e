/** A law is a sentence, and an effect that tests it on any storage. */
import { Transaction } from "@crossdock/kernel"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import * as Fresh from "./Fresh.ts"

/** A feature that a storage lacks. Laws that need it are skipped. */
export type Gap = "concurrent-writers"

/** Registers laws about the ports `R`, on the real clock. `concurrent` registers laws that need concurrent writers. */
export interface Laws<R, Ports extends ReadonlyArray<unknown> = []> {
  readonly law: Registration<R, Ports>
  readonly concurrent: Registration<R, Ports>
}

/** Registers a law: its sentence, and a generator that fails if the law is broken. */
export type Registration<R, Ports extends ReadonlyArray<unknown> = []> = (
  sentence: string,
  shown: (...ports: Ports) => Generator<Effect.Effect<unknown, unknown, R | Scope.Scope>, unknown, never>
) => void

/** Laws about one port. Each receives the port and, if `fresh` is given, a new value of it. */
export const about = <Self, Port, R, New = undefined>(
  port: Context.Key<Self, Port>,
  laws: Laws<R | Self>,
  fresh: Effect.Effect<New, unknown, NoInfer<R | Self>> = Effect.undefined as Effect.Effect<never>
): Laws<R | Self, [Port, New]> => {
  const given =
    (register: Registration<R | Self>): Registration<R | Self, [Port, New]> =>
    (sentence, shown) =>
      register(sentence, function* () {
        const made = yield* fresh
        yield* Effect.flatMap(port, (given) => Effect.gen(() => shown(given, made)))
      })
  return { law: given(laws.law), concurrent: given(laws.concurrent) }
}

export const inTransaction = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Transaction.Transaction, ({ run }) => run(effect))

export const inUnit = <Step extends Effect.Effect<unknown, unknown, unknown>, A>(
  steps: () => Generator<Step, A, never>
) => inTransaction(Effect.gen(steps))

export const column = <A, Name extends keyof A>(rows: Iterable<A>, name: Name): ReadonlyArray<A[Name]> =>
  Array.from(rows, (row) => row[name])

export const columns = <A>(rows: Iterable<A>, ...names: ReadonlyArray<keyof A>) =>
  Array.from(rows, (row): ReadonlyArray<unknown> => names.map((name) => row[name]))

export const sortedBy = <A>(rows: Iterable<A>, name: keyof A): Array<A> =>
  Array.from(rows).sort((a, b) => (a[name] < b[name] ? -1 : 1))

export const allKnown = <A extends object>(answers: ReadonlyArray<A | string>): Effect.Effect<Array<A>> =>
  Effect.forEach(answers, (answer) =>
    typeof answer === "object" ? Effect.succeed(answer) : Effect.die(new Error(answer))
  )

/** Returns "done", or the tag of the error. A defect remains a defect. */
export const outcome = <A, R>(effect: Effect.Effect<A, { readonly _tag: string }, R>) =>
  Effect.match(effect, { onFailure: (error) => error._tag, onSuccess: () => "done" })

export const badEnds = [
  ["fails", Effect.fail("rejected")],
  ["dies", Effect.die("a bug")],
  ["is interrupted", Effect.interrupt]
] as const

export const endsBadly = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<void, never, R> =>
  Effect.map(Effect.exit(effect), (exit) => assertTrue(Exit.isFailure(exit)))

/** Two ways to write: wait for each answer, or send the commit together with the writes (`Transaction.writes`). */
export const waysToWrite: ReadonlyArray<<A, E, R>(writes: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>> = [
  (writes) => writes,
  Transaction.writes
]

/**
 * Asserts that rows from before a time are deleted, oldest first.
 * `put` stores a row with a given time before 1970, and returns an effect that says whether the row still exists.
 */
export const oldRowsAreDeleted = Effect.fnUntraced(function* <E1, R1, E2, R2, E3, R3>(
  put: (at: number, nth: number) => Effect.Effect<Effect.Effect<boolean, E1, R1>, E2, R2>,
  deleteBefore: (before: number, limit: number) => Effect.Effect<number, E3, R3>
) {
  const first = -(yield* Fresh.companyId)
  const rows = yield* Effect.forEach([2, 0, 1, 1, 3], (later, nth) =>
    Effect.map(put(first + later, nth), (isThere) => ({ later, isThere }))
  )
  const left = Effect.map(
    Effect.filter(rows, ({ isThere }) => isThere),
    (found): ReadonlyArray<number> => found.map(({ later }) => later)
  )
  for (const [before, limit, deleted, remaining] of [
    [0, 10, 0, [2, 0, 1, 1, 3]],
    [3, 1, 1, [2, 1, 1, 3]],
    [3, 10, 3, [3]],
    [3, 10, 0, [3]],
    [4, 10, 1, []]
  ] as const) {
    strictEqual(yield* deleteBefore(first + before, limit), deleted)
    deepStrictEqual(yield* left, remaining)
  }
})
