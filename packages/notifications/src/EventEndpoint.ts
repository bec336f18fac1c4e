/**
 * An endpoint of a company's backend, and the pure functions that change it. A repeated attempt has the same events and
 * the same webhook id, and no event overtakes another. Source: docs/reference/events.md#webhooks.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { EventEndpoint } from "@crossdock/notifications"
 * import { endpoint } from "@crossdock/notifications/testing"
 *
 * const erp = endpoint()
 * const event = { companyId: erp.companyId, number: 13, change: 5, at: 0, type: "order.placed", version: 1, data: {} }
 * const sent = { events: [event], reach: event.number, letter: null }
 * const claimed = EventEndpoint.claim(erp, sent, { owner: "host-1", webhookId: "msg_1", now: 0 })
 * strictEqual(EventEndpoint.accepted(claimed, sent).cursor, 13)
 * ```
 */
import type { CompanyEvent } from "@crossdock/audit"
import { type CompanyId, type StaleWrite, type Stored, Text } from "@crossdock/kernel"
import type { StoredWebhook } from "@crossdock/marketplaces"
import * as Context from "effect/Context"
import * as DeliveryAttempts from "./DeliveryAttempts.ts"
import { Limits } from "./Limits.ts"
import { isInvalid, isTooLarge } from "./WebhookSender.ts"

/** The key of an endpoint. The caller chooses the `id`, such as `erp`. */
export interface EndpointKey {
  readonly companyId: CompanyId
  readonly id: string
}

/** The reason why an endpoint is paused. After `out_of_range`, read the current data and continue after `resumeAfter`. */
export type Pause =
  | { readonly reason: "disabled" }
  | { readonly reason: "unsubscribed" }
  | { readonly reason: "out_of_range"; readonly resumeAfter: number }

/** The events up to number `upTo`, or those of a dead letter, that were sent and aren't accepted yet. */
export interface Outstanding extends DeliveryAttempts.Outstanding {
  readonly upTo: number
}

/**
 * An endpoint of a backend. If `types` is null, it receives all types. `maxBytes` limits a body with several events, and
 * a 413 lowers it. `resending` are the ids of dead letters to resend. `invalid` is the number of invalid events since
 * events were last accepted. `version` is 0 before the endpoint is stored, and each write adds 1.
 */
export interface EventEndpoint extends EndpointKey, DeliveryAttempts.Attempts {
  readonly webhook: StoredWebhook.StoredWebhook
  readonly types: ReadonlyArray<string> | null
  readonly cursor: number
  readonly paused: Pause | null
  readonly resending: ReadonlyArray<string>
  readonly maxBytes: number
  readonly invalid: number
  readonly outstanding: Outstanding | null
  readonly version: number
}

/** Events that were given up. `id` is their webhook id. Source: docs/reference/events.md#dead-letters. */
export interface EventDeadLetter {
  readonly companyId: CompanyId
  readonly endpoint: string
  readonly id: string
  readonly events: ReadonlyArray<CompanyEvent.CompanyEvent>
  readonly failures: number
  readonly since: number
  readonly at: number
  readonly failure: string
}

/** The key of an endpoint as text, for fibers and logs. */
export const endpointName = ({ companyId, id }: EndpointKey): string => `${companyId} ${id}`

/** The place of an endpoint's webhook, for encryption. See `StoredWebhook.placeOf`. */
export const placeOf = ({ companyId, id }: EndpointKey): string => JSON.stringify(["event endpoint", companyId, id])

/** An endpoint before its first attempt. */
export const fresh = (
  { companyId, id }: EndpointKey,
  { cursor, types, webhook }: Pick<EventEndpoint, "cursor" | "types" | "webhook">
): EventEndpoint => ({
  companyId,
  id,
  webhook,
  types,
  cursor,
  paused: null,
  resending: [],
  maxBytes: Limits.eventBatchBytes,
  invalid: 0,
  outstanding: null,
  lease: null,
  version: 0
})

/** The content of an attempt. `reach` is the cursor after it is accepted, and `letter` the id of a resent dead letter. */
export interface Sent {
  readonly events: ReadonlyArray<CompanyEvent.CompanyEvent>
  readonly reach: number
  readonly letter: string | null
}

const textOf = ({ at, change, companyId, data, number, type, version }: CompanyEvent.CompanyEvent): string =>
  JSON.stringify({ companyId, number, change, at, type, version, data })

