import { DeliveryAttempts, Limits } from "@crossdock/notifications"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as FastCheck from "fast-check"

const { deadCount, delay } = DeliveryAttempts
const { retryMillis } = Limits

describe("DeliveryAttempts", () => {
  it("the delay doubles from 1 s to 1 h and stays there", () => {
    deepStrictEqual(
      [1, 2, 3, 4, 11, 12, 13, 14, 1000].map((failures) => delay(failures, 0) / 1000),
      [1, 2, 4, 8, 1024, 1800, 1800, 1800, 1800]
    )
    deepStrictEqual(
      [1, 2, 3, 11, 12, 1_000_000].map((failures) => delay(failures, 1) / 1000),
      [2, 4, 8, 2048, 3600, 3600]
    )
  })

  it("every delay is from 1 s to 1 h, and jitter never makes it shorter than half", () => {
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

  describe("deadCount", () => {
    const now = 10 * retryMillis
    const aged = (...ages: ReadonlyArray<number>) => ages.map((age) => ({ occurredAt: now - age }))

    it("three days are 72 hours", () => strictEqual(retryMillis, 72 * 3_600_000))

    it("no event is given up before the receiver has rejected for three days, however old it is", () => {
      strictEqual(deadCount(aged(9 * retryMillis), now - retryMillis + 1, now), 0)
      strictEqual(deadCount(aged(9 * retryMillis), now - retryMillis, now), 1)
    })

    it("an event that is three days old to the millisecond is given up, and a younger one is not", () => {
      strictEqual(deadCount(aged(retryMillis + 1, retryMillis, retryMillis - 1), now - retryMillis, now), 2)
      strictEqual(deadCount(aged(retryMillis, retryMillis), now - retryMillis, now), 2)
      strictEqual(deadCount(aged(retryMillis - 1, retryMillis), now - retryMillis, now), 0)
      strictEqual(deadCount([], now - retryMillis, now), 0)
    })

    it("a change from before the clock was set back is young, unless it was set back by more than three days", () => {
      strictEqual(deadCount(aged(-1), now - retryMillis, now), 0)
      strictEqual(deadCount(aged(1 - retryMillis), now - retryMillis, now), 0)
      strictEqual(deadCount(aged(-retryMillis), now - retryMillis, now), 1)
    })

    it("rejections for less than three days give nothing up, and for longer exactly the old events", () => {
      FastCheck.assert(
        FastCheck.property(
          FastCheck.array(FastCheck.integer({ min: 0, max: 2 * retryMillis })),
          FastCheck.integer({ min: 0, max: 2 * retryMillis }),
          (ages, rejected) => {
            const events = aged(...ages.sort((a, b) => b - a))
            const old = ages.filter((age) => age >= retryMillis).length
            assertTrue(deadCount(events, now - rejected, now) === (rejected < retryMillis ? 0 : old))
          }
        )
      )
    })
  })
})
