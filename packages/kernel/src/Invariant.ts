/** Checks that our code and the application's functions do what they promise. A broken promise is a defect. */
import * as Option from "effect/Option"
import * as Result from "effect/Result"

/**
 * Freezes the value deeply and returns it. Maps and sets can still be changed, so export them as read-only types.
 *
 * @example
 * ```ts
 * import { throws } from "node:assert/strict"
 * import { frozen } from "@crossdock/kernel"
 *
 * const table = frozen({ placed: { confirm: "confirmed" } })
 * throws(() => Object.assign(table.placed, { confirm: "lost" }))
 * ```
 */
export const frozen = <const T>(value: T): T => {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value
  for (const one of Object.values(value)) frozen(one)
  return Object.freeze(value)
}

/**
 * Returns the value, and dies if it is null or undefined, since a default such as 0 would hide the bug.
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
  value ?? Option.getOrThrowWith(Option.none(), () => new Error(`Invariant violated: ${what} is missing`))

/**
 * Returns what an application's function returned if it is valid, else throws `fault`. A promise's rejection is ignored.
 *
 * @example
 * ```ts
 * import { throws } from "node:assert/strict"
 * import { immediate } from "@crossdock/kernel"
 *
 * const isMet = async () => false
 * throws(() => immediate<unknown>(isMet(), (answer) => typeof answer === "boolean", "isMet must return true or false"))
 * ```
 */
export const immediate = <A>(answer: A, isValid: (answer: A) => boolean, fault: string): A => {
  if (isValid(answer)) return answer
  Promise.resolve(answer).catch(() => {})
  return Result.getOrThrow(Result.fail(new Error(fault)))
}
