/**
 * Billing periods. They begin on the anchor's day of each month or year, in UTC. Times are in epoch milliseconds.
 * Source: docs/reference/billing.md#periods.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { BillingPeriod } from "@crossdock/billing"
 *
 * strictEqual(BillingPeriod.startOf(Date.UTC(2026, 0, 31), "month", 1), Date.UTC(2026, 1, 28))
 * strictEqual(BillingPeriod.startOf(Date.UTC(2026, 0, 31), "month", 2), Date.UTC(2026, 2, 31))
 * ```
 */
import { Instant, Money } from "@crossdock/kernel"

/** The length of a billing period. */
export type Interval = "month" | "year"

const monthsIn = { month: 1, year: 12 } as const satisfies Record<Interval, number>

/** A billing period. Its `end` is the start of the next period. */
export interface Period {
  readonly start: number
  readonly end: number
}

const daysInMonth = (year: number, month: number): number => new Date(Date.UTC(year, month + 1, 0)).getUTCDate()

/** The start of the period with this index. It is on the anchor's day of the month, or on the last day of a shorter month. */
export const startOf = (anchor: number, interval: Interval, index: number): number => {
  const date = new Date(anchor)
  // If the month is before January or after December, `Date.UTC` changes the year.
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + index * monthsIn[interval]]
  const day = Math.min(date.getUTCDate(), daysInMonth(year, month))
  const timeOfDay = ((anchor % Instant.dayMillis) + Instant.dayMillis) % Instant.dayMillis
  return Date.UTC(year, month, day) + timeOfDay
}

export const periodOf = (anchor: number, interval: Interval, index: number): Period => ({
  start: startOf(anchor, interval, index),
  end: startOf(anchor, interval, index + 1)
})

/** The index of the period that contains `at`. It is negative before the anchor. */
export const indexAt = (anchor: number, interval: Interval, at: number): number => {
  const [from, to] = [new Date(anchor), new Date(at)]
  const months = (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth()
  const guess = Math.floor(months / monthsIn[interval])
  return startOf(anchor, interval, guess) > at ? guess - 1 : guess
}

export const daysOf = ({ end, start }: Period): number => Math.round((end - start) / Instant.dayMillis)

/** The number of a period's days that have begun by `at`, from 0 to all of them. */
export const daysUsed = (period: Period, at: number): number =>
  Math.min(daysOf(period), Math.max(0, Math.ceil((at - period.start) / Instant.dayMillis)))

/** Splits an amount of a period, in minor units, between the days that have begun by `at` and the remaining days. */
export const split = (amount: number, period: Period, at: number): { readonly used: number; readonly rest: number } => {
  const used = Money.share(amount, daysUsed(period, at), daysOf(period))
  return { used, rest: amount - used }
}
