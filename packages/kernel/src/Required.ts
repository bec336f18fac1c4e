/** Values that can only be missing through a bug. */
import * as Option from "effect/Option"

/**
 * The value. When it is missing, our own code is wrong: that is a defect, never a default such as "" or 0, which would be
 * stored or shown.
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
