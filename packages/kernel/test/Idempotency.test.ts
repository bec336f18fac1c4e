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

  it("respects a claim for 25 seconds and an answer for a day", () => {
    strictEqual(verdict({}, now + 24_999), "InFlight")
    strictEqual(verdict({}, now + 25_000), "Proceed")
    strictEqual(verdict({ answer }, now + day - 1), "Replay")
    strictEqual(verdict({ answer }, now + day), "Proceed")
  })

  it("respects a claim for at most 30 seconds when the clock is set back, and still repeats an answer", () => {
    strictEqual(verdict({}, now - 5_000), "InFlight")
    strictEqual(verdict({}, now - 5_001), "Proceed")
    strictEqual(verdict({}, now - day), "Proceed")
    strictEqual(verdict({ answer }, now - day), "Replay")
  })
})
