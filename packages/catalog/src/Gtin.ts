/**
 * Global trade item numbers and their check digits (GS1 General Specifications, 7.9).
 */

/**
 * How many digits each type may have; other types are the seller's own numbers.
 */
export const lengths: Readonly<Record<string, ReadonlyArray<number>>> = {
  ean: [8, 13],
  upc: [12],
  gtin: [8, 12, 13, 14]
}

/**
 * The check digit of the digits before it: weights 3 and 1 from the right.
 */
export const checkDigit = (digits: string): number => {
  let sum = 0
  for (let at = 0; at < digits.length; at++) {
    sum += Number(digits[digits.length - 1 - at]) * (at % 2 === 0 ? 3 : 1)
  }
  return (10 - (sum % 10)) % 10
}

/**
 * Whether a value can be a number of this type, and the one with the right check digit when only that is wrong.
 */
export const judge = (type: string, value: string): { readonly sound: boolean; readonly suggestion?: string } => {
  const name = type.toLowerCase()
  const allowed = Object.hasOwn(lengths, name) ? lengths[name] : undefined
  if (allowed === undefined) return { sound: true }
  if (!allowed.includes(value.length) || !/^\d+$/.test(value)) return { sound: false }
  const right = value.slice(0, -1) + checkDigit(value.slice(0, -1))
  return right === value ? { sound: true } : { sound: false, suggestion: right }
}
