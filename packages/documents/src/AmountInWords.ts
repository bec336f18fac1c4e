/**
 * Amounts in figures and in words, exact to the minor unit.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { AmountInWords } from "@crossdock/documents"
 *
 * strictEqual(AmountInWords.figures(1_234_567_890, "INR"), "1,23,45,678.90")
 * strictEqual(AmountInWords.figures(1_234_567_890, "USD"), "12,345,678.90")
 * strictEqual(AmountInWords.money(-123_450, "INR"), "−₹1,234.50")
 * strictEqual(AmountInWords.words(99_800, "INR"), "Rupees Nine Hundred Ninety-Eight Only")
 * ```
 */
import { Money, required } from "@crossdock/kernel"

const symbols: Readonly<Record<string, string>> = { INR: "₹", USD: "$", EUR: "€", GBP: "£", JPY: "¥" }

/** Groups the digits of a number. Rupees are grouped by lakh and crore (12,34,56,789), and other currencies by thousands. */
const grouped = (digits: string, currency: string): string =>
  currency === "INR" ? digits.replace(/(\d)(?=(\d\d)+\d$)/g, "$1,") : digits.replace(/(\d)(?=(\d{3})+$)/g, "$1,")

const parts = (minor: number, currency: string) => {
  const decimals = required(Money.exponent(currency), `the currency ${JSON.stringify(currency)}`)
  const digits = String(BigInt(Math.abs(minor))).padStart(decimals + 1, "0")
  const at = digits.length - decimals
  return { whole: digits.slice(0, at), fraction: digits.slice(at), isNegative: minor < 0 }
}

/** An amount in minor units as figures without a symbol, such as 1,234.50. Rupees are grouped by lakh and crore. */
export const figures = (minor: number, currency: string): string => {
  const { fraction, isNegative, whole } = parts(minor, currency)
  return `${isNegative ? "−" : ""}${grouped(whole, currency)}${fraction === "" ? "" : `.${fraction}`}`
}

/** An amount in minor units with the symbol or code of its currency, such as ₹1,234.50. */
export const money = (minor: number, currency: string): string => {
  const symbol = symbols[currency] ?? `${currency} `
  const text = figures(minor, currency)
  return text.startsWith("−") ? `−${symbol}${text.slice(1)}` : `${symbol}${text}`
}

const small =
  "Zero One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve Thirteen Fourteen Fifteen Sixteen Seventeen Eighteen Nineteen".split(
    " "
  )
const tens = "- - Twenty Thirty Forty Fifty Sixty Seventy Eighty Ninety".split(" ")

const underHundred = (value: number): string => {
  if (value < 20) return small[value] ?? ""
  const ten = tens[Math.floor(value / 10)] ?? ""
  return value % 10 === 0 ? ten : `${ten}-${small[value % 10]}`
}

type Scale = ReadonlyArray<readonly [bigint, string]>

const western: Scale = [
  [10n ** 15n, "Quadrillion"],
  [10n ** 12n, "Trillion"],
  [10n ** 9n, "Billion"],
  [10n ** 6n, "Million"],
  [1000n, "Thousand"],
  [100n, "Hundred"]
]

const indian: Scale = [
  [10n ** 7n, "Crore"],
  [10n ** 5n, "Lakh"],
  [1000n, "Thousand"],
  [100n, "Hundred"]
]

const inWords = (value: bigint, scale: Scale): string => {
  if (value < 100n) return underHundred(Number(value))
  const [size, name] = scale.find(([least]) => value >= least) ?? [1n, ""]
  const rest = value % size
  return `${inWords(value / size, scale)} ${name}${rest === 0n ? "" : ` ${inWords(rest, scale)}`}`
}

const names: Readonly<Record<string, readonly [string, string]>> = {
  INR: ["Rupees", "Paise"],
  USD: ["US Dollars", "Cents"],
  EUR: ["Euros", "Cents"],
  GBP: ["Pounds Sterling", "Pence"],
  AED: ["UAE Dirhams", "Fils"],
  SAR: ["Saudi Riyals", "Halalas"],
  SGD: ["Singapore Dollars", "Cents"],
  AUD: ["Australian Dollars", "Cents"],
  CAD: ["Canadian Dollars", "Cents"],
  LKR: ["Sri Lankan Rupees", "Cents"],
  NPR: ["Nepalese Rupees", "Paisa"],
  BDT: ["Bangladeshi Taka", "Poisha"],
  PKR: ["Pakistani Rupees", "Paisa"],
  JPY: ["Japanese Yen", ""],
  KWD: ["Kuwaiti Dinars", "Fils"],
  BHD: ["Bahraini Dinars", "Fils"],
  OMR: ["Omani Rials", "Baisa"]
}

/** An amount in minor units in words, rupees in lakh and crore. Fractions without a known name are written as 50/100. */
export const words = (minor: number, currency: string): string => {
  const { fraction, isNegative, whole } = parts(minor, currency)
  const [unit, part] = names[currency] ?? [currency, undefined]
  const scale = currency === "INR" ? indian : western
  const sign = isNegative ? "Minus " : ""
  const partly =
    Number(fraction) === 0
      ? ""
      : part === undefined
        ? ` and ${fraction}/${10 ** fraction.length}`
        : ` and ${inWords(BigInt(fraction), scale)} ${part}`
  return `${sign}${unit} ${inWords(BigInt(whole), scale)}${partly} Only`
}
