import { Money } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual, throws } from "@effect/vitest/utils"
import { Result } from "effect"
import * as FastCheck from "fast-check"
import { prop } from "./prop.ts"

const codeOf = (amount: number, currency: string): string | number =>
  Result.match(Money.fromNumber(amount, currency), { onFailure: ({ code }) => code, onSuccess: (minor) => minor })

describe("Money", () => {
  it("turns decimal numbers into whole minor units without rounding", () => {
    strictEqual(codeOf(10.1, "INR"), 1010)
    strictEqual(codeOf(0.07, "INR"), 7)
    strictEqual(codeOf(1.005, "KWD"), 1005)
    strictEqual(codeOf(100, "JPY"), 100)
    strictEqual(codeOf(100, "INR"), 10_000)
    strictEqual(codeOf(0, "INR"), 0)
    strictEqual(codeOf(1e21, "INR"), "INVALID_RECORD")
    strictEqual(codeOf(1e-7, "INR"), "TOO_MANY_DECIMALS")
    strictEqual(codeOf(-0, "INR"), 0)
  })

  it("rejects more decimals than the currency has", () => {
    strictEqual(codeOf(1.234, "INR"), "TOO_MANY_DECIMALS")
    strictEqual(codeOf(0.5, "JPY"), "TOO_MANY_DECIMALS")
    strictEqual(codeOf(1.2345, "KWD"), "TOO_MANY_DECIMALS")
    strictEqual(codeOf(1e-10, "INR"), "TOO_MANY_DECIMALS")
    strictEqual(codeOf(0.00000123456789012, "INR"), "TOO_MANY_DECIMALS")
  })

  it("minor units that the rules computed are whole, or there is a defect", () => {
    for (const units of [0.5, Number.NaN, Number.POSITIVE_INFINITY]) throws(() => Money.minorUnits(units))
    strictEqual(Money.minorUnits(-7), -7)
  })

  it("rejects what is no currency of ISO 4217", () => {
    for (const currency of ["XXX", "inr", "", "toString", "__proto__"])
      strictEqual(codeOf(1, currency), "INVALID_CURRENCY")
  })

  it("quotes at most 100 characters of what is no currency", () => {
    const { message } = Result.getOrThrow(Result.flip(Money.fromNumber(1, "x".repeat(20_000))))
    assertTrue(message.length < 200, message)
  })

  it("rejects more than 15 significant digits and what is not finite", () => {
    strictEqual(codeOf(9999999999999.99, "INR"), 999999999999999)
    strictEqual(codeOf(999999999999999, "JPY"), 999999999999999)
    strictEqual(codeOf(9007199254740991, "JPY"), "INVALID_RECORD")
    strictEqual(codeOf(1e15, "JPY"), "INVALID_RECORD")
    strictEqual(codeOf(0.1234567890123456, "INR"), "INVALID_RECORD")
    strictEqual(codeOf(999999999999999, "KWD"), "INVALID_RECORD")
    for (const amount of [Number.POSITIVE_INFINITY, Number.NaN]) strictEqual(codeOf(amount, "INR"), "INVALID_RECORD")
  })

  it("is written with all the decimals of its currency", () => {
    deepStrictEqual(
      [
        [101_050, "INR"],
        [7, "KWD"],
        [-5, "JPY"]
      ].map(([minor, currency]) => Money.toText(Number(minor), String(currency))),
      ["1010.50", "0.007", "-5"]
    )
  })

  prop(
    "gives every amount back as the number that JSON showed",
    [
      FastCheck.integer({ min: -999_999_999_999_999, max: 999_999_999_999_999 }),
      FastCheck.constantFrom("INR", "JPY", "KWD", "UYW")
    ],
    ([minor, currency]) => {
      const shown = JSON.parse(JSON.stringify(Money.toNumber(minor, currency)))
      const read = Money.fromNumber(shown, currency)
      assertTrue(Result.isSuccess(read))
      deepStrictEqual(read.success as number, minor === 0 ? 0 : minor)
    }
  )
})

describe("The share of an amount", () => {
  it("that the first parts have is rounded towards 0, and the whole has all of it", () => {
    deepStrictEqual(
      [0, 1, 2, 3].map((part) => Money.cumulativeShare(100, part, 3)),
      [0, 33, 66, 100]
    )
    strictEqual(Money.cumulativeShare(-100, 2, 3), -66)
  })

  it("is exact where a product of numbers would not be", () => {
    strictEqual(
      Money.cumulativeShare(9_007_199_254_740_991, 9_007_199_254_740_989, 9_007_199_254_740_991),
      9_007_199_254_740_989
    )
  })

  it("is 0 of nothing", () => {
    strictEqual(Money.cumulativeShare(100, 0, 0), 0)
  })
})
