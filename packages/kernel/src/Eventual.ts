/** Functions that an application supplies. Each returns its value, a promise of the value, or an effect. */
import * as Effect from "effect/Effect"

/** A value, a promise of it, or an effect. */
export type Eventual<A> = A | Promise<A> | Effect.Effect<A>

/**
 * The effect of calling the function. The effect dies if the call throws or its promise rejects.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { Eventual } from "@crossdock/kernel"
 * import { Effect } from "effect"
 *
 * const calls = [() => 1, async () => 1, () => Effect.succeed(1)]
 * deepStrictEqual(await Effect.runPromise(Effect.forEach(calls, Eventual.of)), [1, 1, 1])
 * ```
 */
export const of = <A>(call: () => Eventual<A>): Effect.Effect<A> =>
  Effect.suspend(() => {
    const answer = call()
    return Effect.isEffect(answer) ? (answer as Effect.Effect<A>) : Effect.promise(async () => answer as A)
  })
