/**
 * Says of a query parameter that was sent more than once that this is its fault, and not its type.
 */
import type { Violation } from "@crossdock/kernel"

/**
 * The violations of a query. `sent` has a list for each parameter that was sent more than once.
 */
export const withRepeated = (
  violations: ReadonlyArray<Violation>,
  sent: Readonly<Record<string, unknown>>
): ReadonlyArray<Violation> =>
  violations.map((one) => {
    const value = sent[one.path.slice(1)]
    return Array.isArray(value)
      ? { path: one.path, code: one.code, message: `is sent ${value.length} times; send it once` }
      : one
  })
