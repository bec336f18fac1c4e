import { qcReasonFrom, qcReasons, qcReasonTo, reasonCrosswalk } from "@crossdock/returns"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Result } from "effect"

describe("The crosswalk of reason codes", () => {
  it("leads from every word of another vocabulary to a reason of ours", () => {
    for (const vocabulary of ["x12", "inspection"] as const) {
      for (const [word, code] of Object.entries(reasonCrosswalk[vocabulary])) {
        strictEqual(Result.getOrThrow(qcReasonFrom(vocabulary, word)).code, code)
      }
    }
  })

  it("and back to the first word of a code, which means the same code", () => {
    for (const { code } of qcReasons) {
      for (const vocabulary of ["x12", "inspection"] as const) {
        const word = qcReasonTo(vocabulary, code)
        if (Result.isSuccess(word)) strictEqual(Result.getOrThrow(qcReasonFrom(vocabulary, word.success)).code, code)
        else deepStrictEqual(word.failure, { _tag: "UnmappedReason", vocabulary: "documents", code: String(code) })
      }
    }
    deepStrictEqual(qcReasonTo("x12", 113), Result.succeed("DA"))
  })

  it("fails with the word when it does not have it", () =>
    deepStrictEqual(qcReasonFrom("x12", "PF"), Result.fail({ _tag: "UnmappedReason", vocabulary: "x12", code: "PF" })))
})
