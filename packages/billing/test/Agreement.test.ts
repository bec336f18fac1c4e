import { Agreement, BillingCalendar, BillingCycle } from "@crossdock/billing"
import { present } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { line, oneTime, pending, start, usage } from "./Fixtures.ts"

const { dayMillis } = BillingCalendar
const { accept, billedPeriod, cancel, freeze, intervalOf, lateCredit, statusAt, thaw, unused, use } = Agreement

const made = (agreement: Agreement.Agreement | undefined) => present(agreement, "the agreement after a move")

const active = (changes: Partial<Agreement.Agreement> = {}) => made(accept(pending(changes), start))

/** Its first period, of 28 days, is billed. */
const billed = (changes: Partial<Agreement.Agreement> = {}) =>
  BillingCycle.catchUp(active(changes), start, null).agreement

describe("An agreement", () => {
  it("is billed by the interval of its recurring line, monthly for usage alone, and else once", () => {
    const intervals = [[usage, line({ interval: "year" })], [usage], [oneTime, usage], [oneTime]].map((lines) =>
      intervalOf(pending({ lines }))
    )
    deepStrictEqual(intervals, ["year", "month", "month", undefined])
  })

  it("remembers when it was cancelled", () => {
    strictEqual(cancel(active(), start + 1)?.cancelledAt, start + 1)
  })

  it("expires unconfirmed, but neither after its confirmation nor when it needs none", () => {
    const later = start + 400 * dayMillis
    deepStrictEqual(
      [pending(), active(), pending({ confirmation: null })].map((one) => statusAt(one, later)),
      ["expired", "active", "pending"]
    )
  })

  it("has a last billed period once it was billed by an interval", () => {
    deepStrictEqual([active(), billed(), billed({ lines: [oneTime] })].map(billedPeriod), [
      undefined,
      { start, end: Date.UTC(2026, 1, 28, 10) },
      undefined
    ])
  })

  it("that is billed once is not billed again after it was frozen", () => {
    const frozen = made(freeze(billed({ lines: [oneTime] })))
    strictEqual(thaw(frozen, start + 400 * dayMillis)?.billed, 1)
  })

  it("counts usage while it is active, also none", () => {
    const agreed = active({ lines: [line(), usage] })
    strictEqual(use(agreed, "usage", 0)?.counted, 0)
    strictEqual(use(made(freeze(agreed)), "usage", 1), undefined)
  })

  it("that is replaced credits the unused part of what was paid, and at most of what the period cost", () => {
    const half = start + 14 * dayMillis
    deepStrictEqual(
      [0, 10_000, 30_000, 60_000].map((paid) => unused(billed(), paid, half)),
      [0, 5_000, 15_000, 15_000]
    )
    strictEqual(unused(billed({ credit: 31_000 }), 30_000, half), 16_000)
    strictEqual(unused(made(cancel(billed(), half)), 30_000, half), 0)
  })

  it("that was replaced before its invoice was paid credits the rest once it is", () => {
    const half = start + 14 * dayMillis
    const replaced = made(cancel(billed(), half))
    deepStrictEqual(
      [0, 10_000, 30_000].map((paid) => lateCredit(replaced, paid)),
      [15_000, 10_000, 0]
    )
    strictEqual(lateCredit(billed(), 0), 0)
  })
})
