/** Functions of the application's own that a decision can't wait for. */
import * as Predicate from "effect/Predicate"

/**
 * The answer of a function that can't be waited for. It throws `fault` if the answer isn't a valid one, such as a promise,
 * whose rejection then ends no process.
 */
export const immediate = <A>(answer: A, isValid: (answer: A) => boolean, fault: string): A => {
  if (Predicate.isPromiseLike(answer)) answer.then(undefined, () => {})
  else if (isValid(answer)) return answer
  throw new Error(fault)
}
