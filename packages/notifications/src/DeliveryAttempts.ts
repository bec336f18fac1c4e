/**
 * The tries to deliver one body, and the sending host's claim. Source: docs/reference/notifications.md#retries.
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

/** Milliseconds until the next try: doubles with `failures` from 1 s to 1 h. `random`, 0 to 1, spreads its upper half. */
export const delay = (failures: number, random: number): number => {
  const ceiling = Math.min(Limits.longestDelayMillis, Limits.shortestDelayMillis * 2 ** Math.min(failures, 30))
  return Math.round(ceiling / 2 + (random * ceiling) / 2)
}

/** Whether a body first rejected at `since` is given up. Source: docs/reference/notifications.md#dead-letters. */
export const isGivenUp = (since: number, now: number): boolean => now - since >= Limits.retryMillis

/**
 * How many of a rejected body's first events are given up at `now`: after three days of rejections, those three days old, or
 * dated over three days ahead by a wrong clock. Source: docs/reference/notifications.md#dead-letters.
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

/** A body not yet accepted: `failures` in a row since `since`, the last one's reason, the next try. Epoch milliseconds. */
export interface Outstanding {
  readonly webhookId: string
  readonly failures: number
  readonly since: number
  readonly nextAt: number
  readonly failure: string | null
}

/** A host's exclusive claim, until a time in epoch milliseconds. */
export interface Lease {
  readonly owner: string
  readonly until: number
}

/** A delivery's state: its current body, and the host that sends it. */
export interface Attempts {
  readonly outstanding: Outstanding | null
  readonly lease: Lease | null
}

/** A time later than `atMost` was written before the clock was set back, and isn't ahead. */
const isAhead = (time: number, now: number, atMost: number): boolean => time > now && time <= now + atMost

/** Whether a host may deliver: no other host does, and a body is due. A claim may last longer, by two clocks' difference. */
export const isFree = ({ lease, outstanding }: Attempts, now: number): boolean =>
  (lease === null || !isAhead(lease.until, now, Limits.claimMillis + Instant.clockSkew)) &&
  (outstanding === null || isDue(outstanding, now))

/** Whether a rejected body's next try is due. */
export const isDue = ({ nextAt }: Pick<Outstanding, "nextAt">, now: number): boolean =>
  !isAhead(nextAt, now, Limits.longestDelayMillis)

/** A host's claim at `now`, longer than one try can take. */
export const lease = (owner: string, now: number): Lease => ({ owner, until: now + Limits.claimMillis })

/** A body first tried at `now`. */
export const first = (webhookId: string, now: number): Outstanding => ({
  webhookId,
  failures: 0,
  since: now,
  nextAt: now,
  failure: null
})

/** A rejected try: the receiver's answer and its time. `random`, from 0 to 1, spreads the next tries. */
export interface Rejection {
  readonly answer: WebhookAnswer
  readonly now: number
  readonly random: number
}

/** The body after a rejected try, with its next time. If the clock was set back, its three days restart at `now`. */
export const rejected = <One extends Outstanding>(outstanding: One, { answer, now, random }: Rejection): One => {
  const failures = outstanding.failures + 1
  const since = Math.min(outstanding.since, now)
  return { ...outstanding, failures, since, nextAt: now + delay(failures, random), failure: reasonOf(answer) }
}

/**
 * The size of the half to send after a rejected try of `count` events; undefined to resend the body. After an invalid body, the
 * half is sent at once and the try doesn't count. Source: docs/reference/notifications.md#rejected-bodies.
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
