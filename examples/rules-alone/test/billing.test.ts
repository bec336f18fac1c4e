/** Billing: the start of a period, its price, and the shares of an amount by days. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict"
import { Agreement, BillingCycle, BillingPeriod } from "@crossdock/billing"
import { line, pendingSubscription } from "@crossdock/billing/testing"
import { describe, it } from "vitest"

const day = (text: string) => Date.parse(`${text}T00:00:00Z`)
const shown = (millis: number) => new Date(millis).toISOString().slice(0, 10)

describe("A billing period", () => {
  it("begins on the anchor's day; a short month doesn't shorten the next", () => {
    const starts = [0, 1, 2, 3].map((index) => BillingPeriod.startOf(day("2026-01-31"), "month", index))
    deepStrictEqual(starts.map(shown), ["2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30"])
  })

  it("of a leap day's yearly plan begins on 28 February until the next leap year", () => {
    const starts = [1, 4].map((index) => BillingPeriod.startOf(day("2028-02-29"), "year", index))
    deepStrictEqual(starts.map(shown), ["2029-02-28", "2032-02-29"])
  })
})

describe("A part of a period", () => {
  it("charges each day that has begun, and loses no minor unit", () => {
    const june = BillingPeriod.periodOf(day("2026-06-01"), "month", 0)
    deepStrictEqual(BillingPeriod.split(10_000, june, day("2026-06-11")), { used: 3_333, rest: 6_667 })
    deepStrictEqual(BillingPeriod.split(10_000, june, day("2026-06-11") + 1), { used: 3_667, rest: 6_333 })
  })
})

describe("A subscription", () => {
  const subscription = pendingSubscription({ lines: [line({ amount: 30_000 })] })
  const accepted = Agreement.accept(subscription, day("2026-01-31"))
  const gst = { name: "GST", hundredths: 1_800 }

  it("is billed at the beginning of each period, with tax", () => {
    ok(accepted)
    const { agreement, drafts } = BillingCycle.catchUp(accepted, day("2026-03-31"), gst)
    deepStrictEqual(
      drafts.map(({ period, total }) => [shown(period.start), total]),
      [
        ["2026-01-31", 35_400],
        ["2026-02-28", 35_400],
        ["2026-03-31", 35_400]
      ]
    )
    strictEqual(shown(BillingCycle.dueAt(agreement) ?? 0), "2026-04-30")
  })

  it("is billed once, however often the run starts", () => {
    const now = day("2026-02-01")
    ok(accepted)
    deepStrictEqual(BillingCycle.catchUp(BillingCycle.catchUp(accepted, now, gst).agreement, now, gst).drafts, [])
  })
})
