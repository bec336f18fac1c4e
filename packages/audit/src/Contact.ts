/**
 * How a person is named: an e-mail address, a telephone number, or any other name or id. Source:
 * docs/reference/audit.md#personal-data.
 */

import { Text } from "@crossdock/kernel"

/** The digits of a subscriber, which every way to write the number ends with. */
const subscriberDigits = 10

const ipAddress = /^\d{1,3}(\.\d{1,3}){3}$/

/** The most that an international number has, with the prefix 00. */
const longestNumber = 17

/**
 * The same text for every way to write one contact: case and Unicode normalisation don't count, and of a telephone number only
 * its last ten digits do.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { Contact } from "@crossdock/audit"
 *
 * const writings = ["+91 98765-43210", "098765 43210", "tel:+919876543210"]
 * deepStrictEqual([...new Set(writings.map(Contact.folded))], ["9876543210"])
 * deepStrictEqual(Contact.folded(" Asha@Example.com"), "asha@example.com")
 * ```
 */
export const folded = (contact: string): string => {
  const text = Text.folded(contact).trim()
  const number = text.replace(/^tel:/, "")
  const digits = number.replaceAll(/\D/g, "")
  const isNumber =
    digits.length >= subscriberDigits &&
    digits.length <= longestNumber &&
    !/[\p{L}@:]/u.test(number) &&
    !ipAddress.test(number)
  return isNumber ? digits.slice(-subscriberDigits) : text
}
