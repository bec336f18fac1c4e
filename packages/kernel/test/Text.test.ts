import { Text } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual } from "@effect/vitest/utils"

// One character of two UTF-16 code units.
const parcel = "\u{1F4E6}"

describe("The length of a text", () => {
  it("counts characters, not code units, at the most", () => {
    deepStrictEqual(
      ["abc", "abcd", parcel.repeat(3), parcel.repeat(4), `${parcel}abc`, "a".repeat(9)].map((text) =>
        Text.isLonger(text, 3)
      ),
      [false, true, false, true, true, true]
    )
  })

  it("and at the least; any text has at least none", () => {
    deepStrictEqual(
      ["abc", "ab", parcel.repeat(3), parcel.repeat(2), ""].map((text) => Text.isShorter(text, 3)),
      [false, true, false, true, true]
    )
    deepStrictEqual(Text.isShorter("", 0), false)
  })
})

describe("A text", () => {
  it("is found in any case, composition and width", () => {
    const writings = ["Café Ω", "CAFÉ Ω", "cafe\u0301 ω", "Ｃａｆé Ω", "café Ω"]
    deepStrictEqual([...new Set(writings.map(Text.folded))], ["café ω"])
    assertTrue(Text.folded("ΟΔΟΣ ΑΒΓ").includes(Text.folded("οδος")))
    assertTrue(Text.folded("ΟΔΟΣΑ").includes(Text.folded("ΟΔΟΣ")))
  })

  it("has tabs and line breaks, and no other control character or half of a surrogate pair", () => {
    const texts = ["a\tb\nc\rd", parcel, "", "a\u0000", "\u007F", "\u0085", "\uD83D", "b\uDCE6"]
    const forbidden = [false, false, false, true, true, true, true, true]
    deepStrictEqual(texts.map(Text.hasForbiddenCharacter), forbidden)
    const permitted = new RegExp(Text.permittedPattern, "u")
    deepStrictEqual(
      texts.map((text) => !permitted.test(text)),
      forbidden
    )
  })
})
