/** Freezes exported tables: several hosts in one process share them. */

/**
 * The value, with everything in it frozen. Maps and sets stay changeable: export them as read-only types.
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