/** The body of a webhook, which is a JSON array. Equal events have equal bodies. See docs/reference/events.md#requests. */
export const bodyOf = (events: ReadonlyArray<CompanyEvent.CompanyEvent>): string => `[${events.map(textOf).join(",")}]`

/** The endpoint after `owner` claimed it to send. `webhookId` is for events of the feed that are sent for the first time. */
export const claim = (
  endpoint: EventEndpoint,
  { letter, reach }: Sent,
  { now, owner, webhookId }: { readonly owner: string; readonly webhookId: string; readonly now: number }
): EventEndpoint & { readonly outstanding: Outstanding } => ({
  ...endpoint,
  lease: DeliveryAttempts.lease(owner, now),
  outstanding: endpoint.outstanding ?? { ...DeliveryAttempts.first(letter ?? webhookId, now), upTo: reach }
})

/** The endpoint after these events were given up, or after there was nothing to send. */
export const done = (endpoint: EventEndpoint, { letter, reach }: Sent): EventEndpoint => ({
  ...endpoint,
  cursor: reach,
  resending: endpoint.resending.filter((id) => id !== letter),
  outstanding: null,
  lease: null
})

/** The endpoint after these events were accepted. */
export const accepted = (endpoint: EventEndpoint, sent: Sent): EventEndpoint => ({
  ...done(endpoint, sent),
  invalid: 0
})

/**
 * The endpoint after a rejected attempt, and a dead letter if events are given up. All are given up after three days, and
 * a single event if it is too large or repeatedly invalid. Source: docs/reference/events.md#answers.
 */
export const rejected = (
  endpoint: EventEndpoint,
  sent: Sent,
  rejection: DeliveryAttempts.Rejection
): { readonly endpoint: EventEndpoint; readonly letter: EventDeadLetter | null } => {
  const { outstanding } = endpoint
  if (outstanding === null) return { endpoint: released(endpoint), letter: null }
  const next = DeliveryAttempts.rejected(outstanding, rejection)
  if (DeliveryAttempts.isGivenUp(next.since, rejection.now)) return givenUp(endpoint, sent, next, rejection.now)
  const tried = { endpoint: { ...endpoint, lease: null, outstanding: next }, letter: null }
  if (!isInvalid(rejection.answer)) return tried
  const isLarge = isTooLarge(rejection.answer)
  if (sent.events.length === 1 || sent.letter !== null) {
    if (!isLarge && next.failures < 2 + endpoint.invalid) return tried
    const invalid = endpoint.invalid + (isLarge ? 0 : 1)
    return givenUp({ ...endpoint, invalid }, sent, next, rejection.now)
  }
  const half = DeliveryAttempts.halved(outstanding, { count: sent.events.length, isHalf: false }, rejection)
  if (half === undefined) return tried
  // A body with fewer events is a different body, so it gets another id.
  const webhookId = `${outstanding.webhookId}-${half.size}`
  const upTo = sent.events[half.size - 1]?.number ?? sent.reach
  const maxBytes = isLarge ? Math.ceil((Text.utf8Bytes(bodyOf(sent.events)) + 1) / 2) : endpoint.maxBytes
  return { endpoint: { ...tried.endpoint, maxBytes, outstanding: { ...half.body, webhookId, upTo } }, letter: null }
}

const givenUp = (
  endpoint: EventEndpoint,
  sent: Sent,
  { failure, failures, since, webhookId }: Outstanding,
  at: number
) => {
  const { companyId, id } = endpoint
  const facts = { failures, since, at, failure: failure ?? "" }
  const letter = { companyId, endpoint: id, id: webhookId, events: sent.events, ...facts }
  return { endpoint: done(endpoint, sent), letter }
}

/** The endpoint after it was released without an answer. Its events keep their webhook id. */
export const released = (endpoint: EventEndpoint): EventEndpoint => ({ ...endpoint, lease: null })

/** The endpoint after it was paused. If a webhook is being sent, its answer is ignored. */
export const pause = (endpoint: EventEndpoint, paused: Pause): EventEndpoint => ({ ...endpoint, paused, lease: null })

/** The endpoint after it was enabled. Attempts to send its rejected events continue for three days from `now`. */
export const enabled = (endpoint: EventEndpoint, now: number): EventEndpoint => ({
  ...endpoint,
  paused: null,
  lease: null,
  outstanding: endpoint.outstanding && {
    ...DeliveryAttempts.first(endpoint.outstanding.webhookId, now),
    upTo: endpoint.outstanding.upTo
  }
})

