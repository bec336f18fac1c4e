import { RetrySchedule } from "@crossdock/notifications"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as FastCheck from "fast-check"

const { deadOf, delay, isAccepted, reasonOf, triedFor } = RetrySchedule
const answered = (status: number): RetrySchedule.Answer => ({ _tag: "Answered", status })

describe("RetrySchedule", () => {
  it("any 2xx is taken as accepted and nothing else", () => {
    const statuses = Array.from({ length: 600 }, (_, status) => status)
    deepStrictEqual(
      statuses.filter((status) => isAccepted(answered(status))),
      Array.from({ length: 100 }, (_, i) => 200 + i)
    )
    strictEqual(isAccepted({ _tag: "Unanswered", reason: "no answer in time" }), false)
  })

  it("says why in words for operators", () => {
    strictEqual(reasonOf(answered(503)), "answered with status 503")
    strictEqual(reasonOf({ _tag: "Unanswered", reason: "no answer in time" }), "no answer in time")
  })

  it("the wait doubles from 1 s to 1 h and stays there", () => {
    deepStrictEqual(
      [1, 2, 3, 4, 11, 12, 13, 14, 1000].map((failures) => delay(failures, 0) / 1000),
      [1, 2, 4, 8, 1024, 1800, 1800, 1800, 1800]
    )
    deepStrictEqual(
      [1, 2, 3, 11, 12, 1_000_000].map((failures) => delay(failures, 1) / 1000),
      [2, 4, 8, 2048, 3600, 3600]
    )
  })

  it("every wait is from 1 s to 1 h, whatever the jitter, and jitter never makes it shorter than half", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.integer({ min: 1, max: 10_000 }),
        FastCheck.double({ min: 0, max: 1, noNaN: true }),
        (failures, random) => {
          const wait = delay(failures, random)
          return (
            Number.isSafeInteger(wait) &&
            wait >= 1000 &&
            wait <= 3_600_000 &&
            wait >= Math.floor(delay(failures, 1) / 2)
          )
        }
      )
    )
  })

  it("receivers that failed together are called at different times", () => {
    strictEqual(new Set([0, 0.25, 0.5, 0.75, 1].map((random) => delay(5, random))).size, 5)
  })

  describe("deadOf", () => {
    const now = 10 * triedFor
    const aged = (...ages: ReadonlyArray<number>) => ages.map((age) => ({ occurredAt: now - age }))

    it("three days are 72 hours", () => strictEqual(triedFor, 72 * 3_600_000))

    it("nothing is dead before the receiver has rejected for three days, however old it is", () => {
      strictEqual(deadOf(aged(9 * triedFor), now - triedFor + 1, now), 0)
      strictEqual(deadOf(aged(9 * triedFor), now - triedFor, now), 1)
    })

    it("what is three days old to the millisecond is dead, and what is younger is not", () => {
      strictEqual(deadOf(aged(triedFor + 1, triedFor, triedFor - 1), now - triedFor, now), 2)
      strictEqual(deadOf(aged(triedFor, triedFor), now - triedFor, now), 2)
      strictEqual(deadOf(aged(triedFor - 1, triedFor), now - triedFor, now), 0)
      strictEqual(deadOf([], now - triedFor, now), 0)
    })

    it("a change that the clock was set back before by a little is young, and by more than three days it is dead", () => {
      strictEqual(deadOf(aged(-1), now - triedFor, now), 0)
      strictEqual(deadOf(aged(1 - triedFor), now - triedFor, now), 0)
      strictEqual(deadOf(aged(-triedFor), now - triedFor, now), 1)
    })

    it("a run of rejections shorter than three days kills nothing, and a longer one exactly the old", () => {
      FastCheck.assert(
        FastCheck.property(
          FastCheck.array(FastCheck.integer({ min: 0, max: 2 * triedFor })),
          FastCheck.integer({ min: 0, max: 2 * triedFor }),
          (ages, rejected) => {
            const events = aged(...ages.sort((a, b) => b - a))
            const old = ages.filter((age) => age >= triedFor).length
            assertTrue(deadOf(events, now - rejected, now) === (rejected < triedFor ? 0 : old))
          }
        )
      )
    })
  })
})
