/**
 * The attempts to deliver a body, and the claim of the host that sends it. Source: docs/reference/notifications.md#retries.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { DeliveryAttempts } from "@crossdock/notifications"
 *
 * const answer = { _tag: "Unanswered", reason: "no answer in time" } as const
 * const { failures, nextAt } = DeliveryAttempts.rejected(DeliveryAttempts.first("msg_1", 0), { answer, now: 500, random: 1 })
 * deepStrictEqual([failures, nextAt], [1, 2_500])
 * ```
 */
import { Instant } from "@crossdock/kernel"
import { Limits } from "./Limits.ts"
import { isInvalid, isTooLarge, reasonOf, type WebhookAnswer } from "./WebhookSender.ts"

/**
 * The milliseconds until the next attempt. The limit is 2 s after the first failure, and doubles with each further one, up
 * to 1 h. `random`, between 0 and 1, selects a delay between half of the limit and the limit.
 */
export const delay = (failures: number, random: number): number => {
  const ceiling = Math.min(Limits.longestDelayMillis, Limits.shortestDelayMillis * 2 ** Math.min(failures, 30))
  return Math.round(ceiling / 2 + (random * ceiling) / 2)
}

/** Whether to give up a body that was first rejected at `since`. Source: docs/reference/notifications.md#dead-letters. */
export const isGivenUp = (since: number, now: number): boolean => now - since >= Limits.retryMillis

/**
 * How many of the first events in a rejected body to give up at `now`: none before three days of rejections, and then all
 * before the first that is less than three days old. A time three days ahead, by a wrong clock, counts as old.
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

/** A body that isn't accepted yet, rejected `failures` times in a row since `since`. Times are in epoch milliseconds. */
export interface Outstanding {
  readonly webhookId: string
  readonly failures: number
  readonly since: number
  readonly nextAt: number
  readonly failure: string | null
}

/** A host's exclusive claim, which ends at `until` (epoch milliseconds). */
export interface Lease {
  readonly owner: string
  readonly until: number
}

/** The state of a delivery: its current body, and the claim of the host that sends it. */
export interface Attempts {
  readonly outstanding: Outstanding | null
  readonly lease: Lease | null
}

/** Whether a time is in the future. A time more than `atMost` ahead was written before the clock was set back. */
const isAhead = (time: number, now: number, atMost: number): boolean => time > now && time <= now + atMost

/** Whether a host may deliver: no host has a claim, and a rejected body, if there is one, is due. */
export const isFree = ({ lease, outstanding }: Attempts, now: number): boolean =>
  (lease === null || !isAhead(lease.until, now, Limits.claimMillis + Instant.clockSkew)) &&
  (outstanding === null || isDue(outstanding, now))

/** Whether the next attempt to send a rejected body is due. */
export const isDue = ({ nextAt }: Pick<Outstanding, "nextAt">, now: number): boolean =>
  !isAhead(nextAt, now, Limits.longestDelayMillis)

/** The claim of a host at `now`. It is longer than an attempt can take. */
export const lease = (owner: string, now: number): Lease => ({ owner, until: now + Limits.claimMillis })

/** A body before its first attempt, which is made at `now`. */
export const first = (webhookId: string, now: number): Outstanding => ({
  webhookId,
  failures: 0,
  since: now,
  nextAt: now,
  failure: null
})

/** A rejected attempt: the receiver's answer and its time. `random`, between 0 and 1, spreads the next attempts. */
export interface Rejection {
  readonly answer: WebhookAnswer
  readonly now: number
  readonly random: number
}

/** The body after a rejected attempt, due at its next attempt. Its three days restart if the clock was set back. */
export const rejected = <One extends Outstanding>(outstanding: One, { answer, now, random }: Rejection): One => {
  const failures = outstanding.failures + 1
  const since = Math.min(outstanding.since, now)
  return { ...outstanding, failures, since, nextAt: now + delay(failures, random), failure: reasonOf(answer) }
}

/**
 * The next body after a rejected attempt with `count` events, if only its first half is sent, and the half's `size`.
 * Otherwise undefined. An invalid body isn't counted as a failure. Source: docs/reference/notifications.md#rejected-bodies.
 */
export const halved = <One extends Outstanding>(
  outstanding: One,
  { count, isHalf }: { readonly count: number; readonly isHalf: boolean },
  rejection: Rejection
): { readonly body: One; readonly size: number } | undefined => {
  const { answer, now } = rejection
  if (count === 1 || !(isHalf || outstanding.failures > 0 || isTooLarge(answer))) return undefined
  const next = rejected(outstanding, rejection)
  const body = isInvalid(answer) ? { ...next, failures: Math.max(1, outstanding.failures), nextAt: now } : next
  return { body, size: Math.ceil(count / 2) }
}
