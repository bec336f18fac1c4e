/** Texts that identify persons, such as email addresses and telephone numbers. */
import { Text } from "@crossdock/kernel"

/** An email address, name or id in a form to compare, without differences of case, width and Unicode normalization. */
export const folded = (contact: string): string => Text.folded(contact).trim()

/** The number of digits that identify a subscriber. Every spelling of a telephone number ends with these digits. */
const subscriberDigits = 10

/** A text with fewer digits isn't a telephone number. It may be an extension or a floor. */
const minDigits = 5

/** The most digits of an international telephone number, including the prefix 00. */
const maxDigits = 17

const isDigit = (code: number): boolean => /\p{Nd}/u.test(String.fromCodePoint(code))

/** The ASCII digit of a digit in any script, whose ten digits have consecutive codes. */
const ascii = (digit: string): string => {
  const code = digit.codePointAt(0) ?? 0
  let zero = code
  while (isDigit(zero - 1)) zero--
  return String((code - zero) % 10)
}

/**
 * The last ten digits of each telephone number in a contact field. Digits may be in any script and mixed with text.
 * Letters and the characters `#`, `;` and `,` end a number.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { Contact } from "@crossdock/audit"
 *
 * const writings = ["+91 98765-43210", "(0)98765 43210 ext. 5", "tel:+919876543210", "मोबाइल ९८७६५ ४३२१०"]
 * deepStrictEqual([...new Set(writings.flatMap(Contact.telephones))], ["9876543210"])
 * ```
 */
export const telephones = (text: string): ReadonlyArray<string> =>
  text.includes("@")
    ? []
    : text
        .split(/[\p{L}#;,]/u)
        .map((part) => Array.from(part.replaceAll(/\P{Nd}/gu, ""), ascii))
        .filter((digits) => digits.length >= minDigits)
        .map((digits) => digits.slice(-subscriberDigits).join(""))

const ipAddress = /^\d{1,3}(\.\d{1,3}){3}$/

/** The telephone number, as `telephones` returns it, if the text is one. Otherwise undefined. */
export const telephone = (text: string): string | undefined => {
  const number = folded(text).replace(/^tel:/, "")
  const digits = number.replaceAll(/\P{Nd}/gu, "")
  return [...digits].length > maxDigits || /[\p{L}@:#;,]/u.test(number) || ipAddress.test(number)
    ? undefined
    : telephones(number)[0]
}
