/** Names of persons: e-mail addresses, telephone numbers, other ids. Source: docs/reference/audit.md#personal-data. */
import { Text } from "@crossdock/kernel"

/** One form of an e-mail address, name or id, for any case, width and Unicode normalisation. */
export const folded = (contact: string): string => Text.folded(contact).trim()

/** The digits of a subscriber, at the end of every spelling of a number. */
const subscriberDigits = 10

/** Fewer digits are an extension, a floor or the like. */
const minDigits = 5

/** The most digits of an international number, with the prefix 00. */
const maxDigits = 17

const isDigit = (code: number): boolean => /\p{Nd}/u.test(String.fromCodePoint(code))

/** Each script has its ten digits in a row; rows may be adjacent. */
const ascii = (digit: string): string => {
  const code = digit.codePointAt(0) ?? 0
  let zero = code
  while (isDigit(zero - 1)) zero--
  return String((code - zero) % 10)
}

/**
 * The telephone numbers in a field for them, each as its last ten digits (or all of fewer), in any script and with any text
 * around and between. Letters and the signs `#`, `;` and `,` end a number. An e-mail address has none.
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

/** A text's telephone number, in the form of `telephones`; undefined for other texts, such as an id with digits. */
export const telephone = (text: string): string | undefined => {
  const number = folded(text).replace(/^tel:/, "")
  const digits = number.replaceAll(/\P{Nd}/gu, "")
  return [...digits].length > maxDigits || /[\p{L}@:#;,]/u.test(number) || ipAddress.test(number)
    ? undefined
    : telephones(number)[0]
}
