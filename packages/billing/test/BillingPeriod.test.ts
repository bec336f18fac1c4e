import { BillingPeriod } from "@crossdock/billing"
import { Instant, Money } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as FastCheck from "fast-check"

const { dayMillis } = Instant
const { daysOf, daysUsed, indexAt, periodOf, startOf } = BillingPeriod
const day = (text: string) => Date.parse(`${text}T09:30:00.250Z`)
const shown = (millis: number) => new Date(millis).toISOString().slice(0, 10)

describe("The billing calendar", () => {
  it("counts from the anchor and never from the previous period, so that a short month doesn't shorten later ones", () => {
    const months = Array.from({ length: 6 }, (_, n) => shown(startOf(day("2027-12-31"), "month", n)))
    deepStrictEqual(months, ["2027-12-31", "2028-01-31", "2028-02-29", "2028-03-31", "2028-04-30", "2028-05-31"])
    const years = Array.from({ length: 5 }, (_, n) => shown(startOf(day("2028-02-29"), "year", n)))
    deepStrictEqual(years, ["2028-02-29", "2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29"])
  })

  it("keeps the anchor's time of day", () => {
    strictEqual(new Date(startOf(day("2026-01-31"), "month", 1)).toISOString(), "2026-02-28T09:30:00.250Z")
  })

  it("for every anchor day, interval and 20 years: no day is in two periods or in none, and parts add up to the whole", () => {
    for (const interval of ["month", "year"] as const) {
      for (let anchorDay = 1; anchorDay <= 31; anchorDay++) {
        // January has 31 days, so that every anchor day exists.
        const anchor = Date.UTC(2027, 0, anchorDay, 23, 59, 59, 999)
        const count = interval === "month" ? 240 : 20
        let end = anchor
        for (let index = 0; index < count; index++) {
          const period = periodOf(anchor, interval, index)
          strictEqual(period.start, end)
          const days = daysOf(period)
          assertTrue(interval === "month" ? days >= 28 && days <= 31 : days === 365 || days === 366)
          strictEqual((period.end - period.start) % dayMillis, 0)
          for (const [at, expected] of [
            [period.start - 1, index - 1],
            [period.start, index],
            [period.end - 1, index],
            [period.end, index + 1]
          ] as const) {
            strictEqual(indexAt(anchor, interval, at), expected)
          }
          const parts = Array.from(
            { length: days },
            (_, day) => Money.share(99_999, day + 1, days) - Money.share(99_999, day, days)
          )
          strictEqual(parts.length, days)
          strictEqual(
            parts.reduce((a, b) => a + b, 0),
            99_999
          )
          end = period.end
        }
      }
    }
  })

  it("finds the period of a time before and after an anchor in any month", () => {
    for (const interval of ["month", "year"] as const) {
      for (let month = 0; month < 12; month++) {
        const anchor = Date.UTC(2026, month, 31)
        for (let index = -30; index <= 30; index++) {
          const { end, start } = periodOf(anchor, interval, index)
          deepStrictEqual(
            [start - 1, start, end - 1].map((at) => indexAt(anchor, interval, at)),
            [index - 1, index, index]
          )
        }
      }
    }
  })

  it("a day that has begun counts as used", () => {
    const period = periodOf(Date.UTC(2026, 3, 1), "month", 0)
    const hour = 3_600_000
    deepStrictEqual(
      [-hour, 0, 1, dayMillis, dayMillis + 1, 40 * dayMillis].map((after) => daysUsed(period, period.start + after)),
      [0, 0, 1, 1, 2, 30]
    )
  })
})

describe("Proration", () => {
  it("used and rest always add up to the amount", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.integer({ min: 0, max: 999_999_999_999_999 }),
        FastCheck.integer({ min: 0, max: 400 * dayMillis }),
        FastCheck.constantFrom("month" as const, "year" as const),
        (amount, after, interval) => {
          const period = periodOf(Date.UTC(2027, 0, 31), interval, 1)
          const { rest, used } = BillingPeriod.split(amount, period, period.start + after)
          return used + rest === amount && used >= 0 && rest >= 0
        }
      )
    )
  })

  it("rounds halves away from zero, exactly, also where a double could not", () => {
    deepStrictEqual(
      [Money.share(5, 1, 2), Money.share(-5, 1, 2), Money.share(1, 1, 3), Money.share(2, 1, 3)],
      [3, -3, 0, 1]
    )
    strictEqual(Money.share(999_999_999_999_999, 9_999, 10_000), 999_899_999_999_999)
    strictEqual(Money.share(7, 1, 0), 0)
  })
})
