import { Money, required } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { strictEqual, throws } from "@effect/vitest/utils"

describe("A value that can only be missing through a bug", () => {
  it("is itself, also when it is empty, 0 or false", () => {
    strictEqual(required("", "the text"), "")
    strictEqual(required(0, "the number"), 0)
    strictEqual(required(false, "the flag"), false)
  })

  it("is a defect that says what is missing", () => {
    for (const missing of [undefined, null]) {
      throws(() => required(missing, "the id"), new Error("Invariant violated: the id is missing"))
    }
  })

  it("is the currency of an amount: in an unknown one there is no number and no text", () => {
    const missing = new Error('Invariant violated: the currency "XXX" is missing')
    throws(() => Money.toNumber(100, "XXX"), missing)
    throws(() => Money.toText(100, "XXX"), missing)
  })
})
