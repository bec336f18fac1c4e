/**
 * Checks a property of an effect on values that fast-check draws.
 */
import { Effect } from "effect"
import * as FastCheck from "fast-check"

/**
 * Logs the value of a failure.
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
