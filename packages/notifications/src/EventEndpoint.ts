/**
 * An endpoint of a company's backend for its feed's events, and the pure steps that change it. A try's events keep their webhook
 * id, and no event overtakes another. Source: docs/reference/events.md#webhooks.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { EventEndpoint } from "@crossdock/notifications"
 * import { endpoint } from "@crossdock/notifications/testing"
 *
 * const erp = endpoint()
 * const event = { companyId: erp.companyId, number: 13, change: 5, at: 0, type: "order.placed", version: 1, data: {} }
 * const sent = EventEndpoint.next(erp, [event])
 * const claimed = EventEndpoint.claim(erp, sent, { owner: "host-1", webhookId: "msg_1", now: 0 })
 * strictEqual(EventEndpoint.accepted(claimed, sent).cursor, 13)
 * ```
 */
import { type CompanyEvent, FeedRestored } from "@crossdock/audit"
import { type CompanyId, type StaleWrite, type Stored, Text } from "@crossdock/kernel"
import type { StoredWebhook } from "@crossdock/marketplaces"
import * as Context from "effect/Context"
import * as DeliveryAttempts from "./DeliveryAttempts.ts"
import { Limits } from "./Limits.ts"
import { isInvalid, isTooLarge } from "./WebhookSender.ts"

/** An endpoint's key. The caller chooses the `id`, such as `erp`. */
export interface EndpointKey {
  readonly companyId: CompanyId
  readonly id: string
}

/** Why an endpoint is paused. If the feed lacks events, the backend reads current data and goes on after `resumeAfter`. */
export type Pause =
  | { readonly reason: "disabled" }
  | { readonly reason: "unsubscribed" }
  | { readonly reason: "out_of_range"; readonly resumeAfter: number }

/** Sent events not yet accepted: up to number `upTo`, or those of the dead letter with the webhook id. */
export interface Outstanding extends DeliveryAttempts.Outstanding {
  readonly upTo: number
}

/**
 * An endpoint of a backend. Null `types` are all. `resending` are dead letters' ids. A body of several events has at most
 * `maxBytes`, which a 413 lowers. `invalid` counts invalid events that became dead letters since the last acceptance. `version`
 * is 0 until stored; each write adds 1.
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

/** Events given up, after three days or as invalid; `id` is their webhook id. Source: docs/reference/events.md#dead-letters. */
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

/** An endpoint's key as one text, for fibers and logs. */
export const endpointName = ({ companyId, id }: EndpointKey): string => `${companyId} ${id}`

/** The place of an endpoint's webhook; see `StoredWebhook.placeOf`. */
export const placeOf = ({ companyId, id }: EndpointKey): string => JSON.stringify(["event endpoint", companyId, id])

/** The endpoint before its first try. */
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

/** A try's content, and the cursor once accepted. `letter` is the id of a resent dead letter. */
export interface Sent {
  readonly events: ReadonlyArray<CompanyEvent.CompanyEvent>
  readonly reach: number
  readonly letter: string | null
}

/** The next dead letter: before the feed's events, but after a begun try. */
export const nextLetter = ({
  outstanding,
  resending
}: Pick<EventEndpoint, "outstanding" | "resending">): string | undefined =>
  outstanding === null ? resending[0] : resending.find((id) => id === outstanding.webhookId)

/** A try's content: the current one's events, or up to 500 of the wanted types that fit in a body. */
export const next = (
  { cursor, maxBytes, outstanding, types }: Pick<EventEndpoint, "cursor" | "maxBytes" | "outstanding" | "types">,
  read: ReadonlyArray<CompanyEvent.CompanyEvent>
): Sent => {
  const inReach = outstanding === null ? read : read.filter(({ number }) => number <= outstanding.upTo)
  const isWanted =
    types === null ? () => true : (type: string) => type === FeedRestored.restored.type || types.includes(type)
  const wanted = inReach.filter(({ type }) => isWanted(type))
  // The current try's events stay.
  const events = outstanding === null ? fitting(wanted, maxBytes) : wanted
  const last = wanted.length > events.length ? events.at(-1) : inReach.at(-1)
  return { events, reach: last?.number ?? cursor, letter: null }
}

const textOf = ({ at, change, companyId, data, number, type, version }: CompanyEvent.CompanyEvent): string =>
  JSON.stringify({ companyId, number, change, at, type, version, data })

/** The first events that fit in one body: at least 1, at most 500. */
const fitting = (events: ReadonlyArray<CompanyEvent.CompanyEvent>, maxBytes: number) => {
  const some = events.slice(0, Limits.batchSize)
  let bytes = 1
  const beyond = some.findIndex((event) => {
    bytes += Text.utf8Bytes(textOf(event)) + 1
    return bytes > maxBytes
  })
  return beyond === -1 ? some : some.slice(0, Math.max(1, beyond))
}

/** A webhook's body, a JSON array; equal for equal events. docs/reference/events.md#requests. */
export const bodyOf = (events: ReadonlyArray<CompanyEvent.CompanyEvent>): string => `[${events.map(textOf).join(",")}]`

