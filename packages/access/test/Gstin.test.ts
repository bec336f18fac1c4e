import { Gstin } from "@crossdock/access"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"

describe("A GSTIN", () => {
  it("is two digits, the PAN and three characters, in either case and with any blanks around it", () => {
    for (const text of ["29ABCDE1234F1Z5", "29abcde1234f1z5", " 29ABCDE1234F1Z5\t"])
      strictEqual(Gstin.isGstin(text), true)
    for (const text of [
      "",
      "29ABCDE1234F1Z",
      "29ABCDE1234F1Z55",
      "AAABCDE1234F1Z5",
      "29 ABCDE1234F1Z5",
      "29ABCDE1234F1Z-"
    ])
      strictEqual(Gstin.isGstin(text), false)
  })

  it("is stored trimmed and in capitals, and as null when nothing is left", () => {
    deepStrictEqual([" 29abcde1234f1z5 ", "", "  ", null].map(Gstin.normalized), ["29ABCDE1234F1Z5", null, null, null])
  })
})
