/** Values whose absence is a bug. */
import * as Option from "effect/Option"

/**
 * The value. Its absence is a bug in our code, so it is a defect: a default such as "" or 0 would be stored or shown.
 *
 * @example
 * ```ts
 * import { required } from "@crossdock/kernel"
 * import { strictEqual, throws } from "node:assert/strict"
 *
 * const ids = ["a"]
 * strictEqual(required(ids[0], "the first id"), "a")
 * throws(() => required(ids[1], "the second id"), /the second id is missing/)
 * ```
 */
export const required = <A>(value: A, what: string): NonNullable<A> =>
  Option.getOrThrowWith(Option.fromNullishOr(value), () => new Error(`Invariant violated: ${what} is missing`))
