/** Indian tax numbers (GSTIN): two digits of the state, the PAN, and three characters that the state assigns. */

/** Whether the text is a GSTIN. Lower case and surrounding blanks are allowed. */
export const isGstin = (text: string): boolean => /^\d{2}[A-Z]{5}\d{4}[A-Z][0-9A-Z]{3}$/i.test(text.trim())

/**
 * The stored form of a number: in capitals, without surrounding blanks. A blank text becomes null.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { Gstin } from "@crossdock/access"
 *
 * deepStrictEqual([" 29abcde1234f1z5", " ", null].map(Gstin.normalized), ["29ABCDE1234F1Z5", null, null])
 * ```
 */
export const normalized = (text: string | null): string | null => {
  const trimmed = text?.trim().toUpperCase() ?? ""
  return trimmed === "" ? null : trimmed
}
