import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Result } from "effect"
import * as FastCheck from "fast-check"
import { processorMillis } from "../../kernel/test/processorMillis.ts"
import { prop } from "../../kernel/test/prop.ts"
import * as Body from "../src/internal/Body.ts"

/**
 * Bodies of about `size` characters that an attacker might try.
 */
const shapes: Readonly<Record<string, (size: number) => string>> = {
  "zeros between two ones": (size) => `[1${"0".repeat(size)}1]`,
  "zeros before a one": (size) => `[0.${"0".repeat(size)}1]`,
  "zeros behind a point, then a one": (size) => `[1.${"0".repeat(size)}1]`,
  "runs of zeros and ones": (size) => `[1${"0001".repeat(size / 4)}]`,
  "zeros alone": (size) => `[1${"0".repeat(size)}]`,
  "a number that breaks off at its exponent": (size) => `[1${"0".repeat(size)}e]`,
  "an exponent of zeros": (size) => `[1e${"0".repeat(size)}1]`,
  "many short numbers": (size) => `[${"1,".repeat(size / 2)}1]`,
  "many long numbers": (size) => `[${`${"1".repeat(20)},`.repeat(size / 21)}1]`,
  "signs and points": (size) => `[${"-.+".repeat(size / 3)}]`,
  "backslashes in a string": (size) => `["${"\\\\".repeat(size / 2)}"]`,
  "escaped quotes": (size) => `["${'\\"'.repeat(size / 2)}"]`,
  "a string without an end": (size) => `["${"\\".repeat(size)}`,
  "quotes alone": (size) => '"'.repeat(size),
  "keys that look forbidden": (size) => `[${'"\\u005f",'.repeat(size / 9)}1]`,
  "brackets in turn": (size) => "[]".repeat(size / 2),
  "white space": (size) => `[${" ".repeat(size)}1]`
}

const millis = (text: string): number => {
  const times = [0, 1, 2].map(() => {
    const began = processorMillis()
    Body.parseJson(text)
    return processorMillis() - began
  })
  return Math.min(...times)
}

describe("JSON text", () => {
  it.each(Object.entries(shapes))("of %s is parsed in time linear in its length", (_, shape) => {
    const [small, large] = [millis(shape(8_000)), millis(shape(128_000))]
    // Sixteen times the text: quadratic time would take 256 times as long. Less than half a millisecond is noise.
    assertTrue(large < 48 * Math.max(small, 0.5), `${small} ms, then ${large} ms`)
  })

  prop(
    "loses a number when its value has more than 15 significant digits, and only then",
    [
      FastCheck.stringMatching(/^0{0,3}[0-9]{0,18}0{0,3}$/),
      FastCheck.option(FastCheck.stringMatching(/^[0-9]{1,18}0{0,3}$/)),
      FastCheck.boolean()
    ],
    ([whole, fraction, negative]) => {
      const integer = String(BigInt(`0${whole}`))
      const literal = `${negative ? "-" : ""}${integer}${fraction === null ? "" : `.${fraction}`}`
      const significant = `${integer}${fraction ?? ""}`.replace(/^0+/, "").replace(/0+$/, "").length
      const isSafe = fraction === null && Number.isSafeInteger(Number(literal))
      const read = Result.getOrThrow(Body.parseJson(literal))
      strictEqual(read, significant <= 15 || isSafe ? Number(literal) : Number.POSITIVE_INFINITY)
    }
  )

  it("replaces a number that a double can't represent with Infinity, in its place", () => {
    deepStrictEqual(Result.getOrThrow(Body.parseJson(`{"a": [1, 1${"0".repeat(400)}1, "1e999"], "b": 1e-400}`)), {
      a: [1, Number.POSITIVE_INFINITY, "1e999"],
      b: Number.POSITIVE_INFINITY
    })
  })
})

describe("the place where a text stops being JSON", () => {
  it("is named by line and column, with the character that can't be there and what to do about it", () => {
    deepStrictEqual(
      [
        "",
        '[{"orderId": ',
        '{"a": 1,}',
        "[1,\n 2,\n x]",
        '{"a" 1}',
        "{a: 1}",
        "[1 2]",
        "[]]",
        '"a\nb"',
        '["a\\x"]',
        '"abc',
        "[01]",
        "[1.]",
        "nul",
        "😀",
        "<order/>",
        "[{'sku': 'A'}]",
        '{"a": True}',
        "[NaN]",
        '{"a": 1 "b": 2}',
        '{"a": 1} // one'
      ].map(Body.jsonFault),
      [
        "unexpected end at line 1, column 1. It ends too early: send the rest.",
        "unexpected end at line 1, column 14. It ends too early: send the rest.",
        'unexpected "}" at line 1, column 9. Remove the comma before it.',
        'unexpected "x" at line 3, column 2. Put keys and text in double quotes; only true, false and null have none.',
        'unexpected "1" at line 1, column 6. Correct it there.',
        'unexpected "a" at line 1, column 2. Put keys and text in double quotes; only true, false and null have none.',
        'unexpected "2" at line 1, column 4. Correct it there.',
        'unexpected "]" at line 1, column 3. Add the value before it, or remove it.',
        'unexpected "\\n" at line 1, column 3. Correct it there.',
        'unexpected "\\\\" at line 1, column 4. Correct it there.',
        "unexpected end at line 1, column 5. It ends too early: send the rest.",
        'unexpected "1" at line 1, column 3. Correct it there.',
        'unexpected "." at line 1, column 3. Correct it there.',
        'unexpected "n" at line 1, column 1. Put keys and text in double quotes; only true, false and null have none.',
        'unexpected "😀" at line 1, column 1. Correct it there.',
        'unexpected "<" at line 1, column 1. This is XML or HTML: send JSON.',
        `unexpected "'" at line 1, column 3. JSON takes double quotes, as in {"sku": "A1"}.`,
        'unexpected "T" at line 1, column 7. JSON writes true, false and null in lower case.',
        'unexpected "N" at line 1, column 2. JSON has no such number: send null, or leave the field out.',
        'unexpected "\\"" at line 1, column 9. Put a comma or a colon before it.',
        'unexpected "/" at line 1, column 10. JSON has no comments: remove it.'
      ]
    )
    strictEqual(
      Body.jsonFault(`["${"a".repeat(5_000_000)}`),
      "unexpected end at line 1, column 5,000,003. It ends too early: send the rest."
    )
  })

  it("is the end of a text that was cut short, wherever it was cut", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.json(), FastCheck.nat(), (json, at) => {
        const cut = `[${json}]`.slice(0, 1 + (at % (json.length + 1)))
        try {
          JSON.parse(cut)
        } catch {
          const isInScalar = /(?:[-+.eEu\\]|\\u[0-9a-f]{0,3}|t|tr|tru|f|fa|fal|fals|n|nu|nul)$/.test(cut)
          if (!isInScalar) strictEqual(Body.jsonFault(cut).startsWith("unexpected end"), true, cut)
        }
      })
    )
  })
})
