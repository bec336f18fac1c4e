/**
 * Which answers accept a notification, when a rejected one is sent again, and when it is given up. Source:
 * docs/reference/notifications.md#retries.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { RetrySchedule } from "@crossdock/notifications"
 *
 * const statuses = [200, 302, 503].map((status) => ({ _tag: "Answered", status }) as const)
 * deepStrictEqual(statuses.map(RetrySchedule.isAccepted), [true, false, false])
 * deepStrictEqual([1, 2, 20].map((failures) => RetrySchedule.delay(failures, 1)), [2_000, 4_000, 3_600_000])
 * ```
 */
import { Limits } from "./Limits.ts"

/** The outcome of one try. `reason` is for operators and has no address, secret or body. */
export type Answer =
  | { readonly _tag: "Answered"; readonly status: number }
  | { readonly _tag: "Unanswered"; readonly reason: string }

/**
 * Whether the answer accepts the notification: any 2xx does. Anything else, even a redirect, is tried again. Source:
 * docs/reference/notifications.md#answers.
 */
export const isAccepted = (answer: Answer): boolean =>
  answer._tag === "Answered" && answer.status >= 200 && answer.status <= 299

/** Why a try was not accepted, for operators. It contains no address, secret or body. */
export const reasonOf = (answer: Answer): string =>
  answer._tag === "Answered" ? `answered with status ${answer.status}` : answer.reason

/**
 * Whether the receiver answers that it wants nothing more (410), so that no further try makes sense. Source:
 * docs/reference/events.md#answers.
 */
export const isUnsubscribed = (answer: Answer): boolean => answer._tag === "Answered" && answer.status === 410

/**
 * Whether the receiver answers that the body is too large (413), so that it would reject the same body again. Source:
 * docs/reference/events.md#answers.
 */
export const isTooLarge = (answer: Answer): boolean => answer._tag === "Answered" && answer.status === 413

const invalidStatuses: ReadonlyArray<number> = [400, 413, 422]

/**
 * Whether the receiver answers that the body is invalid (400, 413, 422), so that a part of it may be accepted at once. Source:
 * docs/reference/notifications.md#rejected-bodies.
 */
export const isInvalid = (answer: Answer): boolean =>
  answer._tag === "Answered" && invalidStatuses.includes(answer.status)

/**
 * Milliseconds until the next try after `failures` in a row, at least 1: the delay doubles from 1 s to 1 h. `random`, from 0
 * to 1, spreads the tries over the upper half, so that receivers that failed together are not called together.
 */
export const delay = (failures: number, random: number): number => {
  const ceiling = Math.min(Limits.longestDelayMillis, Limits.shortestDelayMillis * 2 ** Math.min(failures, 30))
  return Math.round(ceiling / 2 + (random * ceiling) / 2)
}

/**
 * Whether a body is given up at `now` that was rejected since `since`: for three days. Source:
 * docs/reference/notifications.md#dead-letters.
 */
export const isGivenUp = (since: number, now: number): boolean => now - since >= Limits.retryMillis

/**
 * How many of a rejected body's events, counted from the first, are given up at `now`: those whose change is at least three
 * days old, once the receiver has rejected for three days. Younger events keep their own three days. An event more than
 * three days in the future was dated by a wrong clock, and is given up too, since it might never come of age. Source:
 * docs/reference/notifications.md#dead-letters.
 */
export const deadCount = (
  events: ReadonlyArray<{ readonly occurredAt: number }>,
  rejectedSince: number,
  now: number
): number => {
  if (!isGivenUp(rejectedSince, now)) return 0
  const young = events.findIndex((event) => Math.abs(now - event.occurredAt) < Limits.retryMillis)
  return young === -1 ? events.length : young
}
