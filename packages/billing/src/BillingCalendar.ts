/**
 * When billing periods begin: on the anchor's day of each month or year, in UTC.
 */

export type Interval = "month" | "year"

export const dayMillis = 86_400_000

const monthsIn = { month: 1, year: 12 } as const satisfies Record<Interval, number>

/**
 * `end` is where the next period begins.
 */
export interface Period {
  readonly start: number
  readonly end: number
}

const daysInMonth = (year: number, month: number): number => new Date(Date.UTC(year, month + 1, 0)).getUTCDate()

/**
 * The beginning of the period with this index (0 begins at the anchor itself). The day is the anchor's, or the last of a
 * month that is shorter: from 31 January the periods begin on 28 (29) February, 31 March, 30 April …, for it is always
 * counted from the anchor and never from the period before.
 */
export const startOf = (anchor: number, interval: Interval, index: number): number => {
  const date = new Date(anchor)
  const months = date.getUTCFullYear() * 12 + date.getUTCMonth() + index * monthsIn[interval]
  const year = Math.floor(months / 12)
  const month = months - year * 12
  const day = Math.min(date.getUTCDate(), daysInMonth(year, month))
  const timeOfDay = ((anchor % dayMillis) + dayMillis) % dayMillis
  return Date.UTC(year, month, day) + timeOfDay
}

export const periodOf = (anchor: number, interval: Interval, index: number): Period => ({
  start: startOf(anchor, interval, index),
  end: startOf(anchor, interval, index + 1)
})

/**
 * The index of the period that `at` falls in; below 0 before the anchor.
 */
export const indexAt = (anchor: number, interval: Interval, at: number): number => {
  const [from, to] = [new Date(anchor), new Date(at)]
  const months = (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth()
  const guess = Math.floor(months / monthsIn[interval])
  return startOf(anchor, interval, guess) > at ? guess - 1 : guess
}

/**
 * Whole days of a period.
 */
export const daysOf = ({ end, start }: Period): number => Math.round((end - start) / dayMillis)

/**
 * Days of the period that were begun by `at`: a day that has begun counts.
 */
export const daysUsed = (period: Period, at: number): number =>
  Math.min(daysOf(period), Math.max(0, Math.ceil((at - period.start) / dayMillis)))
