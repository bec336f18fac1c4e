/**
 * The kinds of JSON values, in messages.
 */

/**
 * What a JSON value is, for a message that says what was sent in place of what a field takes.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { jsonKind } from "@crossdock/kernel"
 *
 * strictEqual(jsonKind([]), "an array")
 * ```
 */
export const jsonKind = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "an array"
  if (typeof value === "object") return "an object"
  return typeof value === "string" ? "text" : `a ${typeof value}`
}
