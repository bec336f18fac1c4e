import { Bulk, pointer } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Result } from "effect"
import * as FastCheck from "fast-check"
import { prop } from "./prop.ts"

const rejection = { code: "NO", message: "no" }

describe("Bulk", () => {
  prop("counts add up: succeeded and failures are all records", [FastCheck.array(FastCheck.boolean())], ([fates]) => {
    const summary = Bulk.summarize(fates.map((fine) => (fine ? Result.succeed(1) : Result.fail(rejection))))
    strictEqual(summary.total, fates.length)
    strictEqual(summary.succeeded + summary.failures.length, summary.total)
    deepStrictEqual(
      summary.failures.map(({ index }) => index),
      fates.flatMap((fine, index) => (fine ? [] : [index]))
    )
  })

  it("is SUCCESS for all, PARTIAL_SUCCESS for some, FAILED for none", () => {
    strictEqual(Bulk.summarize([Result.succeed(1)]).status, "SUCCESS")
    strictEqual(Bulk.summarize([Result.succeed(1), Result.fail(rejection)]).status, "PARTIAL_SUCCESS")
    strictEqual(Bulk.summarize([Result.fail(rejection)]).status, "FAILED")
  })

  prop(
    "applies the rule to the records that could be read and leaves the other rejections",
    [FastCheck.array(FastCheck.boolean())],
    ([read]) => {
      const outcomes = Bulk.applyToDecoded(
        read.map((fine, at) => (fine ? Result.succeed(at) : Result.fail(rejection))),
        (records) => records.map(({ index, record }) => Result.succeed([index, record]))
      )
      deepStrictEqual(
        outcomes.map((outcome) => (Result.isSuccess(outcome) ? outcome.success : null)),
        read.map((fine, at) => (fine ? [at, at] : null))
      )
    }
  )
})

describe("JSON Pointer", () => {
  it("escapes the characters of the notation", () => {
    strictEqual(pointer([0, "a/b", "c~d"]), "/0/a~1b/c~0d")
    strictEqual(pointer([]), "")
  })
})
