/**
 * Shares of an amount by days. Shares of neighbouring days always add up to the whole, whatever the days.
 */
import { daysOf, daysUsed, type Period } from "./BillingCalendar.ts"

/**
 * `amount` × `part` / `whole` in whole minor units, halves away from zero.
 */
export const share = (amount: number, part: number, whole: number): number => {
  if (whole === 0) return 0
  const [a, p, w] = [BigInt(amount), BigInt(part), BigInt(whole)]
  const twice = 2n * a * p
  return Number((twice + (twice < 0n ? -w : w)) / (2n * w))
}

/**
 * What of the period's amount is for the days from its beginning to `at`, and what for the rest.
 */
export const split = (amount: number, period: Period, at: number): { readonly used: number; readonly rest: number } => {
  const used = share(amount, daysUsed(period, at), daysOf(period))
  return { used, rest: amount - used }
}

/**
 * What comes to each of the days, in order: their sum is the amount.
 */
export const byDays = (amount: number, days: number): ReadonlyArray<number> =>
  Array.from({ length: days }, (_, day) => share(amount, day + 1, days) - share(amount, day, days))
