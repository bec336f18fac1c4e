import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as FastCheck from "fast-check"
import * as JsonFault from "../src/internal/JsonFault.ts"

describe("the place where a text stops being JSON", () => {
  it("is named by line and column, with the character that can't be there", () => {
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
        "😀"
      ].map(JsonFault.describe),
      [
        "unexpected end at line 1, column 1",
        "unexpected end at line 1, column 14",
        'unexpected "}" at line 1, column 9',
        'unexpected "x" at line 3, column 2',
        'unexpected "1" at line 1, column 6',
        'unexpected "a" at line 1, column 2',
        'unexpected "2" at line 1, column 4',
        'unexpected "]" at line 1, column 3',
        'unexpected "\\n" at line 1, column 3',
        'unexpected "\\\\" at line 1, column 4',
        "unexpected end at line 1, column 5",
        'unexpected "1" at line 1, column 3',
        'unexpected "." at line 1, column 3',
        'unexpected "n" at line 1, column 1',
        'unexpected "😀" at line 1, column 1'
      ]
    )
    strictEqual(JsonFault.describe(`["${"a".repeat(5_000_000)}`), "unexpected end at line 1, column 5,000,003")
  })

  it("is the end of a text that was cut short, wherever it was cut", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.json(), FastCheck.nat(), (json, at) => {
        const cut = `[${json}]`.slice(0, 1 + (at % (json.length + 1)))
        try {
          JSON.parse(cut)
        } catch {
          const isInScalar = /(?:[-+.eEu\\]|\\u[0-9a-f]{0,3}|t|tr|tru|f|fa|fal|fals|n|nu|nul)$/.test(cut)
          if (!isInScalar) strictEqual(JsonFault.describe(cut).startsWith("unexpected end"), true, cut)
        }
      })
    )
  })
})
