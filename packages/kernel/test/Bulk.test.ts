import { Bulk, Idempotency, pointer } from "@crossdock/kernel"
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

describe("Idempotency", () => {
  const answer = { status: 200, contentType: "application/json", body: "{}" }
  const record = { fingerprint: "f", owner: "o", claimedUntil: 100, expiresAt: 1000, answer: null }

  it("lets a new key proceed, and one whose record has expired", () => {
    strictEqual(Idempotency.verdictFor(undefined, "f", 0)._tag, "Proceed")
    strictEqual(Idempotency.verdictFor({ ...record, answer }, "f", 1000)._tag, "Proceed")
  })

  it("gives the first answer again", () => {
    deepStrictEqual(Idempotency.verdictFor({ ...record, answer }, "f", 999), { _tag: "Replay", answer })
  })

  it("rejects the key for another body, also while the first runs", () => {
    strictEqual(Idempotency.verdictFor({ ...record, answer }, "g", 0)._tag, "Mismatch")
    strictEqual(Idempotency.verdictFor(record, "g", 0)._tag, "Mismatch")
  })

  it("rejects others while the first runs, until its claim lapses", () => {
    strictEqual(Idempotency.verdictFor(record, "f", 99)._tag, "InFlight")
    strictEqual(Idempotency.verdictFor(record, "f", 100)._tag, "Proceed")
  })

  const day = 86_400_000

  it("frees a dead host's claim at once when the clock was set back by more than clocks differ", () => {
    const kept = { ...record, claimedUntil: day + Idempotency.claimMillis, expiresAt: day + Idempotency.answerMillis }
    strictEqual(Idempotency.verdictFor(kept, "f", day)._tag, "InFlight")
    strictEqual(Idempotency.verdictFor(kept, "f", day - 5000)._tag, "InFlight")
    strictEqual(Idempotency.verdictFor(kept, "f", 0)._tag, "Proceed")
    strictEqual(Idempotency.verdictFor({ ...kept, answer }, "f", 0)._tag, "Replay")
  })

  it("keeps answers for 24 hours and frees a dead host's claim within 30 seconds", () => {
    strictEqual(Idempotency.answerMillis, 24 * 60 * 60 * 1000)
    strictEqual(Idempotency.claimMillis <= 30_000, true)
  })
})
