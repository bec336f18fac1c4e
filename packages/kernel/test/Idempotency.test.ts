import { Idempotency } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"

const now = 1_800_000_000_000
const day = 86_400_000

const record = (more: Partial<Idempotency.IdempotencyRecord>): Idempotency.IdempotencyRecord => ({
  fingerprint: "f",
  owner: "o",
  claimedUntil: now + Idempotency.claimMillis,
  expiresAt: now + Idempotency.answerMillis,
  answer: null,
  ...more
})

const answer = { status: 200, contentType: "application/json", body: "{}" }

const verdict = (more: Partial<Idempotency.IdempotencyRecord>, at = now) =>
  Idempotency.verdictFor(record(more), "f", at)._tag

describe("The verdict on a request with an Idempotency-Key", () => {
  it("is to process the first request, and to reject or answer the next one", () => {
    strictEqual(Idempotency.verdictFor(undefined, "f", now)._tag, "Proceed")
    strictEqual(verdict({}), "InFlight")
    deepStrictEqual(Idempotency.verdictFor(record({ answer }), "f", now), { _tag: "Replay", answer })
    strictEqual(Idempotency.verdictFor(record({}), "other", now)._tag, "Mismatch")
  })

  it("respects a claim for 12 seconds and an answer for a day", () => {
    strictEqual(verdict({}, now + 11_999), "InFlight")
    strictEqual(verdict({}, now + 12_000), "Proceed")
    strictEqual(verdict({ answer }, now + day - 1), "Replay")
    strictEqual(verdict({ answer }, now + day), "Proceed")
  })

  it("respects a claim for at most 17 seconds when the clock is set back, and still repeats an answer", () => {
    strictEqual(verdict({}, now - 5_000), "InFlight")
    strictEqual(verdict({}, now - 5_001), "Proceed")
    strictEqual(verdict({}, now - day), "Proceed")
    strictEqual(verdict({ answer }, now - day), "Replay")
  })
})

describe("The record of an Idempotency-Key", () => {
  const answer = { status: 200, contentType: "application/json", body: "{}" }
  const claimed = { fingerprint: "f", owner: "o", claimedUntil: 100, expiresAt: 1000, answer: null }

  it("lets a new key proceed, and one whose record has expired", () => {
    strictEqual(Idempotency.verdictFor(undefined, "f", 0)._tag, "Proceed")
    strictEqual(Idempotency.verdictFor({ ...claimed, answer }, "f", 1000)._tag, "Proceed")
  })

  it("gives the first answer again", () => {
    deepStrictEqual(Idempotency.verdictFor({ ...claimed, answer }, "f", 999), { _tag: "Replay", answer })
  })

  it("rejects the key for another body, also while the first runs", () => {
    strictEqual(Idempotency.verdictFor({ ...claimed, answer }, "g", 0)._tag, "Mismatch")
    strictEqual(Idempotency.verdictFor(claimed, "g", 0)._tag, "Mismatch")
  })

  it("rejects others while the first runs, until its claim lapses", () => {
    strictEqual(Idempotency.verdictFor(claimed, "f", 99)._tag, "InFlight")
    strictEqual(Idempotency.verdictFor(claimed, "f", 100)._tag, "Proceed")
  })

  it("frees a dead host's claim at once when the clock was set back by more than clocks differ", () => {
    const kept = { ...claimed, claimedUntil: day + Idempotency.claimMillis, expiresAt: day + Idempotency.answerMillis }
    strictEqual(Idempotency.verdictFor(kept, "f", day)._tag, "InFlight")
    strictEqual(Idempotency.verdictFor(kept, "f", day - 5000)._tag, "InFlight")
    strictEqual(Idempotency.verdictFor(kept, "f", 0)._tag, "Proceed")
    strictEqual(Idempotency.verdictFor({ ...kept, answer }, "f", 0)._tag, "Replay")
  })

  it("keeps answers for 24 hours and frees a dead host's claim within 15 seconds", () => {
    strictEqual(Idempotency.answerMillis, 24 * 60 * 60 * 1000)
    strictEqual(Idempotency.claimMillis <= 15_000, true)
  })
})
