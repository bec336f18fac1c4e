/** Functions of the application's own that a decision can't wait for. */
import * as Result from "effect/Result"

/**
 * A valid answer of such a function. Another one is a fault of the application: the call ends with `fault`, and a promise's
 * rejection ends no process.
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
