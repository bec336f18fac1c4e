/** Deletes expired rows in small batches, in the background of a host. */
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as BackgroundLoop from "./BackgroundLoop.ts"
import * as Instant from "./Instant.ts"

/**
 * A kind of rows that are kept for a number of days. In one transaction, `remove` deletes about `limit` rows older than a
 * time in epoch milliseconds, oldest first, and returns their number. Several hosts may call it concurrently.
 */
export interface Rule<E, R> {
  readonly name: string
  readonly days: number
  readonly remove: (before: number, limit: number) => Effect.Effect<number, E, R>
}

/** The number of rows that one transaction deletes. It is small, so that other writers don't wait for long. */
export const batchSize = 500

/** Deletes one batch for each rule. Returns true if there may be more expired rows. A failing rule doesn't stop other rules. */
export const pass = <E, R>(rules: ReadonlyArray<Rule<E, R>>): Effect.Effect<boolean, E, R> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const deleted = yield* Effect.forEach(rules, ({ days, name, remove }) =>
      BackgroundLoop.isolated(name, remove(now - days * Instant.dayMillis, batchSize))
    )
    return deleted.some((one) => one._tag === "Some" && one.value > 0)
  })

/** Applies the rules in the background of a host, at its start and then every hour. */
export const layer = <E, R>(
  rules: ReadonlyArray<Rule<E, R>>,
  { every = "1 hour" }: { readonly every?: Duration.Input } = {}
) => BackgroundLoop.layer(BackgroundLoop.run({ name: "retention", every, pass: pass(rules) }))

/**
 * Applies the rules until no expired rows are left, for a host without loops, and returns the failures.
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
