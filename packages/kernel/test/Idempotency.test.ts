import { Idempotency } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"

const now = 1_800_000_000_000
const day = 86_400_000

const record = (more: Partial<Idempotency.IdempotencyRecord>): Idempotency.IdempotencyRecord => ({
  fingerprint: "f",
  owner: "o",
  claimedUntil: now + Idempotency.claimHolds,
  expiresAt: now + Idempotency.keptFor,
  answer: null,
  ...more
})

const answer = { status: 200, contentType: "application/json", body: "{}" }

const verdict = (more: Partial<Idempotency.IdempotencyRecord>, at = now) =>
  Idempotency.judge(record(more), "f", at)._tag

describe("What is kept for an Idempotency-Key", () => {
  it("lets the first request go on, and the next one wait for it, or answers it", () => {
    strictEqual(Idempotency.judge(undefined, "f", now)._tag, "Proceed")
    strictEqual(verdict({}), "InFlight")
    deepStrictEqual(Idempotency.judge(record({ answer }), "f", now), { _tag: "Replay", answer })
    strictEqual(Idempotency.judge(record({}), "other", now)._tag, "Mismatch")
  })

  it("holds a claim for 25 seconds, and an answer for a day", () => {
    strictEqual(verdict({}, now + 24_999), "InFlight")
    strictEqual(verdict({}, now + 25_000), "Proceed")
    strictEqual(verdict({ answer }, now + day - 1), "Replay")
    strictEqual(verdict({ answer }, now + day), "Proceed")
  })

  it("holds no claim for longer than 30 seconds from now when the clock is set back, and still answers what was done", () => {
    strictEqual(verdict({}, now - 5_000), "InFlight")
    strictEqual(verdict({}, now - 5_001), "Proceed")
    strictEqual(verdict({}, now - day), "Proceed")
    strictEqual(verdict({ answer }, now - day), "Replay")
  })
})
