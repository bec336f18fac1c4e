/** Exact money, in whole minor units of a currency. Source: docs/reference/requests.md#money. */
import type * as Brand from "effect/Brand"
import * as Result from "effect/Result"
import type { Rejection } from "./Bulk.ts"
import { frozen, required } from "./Invariant.ts"

const currenciesByDecimals = {
  0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
  2: "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG",
  3: "BHD IQD JOD KWD LYD OMR TND",
  4: "CLF UYW"
} as const

const exponents: ReadonlyMap<string, number> = /* @__PURE__ */ new Map(
  /* @__PURE__ */ Object.entries(currenciesByDecimals).flatMap(([count, codes]) =>
    codes.split(" ").map((code) => [code, Number(count)] as const)
  )
)

/** A whole number of a currency's smallest unit, at most 2^53 − 1. Sums are at most `largestTotal`. */
export type MinorUnits = number & Brand.Brand<"@crossdock/kernel/MinorUnits">

/** Marks a computed whole number as minor units, and throws for a fraction. Amounts from outside need `fromNumber`. */
export const minorUnits = (units: number): MinorUnits => Number(BigInt(units)) as MinorUnits

/** The number of decimals that ISO 4217 gives a currency. The result is undefined for an unknown currency. */
export const exponent = (currency: string): number | undefined => exponents.get(currency)

/** Dies for an unknown currency, since a default of 0 decimals could make amounts a hundred times too large. */
const decimals = (currency: string): number =>
  exponents.get(currency) ?? required(undefined, `the currency ${JSON.stringify(currency)}`)

/** All currency codes, sorted by their number of decimals. */
export const currencies: ReadonlyArray<string> = /* @__PURE__ */ frozen([...exponents.keys()])

/** The largest sum in minor units. It has 15 digits, which a JSON number represents exactly in all currencies. */
export const largestTotal = 999_999_999_999_999

const significant = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/

/**
 * Converts a JSON number to whole minor units, without rounding. It rejects with `INVALID_CURRENCY`, `TOO_MANY_DECIMALS`, or
 * `INVALID_RECORD` if the number isn't finite, has over 15 significant digits or is too large.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { Money } from "@crossdock/kernel"
 * import * as Result from "effect/Result"
 *
 * deepStrictEqual(Money.fromNumber(10.1, "INR"), Result.succeed(1010))
 * ```
 */
export const fromNumber = (amount: number, currency: string): Result.Result<MinorUnits, Rejection> => {
  const known = exponent(currency)
  if (known === undefined)
    return reject(
      "INVALID_CURRENCY",
      `${JSON.stringify(currency.slice(0, 100))} is not a currency. Send a code of ISO 4217, such as INR.`
    )
  // Most amounts are whole, so their digits needn't be checked.
  const whole = amount * 10 ** known
  if (Number.isInteger(amount) && Number.isSafeInteger(whole) && Math.abs(amount) < 1e15) return exact(whole)
  const parts = significant.exec(String(amount))
  if (parts === null) return reject("INVALID_RECORD", "The amount is not a number. Send a finite number.")
  const [, sign = "", integer = "", fraction = "", power = "0"] = parts
  const shifted = fraction.length - Number(power)
  const digits = (integer + fraction).replace(/^0+/, "")
  if (digits.length > 15 || digits.length - shifted > 15)
    return reject("INVALID_RECORD", `The amount ${amount} has more than 15 significant digits. Send at most 15.`)
  if (shifted > known)
    return reject(
      "TOO_MANY_DECIMALS",
      `The amount ${amount} has too many decimals: ${currency} has ${known}. Round it before you send it.`
    )
  const minor = Number(`${sign}${digits}${"0".repeat(known - shifted)}`)
  return Number.isSafeInteger(minor)
    ? exact(minor)
    : reject(
        "INVALID_RECORD",
        `The amount ${amount} is too large. Send at most ${toNumber(Number.MAX_SAFE_INTEGER, currency)} ${currency}.`
      )
}

/** Accepts the amount, with -0 replaced by 0. */
const exact = (minor: number) => Result.succeed((minor === 0 ? 0 : minor) as MinorUnits)

const reject = (code: string, message: string) => Result.fail({ code, message })

/** Minor units as a decimal amount: the nearest double, whose shortest text is exact. Dies for an unknown currency. */
export const toNumber = (minor: number, currency: string): number => minor / 10 ** decimals(currency)

/** Minor units as text with all the currency's decimals, for documents and messages. Dies for an unknown currency. */
export const toText = (minor: number, currency: string): string => toNumber(minor, currency).toFixed(decimals(currency))

/**
 * `amount` × `part` / `whole`, rounded down. All are whole numbers from 0, and `part` is at most `whole`.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { Money } from "@crossdock/kernel"
 *
 * deepStrictEqual([1, 2, 3].map((units) => Money.cumulativeShare(100, units, 3)), [33, 66, 100])
 * ```
 */
export const cumulativeShare = (amount: number, part: number, whole: number): number =>
  whole === 0 ? 0 : Number((BigInt(amount) * BigInt(part)) / BigInt(whole))

/** `amount` × `part` / `whole` in whole minor units. Halves are rounded away from zero. */
export const share = (amount: number, part: number, whole: number): number => {
  if (whole === 0) return 0
  const [a, p, w] = [BigInt(amount), BigInt(part), BigInt(whole)]
  const twice = 2n * a * p
  return Number((twice + (twice < 0n ? -w : w)) / (2n * w))
}
