/** Deletes expired rows in small batches, in a host's background. */
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as BackgroundLoop from "./BackgroundLoop.ts"
import * as Instant from "./Instant.ts"

/**
 * A kind of rows and the days for which they are kept. In one transaction, `remove` deletes about `limit` rows older than a
 * time in epoch milliseconds, oldest first, and returns their number. Several hosts may call it concurrently.
 */
export interface Rule<E, R> {
  readonly name: string
  readonly days: number
  readonly remove: (before: number, limit: number) => Effect.Effect<number, E, R>
}

/** The rows that one transaction deletes: few, so that no other writer waits for long. */
export const batchSize = 500

/** One batch of each rule; true if more may be left. A failing rule doesn't stop the others. */
export const pass = <E, R>(rules: ReadonlyArray<Rule<E, R>>): Effect.Effect<boolean, E, R> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const deleted = yield* Effect.forEach(rules, ({ days, name, remove }) =>
      BackgroundLoop.isolated(name, remove(now - days * Instant.dayMillis, batchSize))
    )
    return deleted.some((one) => one._tag === "Some" && one.value > 0)
  })

/** Applies the rules in a host's background: at its start, then every hour. */
export const layer = <E, R>(
  rules: ReadonlyArray<Rule<E, R>>,
  { every = "1 hour" }: { readonly every?: Duration.Input } = {}
) => BackgroundLoop.layer(BackgroundLoop.run({ name: "retention", every, pass: pass(rules) }))

/**
 * Applies the rules until nothing is left, for a host without loops. Returns the failures; see `BackgroundLoop.once`.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { Retention } from "@crossdock/kernel"
 * import { Effect } from "effect"
 *
 * const batches = [500, 120, 0]
 * const remove = () => Effect.sync(() => batches.shift() ?? 0)
 * const failed = await Effect.runPromise(Retention.once([{ name: "letters", days: 30, remove }]))
 * deepStrictEqual([failed, batches], [[], []])
 * ```
 */
export const once = <E, R>(rules: ReadonlyArray<Rule<E, R>>): Effect.Effect<ReadonlyArray<string>, never, R> =>
  BackgroundLoop.once({ name: "retention", pass: pass(rules) })
