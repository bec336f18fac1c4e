/**
 * Exact money: whole minor units and a currency.
 */
import type * as Brand from "effect/Brand"
import * as Result from "effect/Result"
import type { Rejection } from "./Bulk.ts"
import { exponents } from "./Currency.ts"

/**
 * A whole number of the currency's smallest unit (paise, cents), at most 15 digits, so that every sum of the project
 * stays within what a double holds exactly.
 */
export type MinorUnits = number & Brand.Brand<"@crossdock/kernel/MinorUnits">

/**
 * Marks a whole number that the rules computed as minor units. Amounts from outside go through `fromNumber`, which checks
 * them.
 */
export const minorUnits = (units: number): MinorUnits => units as MinorUnits

/**
 * How many decimals ISO 4217 gives `currency`, or undefined when there is no such currency.
 */
export const exponent = (currency: string): number | undefined =>
  Object.hasOwn(exponents, currency) ? exponents[currency as keyof typeof exponents] : undefined

const significant = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/

/**
 * A JSON number as whole minor units: nothing is rounded. Rejects with `INVALID_CURRENCY`, `TOO_MANY_DECIMALS`, and
 * `INVALID_RECORD` for what has more than 15 significant digits, is no finite number, or comes to more minor units than a
 * double counts. Source: contract, Errors.
 */
export const fromNumber = (amount: number, currency: string): Result.Result<MinorUnits, Rejection> => {
  const decimals = exponent(currency)
  if (decimals === undefined) {
    return reject("INVALID_CURRENCY", `${JSON.stringify(currency)} is not a currency code of ISO 4217`)
  }
  // Most amounts are whole, and need no look at their digits.
  const whole = amount * 10 ** decimals
  if (Number.isInteger(amount) && Number.isSafeInteger(whole) && Math.abs(amount) < 1e15) return exact(whole)
  const parts = significant.exec(String(amount))
  if (parts === null) return reject("INVALID_RECORD", "An amount must be a finite number")
  const [, sign = "", integer = "", fraction = "", power = "0"] = parts
  const shifted = fraction.length - Number(power)
  const digits = (integer + fraction).replace(/^0+/, "")
  if (digits.length > 15 || digits.length - shifted > 15) {
    return reject("INVALID_RECORD", "An amount has at most 15 significant digits")
  }
  if (shifted > decimals) {
    return reject("TOO_MANY_DECIMALS", `${currency} has ${decimals} decimals, ${amount} has more`)
  }
  const minor = Number(`${sign}${digits === "" ? "0" : digits}${"0".repeat(digits === "" ? 0 : decimals - shifted)}`)
  return Number.isSafeInteger(minor)
    ? exact(minor)
    : reject("INVALID_RECORD", `An amount of ${currency} is at most ${toNumber(Number.MAX_SAFE_INTEGER, currency)}`)
}

/** Zero has no sign here. */
const exact = (minor: number) => Result.succeed(minorUnits(minor === 0 ? 0 : minor))

const reject = (code: string, message: string) => Result.fail({ code, message })

/**
 * Minor units as the decimal number that JSON shows: the nearest double, whose shortest text is the exact decimal.
 */
export const toNumber = (minor: number, currency: string): number => minor / 10 ** (exponent(currency) ?? 0)

/**
 * Minor units as decimal text with all the currency's decimals, for documents and messages.
 */
export const toText = (minor: number, currency: string): string =>
  toNumber(minor, currency).toFixed(exponent(currency) ?? 0)
