import { Agreement, BillingCycle } from "@crossdock/billing"
import { Instant, required } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { line, oneTime, pending, plan, start, usage } from "./Fixtures.ts"

const { dayMillis } = Instant
const { accept, billedPeriod, cancel, freeze, intervalOf, statusAt, thaw, addUsage } = Agreement

const made = (agreement: Agreement.Agreement | undefined) => required(agreement, "the agreement after a move")

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
    const agreed = billed({ lines: [line(), usage] })
    strictEqual(addUsage(agreed, "usage", 0, null)?.counted, 0)
    strictEqual(addUsage(made(freeze(agreed)), "usage", 1, null), undefined)
  })

  it("of a plan is billed at the plan's present price, in its own currency and interval; no other agreement is", () => {
    const present = { ...plan("ext1", 70_000), currency: "INR" }
    const amounts = (changes: Partial<Agreement.Agreement>, of = present) =>
      Agreement.priced(active({ kind: "plan", ...changes }), of).lines.map(({ amount }) => amount)
    deepStrictEqual(amounts({}), [70_000])
    deepStrictEqual(amounts({ kind: "subscription" }), [30_000])
    deepStrictEqual(amounts({}, { ...present, id: "other" }), [30_000])
    deepStrictEqual(amounts({}, { ...present, currency: "USD" }), [30_000])
    deepStrictEqual(amounts({}, { ...present, interval: "year" }), [30_000])
    deepStrictEqual(Agreement.priced(active({ kind: "plan" }), undefined), active({ kind: "plan" }))
  })
})