/** The endpoint claimed by `owner`, about to send. `webhookId` is for the first try of its events. */
export const claim = (
  endpoint: EventEndpoint,
  { letter, reach }: Sent,
  { now, owner, webhookId }: { readonly owner: string; readonly webhookId: string; readonly now: number }
): EventEndpoint & { readonly outstanding: Outstanding } => ({
  ...endpoint,
  lease: DeliveryAttempts.lease(owner, now),
  outstanding: endpoint.outstanding ?? { ...DeliveryAttempts.first(letter ?? webhookId, now), upTo: reach }
})

/** The endpoint after it gave up these events, or had none to send. */
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
 * The endpoint after a rejected try; and a dead letter of events given up: after three days, or a single one that is too large,
 * or invalid twice in a row and once more per such dead letter before it. Source: docs/reference/events.md#answers.
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
  // Other events: another body with another id.
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

/** The endpoint released without an answer. Its events keep their webhook id. */
export const released = (endpoint: EventEndpoint): EventEndpoint => ({ ...endpoint, lease: null })

/** The paused endpoint. A late answer to a webhook in flight doesn't count. */
export const pause = (endpoint: EventEndpoint, paused: Pause): EventEndpoint => ({ ...endpoint, paused, lease: null })

/** The endpoint receives events again, at once. Rejected events get another three days from `now`. */
export const enabled = (endpoint: EventEndpoint, now: number): EventEndpoint => ({
  ...endpoint,
  paused: null,
  lease: null,
  outstanding: endpoint.outstanding && {
    ...DeliveryAttempts.first(endpoint.outstanding.webhookId, now),
    upTo: endpoint.outstanding.upTo
  }
})

/** The endpoint with rejected events due at `now`. */
export const woken = (endpoint: EventEndpoint, now: number): EventEndpoint =>
  endpoint.outstanding === null || endpoint.outstanding.nextAt <= now
    ? endpoint
    : { ...endpoint, outstanding: { ...endpoint.outstanding, nextAt: now } }

/** The endpoint after a move to number `cursor`: without its current try, no longer paused as out of range. */
export const moved = (endpoint: EventEndpoint, cursor: number): EventEndpoint => ({
  ...endpoint,
  cursor,
  paused: endpoint.paused?.reason === "out_of_range" ? null : endpoint.paused,
  resending: [],
  outstanding: null,
  lease: null
})

/** The endpoint with another webhook or types: retried at once with usual sizes, and with new events for new types. */
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

/** An endpoint, its company's last event number, and its count of dead letters. */
export interface StoredEndpoint {
  readonly endpoint: EventEndpoint
  readonly lastEvent: number
  readonly deadLetters: number
}

/** Port: endpoints and dead letters, with the change feed that it reads. Of an endpoint's concurrent saves, one succeeds. */
export class EventEndpointStore extends Context.Service<
  EventEndpointStore,
  {
    /** Unpaused endpoints with something due at `now`, or at a time so late that the clock was set back. Reads no others. */
    readonly pending: (now: number) => Stored<ReadonlyArray<EventEndpoint>>
    readonly find: (key: EndpointKey) => Stored<EventEndpoint | undefined>
    /** A company's endpoints by id, or all by company and id. */
    readonly list: (company: CompanyId | null) => Stored<ReadonlyArray<StoredEndpoint>>
    /** Fails with `StaleWrite` if the stored version differs (0: not stored); else adds 1 to it. */
    readonly save: (endpoint: EventEndpoint) => Stored<void, StaleWrite>
    /** Up to `limit` endpoints of all companies, by company and id, after a key or from the first. */
    readonly after: (key: EndpointKey | null, limit: number) => Stored<ReadonlyArray<EventEndpoint>>
    /** In a transaction: like `after`, but locks the endpoints until it ends. */
    readonly lockAfter: (key: EndpointKey | null, limit: number) => Stored<ReadonlyArray<EventEndpoint>>
    /** Saves endpoints whose webhooks alone have changed: all or none. Fails like `save`. */
    readonly saveAll: (endpoints: ReadonlyArray<EventEndpoint>) => Stored<void, StaleWrite>
    /** Deletes the endpoint and its dead letters. Fails with `StaleWrite` if the stored version differs. */
    readonly remove: (endpoint: EventEndpoint) => Stored<void, StaleWrite>
    /** Replaces one with the same id. */
    readonly putDeadLetter: (letter: EventDeadLetter) => Stored<void>
    /** One endpoint's dead letters, oldest first. */
    readonly deadLetters: (key: EndpointKey) => Stored<ReadonlyArray<EventDeadLetter>>
    readonly deadLetter: (key: EndpointKey, id: string) => Stored<EventDeadLetter | undefined>
    readonly removeDeadLetter: (key: EndpointKey, id: string) => Stored<void>
    /** Deletes up to `limit` dead letters of any endpoint from before a time, oldest first; returns the number. */
    readonly deleteDeadLetters: (before: number, limit: number) => Stored<number>
    /** Erases former bodies from the storage's files, perhaps rewriting all. Call it outside transactions. */
    readonly purge: Stored<void>
  }
>()("@crossdock/notifications/EventEndpointStore") {}
