/**
 * Global trade item numbers. Source: GS1 General Specifications, 7.9; docs/reference/catalog-rules.md#trade-item-numbers.
 *
 * @example
 * ```ts
 * import { deepStrictEqual, strictEqual } from "node:assert/strict"
 * import { Gtin } from "@crossdock/catalog"
 *
 * strictEqual(String(Gtin.checkDigit("400638133393")), "1")
 * deepStrictEqual(Gtin.check("ean", "4006381333932"), { isValid: false, suggestion: "4006381333931" })
 * ```
 */
import { frozen } from "@crossdock/kernel"

/** The allowed numbers of digits for each type of trade item number. Numbers of other types are the seller's own. */
export const lengths: ReadonlyMap<string, ReadonlyArray<number>> = /* @__PURE__ */ frozen(
  new Map([
    ["ean", [8, 13]],
    ["upc", [12]],
    ["gtin", [8, 12, 13, 14]]
  ])
)

/** The allowed numbers of digits for a type, in any case. The list is empty for a type without rules. */
export const lengthsOf = (type: string): ReadonlyArray<number> => lengths.get(type.toLowerCase()) ?? []

/** The check digit that follows these digits. From the right, the weights of the digits are 3, 1, 3, 1 and so on. */
export const checkDigit = (digits: string): number => {
  let sum = 0
  for (let at = 0; at < digits.length; at++) {
    sum += Number(digits[digits.length - 1 - at]) * (at % 2 === 0 ? 3 : 1)
  }
  return (10 - (sum % 10)) % 10
}

/** Whether a number is valid, and otherwise its correction. Types that aren't in `lengths` have no rules. */
export const check = (type: string, value: string): { readonly isValid: boolean; readonly suggestion?: string } => {
  const allowed = lengthsOf(type)
  if (allowed.length === 0) return { isValid: true }
  if (!allowed.includes(value.length) || !/^\d+$/.test(value)) return { isValid: false }
  const right = value.slice(0, -1) + checkDigit(value.slice(0, -1))
  return right === value ? { isValid: true } : { isValid: false, suggestion: right }
}
