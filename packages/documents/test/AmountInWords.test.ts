import { describe, it } from "@effect/vitest"
import { assertTrue, strictEqual } from "@effect/vitest/utils"
import * as FastCheck from "fast-check"
import { prop } from "../../kernel/test/prop.ts"
import { AmountInWords } from "../src/index.ts"

const { figures, money, words } = AmountInWords

describe("amounts in figures", () => {
  it("rupees are grouped in lakh and crore, other currencies by thousands", () => {
    strictEqual(figures(12_345_678_901_23, "INR"), "12,34,56,78,901.23")
    strictEqual(figures(99, "INR"), "0.99")
    strictEqual(figures(100_000, "INR"), "1,000.00")
    strictEqual(figures(10_000_000, "INR"), "1,00,000.00")
    strictEqual(figures(12_345_678_901_23, "USD"), "12,345,678,901.23")
    strictEqual(figures(1_234_567, "JPY"), "1,234,567")
    strictEqual(figures(1_234_567, "KWD"), "1,234.567")
    strictEqual(figures(-5, "EUR"), "−0.05")
  })

  it("a currency without a sign shows its code", () => {
    strictEqual(money(100_050, "INR"), "₹1,000.50")
    strictEqual(money(-100_050, "USD"), "−$1,000.50")
    strictEqual(money(100_050, "AED"), "AED 1,000.50")
  })

  prop(
    "figures without their commas are the amount, to the last minor unit",
    [FastCheck.integer({ min: 0, max: 999_999_999_999_999 }), FastCheck.constantFrom("INR", "USD", "JPY", "KWD")],
    ([amount, currency]) => {
      strictEqual(BigInt(figures(amount, currency).replace(/[,.]/g, "")), BigInt(amount))
    }
  )
})

describe("amounts in words", () => {
  it("counts rupees in lakh and crore", () => {
    strictEqual(words(0, "INR"), "Rupees Zero Only")
    strictEqual(words(1_05, "INR"), "Rupees One and Five Paise Only")
    strictEqual(
      words(1_23_456_78, "INR"),
      "Rupees One Lakh Twenty-Three Thousand Four Hundred Fifty-Six and Seventy-Eight Paise Only"
    )
    strictEqual(words(10_00_00_000_00, "INR"), "Rupees Ten Crore Only")
    strictEqual(
      words(999_999_999_999_999, "INR"),
      "Rupees Nine Lakh Ninety-Nine Thousand Nine Hundred Ninety-Nine Crore Ninety-Nine Lakh Ninety-Nine Thousand Nine Hundred Ninety-Nine and Ninety-Nine Paise Only"
    )
  })

  it("counts other currencies in thousands and millions, parts without a name as figures", () => {
    strictEqual(words(123_456_00, "USD"), "US Dollars One Hundred Twenty-Three Thousand Four Hundred Fifty-Six Only")
    strictEqual(words(2_000_000_10, "CHF"), "CHF Two Million and 10/100 Only")
    strictEqual(words(1_001, "JPY"), "Japanese Yen One Thousand One Only")
    strictEqual(words(1_500, "KWD"), "Kuwaiti Dinars One and Five Hundred Fils Only")
    strictEqual(words(-1_00, "EUR"), "Minus Euros One Only")
  })

  const numbers = new Map(
    "Zero One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve Thirteen Fourteen Fifteen Sixteen Seventeen Eighteen Nineteen"
      .split(" ")
      .map((word, value) => [word, BigInt(value)])
  )
  "Twenty Thirty Forty Fifty Sixty Seventy Eighty Ninety".split(" ").forEach((word, nth) => {
    numbers.set(word, BigInt(20 + nth * 10))
  })
  const scales = new Map([
    ["Hundred", 100n],
    ["Thousand", 1000n],
    ["Lakh", 100_000n],
    ["Crore", 10_000_000n],
    ["Million", 1_000_000n],
    ["Billion", 1_000_000_000n],
    ["Trillion", 1_000_000_000_000n]
  ])

  /**
   * Reads words as a person does: a scale multiplies what is smaller before it.
   */
  const read = (text: string): bigint => {
    const stack: Array<bigint> = []
    for (const word of text.split(/[ -]/)) {
      const scale = scales.get(word)
      if (scale === undefined) stack.push(numbers.get(word) ?? -1n)
      else {
        let sum = 0n
        while (stack.length > 0 && (stack.at(-1) ?? scale) < scale) sum += stack.pop() ?? 0n
        stack.push(sum * scale)
      }
    }
    return stack.reduce((a, b) => a + b, 0n)
  }

  prop(
    "words read back are the amount",
    [FastCheck.integer({ min: 0, max: 999_999_999_999_999 }), FastCheck.constantFrom("INR", "USD")],
    ([amount, currency]) => {
      const [, whole = "", part] =
        /^(?:Rupees|US Dollars) (.*?)(?: and (.*) (?:Paise|Cents))? Only$/.exec(words(amount, currency)) ?? []
      assertTrue(whole !== "")
      strictEqual(read(whole) * 100n + (part === undefined ? 0n : read(part)), BigInt(amount))
    }
  )
})
