/**
 * The rejection of a product by what is wrong with it.
 */
import type { Bulk, Violation } from "@crossdock/kernel"

/**
 * The code is that of the first violation; the details contain all of them.
 */
export const rejectionOf = (violations: readonly [Violation, ...ReadonlyArray<Violation>]): Bulk.Rejection => {
  const [{ code, message, path, suggestion }, ...others] = violations
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`
  return {
    code,
    message: `${message}${more}`,
    path,
    details: {
      ...(suggestion === undefined ? {} : { suggestion }),
      ...(others.length === 0 ? {} : { errors: violations })
    }
  }
}
