/**
 * A property of an effect, checked on values that fast-check draws.
 */
import { Effect } from "effect"
import * as FastCheck from "fast-check"

/**
 * A failure is logged with its value, which nothing else would tell.
 */
export const onSamples = <A, E, R>(
  arbitrary: FastCheck.Arbitrary<A>,
  count: number,
  check: (value: A) => Effect.Effect<void, E, R>
) =>
  Effect.forEach(
    FastCheck.sample(arbitrary, count),
    (value) => Effect.tapCause(check(value), () => Effect.logError(`With ${JSON.stringify(value)}`)),
    { discard: true }
  )