/** The endpoint with its rejected events due at `now`. */
export const woken = (endpoint: EventEndpoint, now: number): EventEndpoint =>
  endpoint.outstanding === null || endpoint.outstanding.nextAt <= now
    ? endpoint
    : { ...endpoint, outstanding: { ...endpoint.outstanding, nextAt: now } }

/** The endpoint after its cursor was set. It has nothing outstanding or to resend, and isn't paused as out of range. */
export const moved = (endpoint: EventEndpoint, cursor: number): EventEndpoint => ({
  ...endpoint,
  cursor,
  paused: endpoint.paused?.reason === "out_of_range" ? null : endpoint.paused,
  resending: [],
  outstanding: null,
  lease: null
})

/** The endpoint with these settings. Rejected events are resent at once, with the same webhook id if `types` is the same. */
export const changed = (
  endpoint: EventEndpoint,
  { types, webhook }: Pick<EventEndpoint, "types" | "webhook">,
  now: number
): EventEndpoint => {
  const isSame = JSON.stringify(types) === JSON.stringify(endpoint.types)
  const { outstanding, paused } = endpoint
  const tried = enabled({ ...endpoint, outstanding: isSame ? outstanding : null }, now)
  return { ...tried, types, webhook, paused, maxBytes: Limits.eventBatchBytes, invalid: 0 }
}

export const resent = (endpoint: EventEndpoint, letter: string): EventEndpoint => ({
  ...endpoint,
  resending: [...endpoint.resending.filter((id) => id !== letter), letter]
})

/** An endpoint, the number of its company's last event, and the number of its dead letters. */
export interface StoredEndpoint {
  readonly endpoint: EventEndpoint
  readonly lastEvent: number
  readonly deadLetters: number
}

/** Port: stores endpoints and their dead letters. Of several concurrent saves of an endpoint, one succeeds. */
export class EventEndpointStore extends Context.Service<
  EventEndpointStore,
  {
    /** The endpoints that aren't paused and have something due by `now`, or too far ahead because a clock was set back. */
    readonly pending: (now: number) => Stored<ReadonlyArray<EventEndpoint>>
    readonly find: (key: EndpointKey) => Stored<EventEndpoint | undefined>
    /** The endpoints of a company, sorted by id. With null, the endpoints of all companies, sorted by company and id. */
    readonly list: (company: CompanyId | null) => Stored<ReadonlyArray<StoredEndpoint>>
    /** Saves an endpoint and adds 1 to its version. Fails with `StaleWrite` if the stored version (0 if none) is another. */
    readonly save: (endpoint: EventEndpoint) => Stored<void, StaleWrite>
    /** Up to `limit` endpoints of all companies, sorted by company and id, after `key` or, if it is null, from the first. */
    readonly after: (key: EndpointKey | null, limit: number) => Stored<ReadonlyArray<EventEndpoint>>
    /** Reads endpoints as `after` does, and locks them until the transaction ends. Call it inside a transaction. */
    readonly lockAfter: (key: EndpointKey | null, limit: number) => Stored<ReadonlyArray<EventEndpoint>>
    /** Saves all endpoints, or none. Only their webhooks may have changed. Fails as `save` does. */
    readonly saveAll: (endpoints: ReadonlyArray<EventEndpoint>) => Stored<void, StaleWrite>
    /** Deletes the endpoint and its dead letters. Fails with `StaleWrite` if the stored version is another. */
    readonly remove: (endpoint: EventEndpoint) => Stored<void, StaleWrite>
    /** Stores a dead letter. A dead letter that has the same id is replaced. */
    readonly putDeadLetter: (letter: EventDeadLetter) => Stored<void>
    /** The dead letters of an endpoint, oldest first. */
    readonly deadLetters: (key: EndpointKey) => Stored<ReadonlyArray<EventDeadLetter>>
    readonly deadLetter: (key: EndpointKey, id: string) => Stored<EventDeadLetter | undefined>
    readonly removeDeadLetter: (key: EndpointKey, id: string) => Stored<void>
    /** Deletes up to `limit` dead letters of any endpoint older than `before`, the oldest first. Returns their number. */
    readonly deleteDeadLetters: (before: number, limit: number) => Stored<number>
    /** Removes earlier contents from the storage's files. The call may rewrite all files. Call it outside transactions. */
    readonly purge: Stored<void>
  }
>()("@crossdock/notifications/EventEndpointStore") {}
