/**
 * Shares of an amount by days. The shares of consecutive days always add up to the whole.
 *
 * @example
 * ```ts
 * import { deepStrictEqual, strictEqual } from "node:assert/strict"
 * import { Proration } from "@crossdock/billing"
 *
 * strictEqual(Proration.share(101, 1, 2), 51)
 * const february = { start: Date.UTC(2026, 1, 1), end: Date.UTC(2026, 2, 1) }
 * deepStrictEqual(Proration.split(1_000, february, Date.UTC(2026, 1, 10, 15)), { used: 357, rest: 643 })
 * deepStrictEqual(Proration.byDays(100, 3), [33, 34, 33])
 * ```
 */
import { daysOf, daysUsed, type Period } from "./BillingCalendar.ts"

/** `amount` × `part` / `whole` in whole minor units, with halves rounded away from zero. */
export const share = (amount: number, part: number, whole: number): number => {
  if (whole === 0) return 0
  const [a, p, w] = [BigInt(amount), BigInt(part), BigInt(whole)]
  const twice = 2n * a * p
  return Number((twice + (twice < 0n ? -w : w)) / (2n * w))
}

/**
 * The parts of a period's amount, in minor units, for the days that have begun by `at` and for the rest of its days.
 */
export const split = (amount: number, period: Period, at: number): { readonly used: number; readonly rest: number } => {
  const used = share(amount, daysUsed(period, at), daysOf(period))
  return { used, rest: amount - used }
}

/** The part of each day, in order. Their sum is the amount. */
export const byDays = (amount: number, days: number): ReadonlyArray<number> =>
  Array.from({ length: days }, (_, day) => share(amount, day + 1, days) - share(amount, day, days))
