/**
 * A channel notifies a marketplace of a company's stock: its state, and the pure steps that change it. It has no queue: each try
 * reads the pending levels after the cursor, which moves once a body is accepted. A receiver that rejects one event rejects the
 * body. So the body is halved until that event is alone; it is then set aside and retried separately. Source:
 * docs/reference/notifications.md#batches.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { CompanyId } from "@crossdock/kernel"
 * import { NotificationChannel } from "@crossdock/notifications"
 *
 * const channel = NotificationChannel.fresh({ marketplace: "bazaar", companyId: CompanyId.make(7) })
 * const place = { sku: "SKU-1", location: "BLR1" }
 * const event = { ...place, eventId: "e1", code: "B-1", quantity: 7, changeNumber: 12, sequence: 12, occurredAt: 0 }
 * const sent = { events: [event], reach: { changeNumber: 12, within: null }, dropped: [], aside: null }
 * const body = { fingerprint: "5f2a", webhookId: "msg_1" }
 * const claimed = NotificationChannel.claim(channel, sent, body, { owner: "host-1", now: 0 }).channel
 * deepStrictEqual(NotificationChannel.accepted(claimed, sent).cursor, sent.reach)
 * ```
 */
import { type CompanyId, type StaleWrite, type StockKey, type Stored, stockKeyText } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as DeliveryAttempts from "./DeliveryAttempts.ts"
import { type Floor, type InventoryEvent, sequenceOf } from "./InventoryEvent.ts"
import { Limits } from "./Limits.ts"
import { type Cursor, isBeyond, start } from "./NotificationCursor.ts"
import { reasonOf } from "./WebhookSender.ts"

/** A channel's key. `marketplace` is a slug. */
export interface ChannelKey {
  readonly marketplace: string
  readonly companyId: CompanyId
}

/** A channel's key as one text, for maps, fibers and logs. */
export const channelName = ({ companyId, marketplace }: ChannelKey): string => `${companyId} ${marketplace}`

/**
 * The last sent body not yet accepted. `fingerprint` is its SHA-256: the same text keeps its webhook id. Counts tries of
 * earlier bodies too. The next body has at most `size` events; null while bodies aren't halved.
 */
export interface Outstanding extends DeliveryAttempts.Outstanding {
  readonly fingerprint: string
  readonly size: number | null
}

/** A SKU at a location whose event was rejected alone. */
export interface SetAside extends Outstanding, StockKey {}

/**
 * A channel. `again` are to be resent behind the cursor; `aside` are sent alone. `floor` starts the sequences since the last
 * reconcile. `completed` counts accepted and abandoned notifications. `version` is 0 until stored; each write adds 1.
 */
export interface Channel extends ChannelKey {
  readonly cursor: Cursor
  readonly floor: Floor
  readonly completed: number
  readonly again: ReadonlyArray<StockKey>
  readonly aside: ReadonlyArray<SetAside>
  readonly outstanding: Outstanding | null
  readonly lease: DeliveryAttempts.Lease | null
  readonly version: number
}

/** Events given up after three days. `id`: their last webhook id. docs/reference/notifications.md#dead-letters. */
export interface DeadLetter extends ChannelKey {
  readonly id: string
  readonly events: ReadonlyArray<InventoryEvent>
  readonly failures: number
  readonly since: number
  readonly at: number
  readonly failure: string
}

/** The channel before its first try. */
export const fresh = ({ companyId, marketplace }: ChannelKey): Channel => ({
  marketplace,
  companyId,
  cursor: start,
  floor: { changeNumber: 0, sequence: 0 },
  completed: 0,
  again: [],
  aside: [],
  outstanding: null,
  lease: null,
  version: 0
})

/** The set-aside SKU that has been due the longest. */
export const dueAside = ({ aside, outstanding }: Channel, now: number): SetAside | undefined => {
  // A receiver that accepts nothing gets one body at a time.
  const isUp = outstanding === null || outstanding.failures === 0
  const due = aside.filter(
    (one) => DeliveryAttempts.isDue(one, now) && (isUp || DeliveryAttempts.isGivenUp(one.since, now))
  )
  return due.toSorted((one, other) => one.nextAt - other.nextAt)[0]
}

/** Whether a host may work on the channel: no other host does, and a try is due. */
export const isFree = (channel: Channel, now: number): boolean =>
  DeliveryAttempts.isFree(dueAside(channel, now) === undefined ? channel : { ...channel, outstanding: null }, now)

/** The channel claimed by `owner` to send `sent`. Keeps the last try's webhook id if the body is the same. */
export const claim = (
  channel: Channel,
  { aside }: Sent,
  body: { readonly fingerprint: string; readonly webhookId: string },
  { now, owner }: { readonly owner: string; readonly now: number }
): { readonly channel: Channel; readonly webhookId: string } => {
  const before = aside ?? channel.outstanding
  const webhookId = before?.fingerprint === body.fingerprint ? before.webhookId : body.webhookId
  const { fingerprint } = body
  const tried = { ...(before ?? { ...DeliveryAttempts.first(webhookId, now), size: null }), webhookId, fingerprint }
  return { channel: { ...withTried(channel, aside, tried), lease: DeliveryAttempts.lease(owner, now) }, webhookId }
}

const triedOf = ({ aside, outstanding }: Channel, sent: Sent): Outstanding | undefined => {
  if (sent.aside === null) return outstanding ?? undefined
  const key = stockKeyText(sent.aside)
  return aside.find((one) => stockKeyText(one) === key)
}

const withTried = (channel: Channel, aside: SetAside | null, tried: Outstanding | null): Channel =>
  aside === null
    ? { ...channel, outstanding: tried }
    : {
        ...channel,
        aside: channel.aside.flatMap((one) => {
          if (stockKeyText(one) !== stockKeyText(aside)) return [one]
          return tried === null ? [] : [{ ...one, ...tried }]
        })
      }

export const without = (again: ReadonlyArray<StockKey>, keys: ReadonlyArray<StockKey>): ReadonlyArray<StockKey> => {
  const dropped = new Set(keys.map(stockKeyText))
  return again.filter((key) => !dropped.has(stockKeyText(key)))
}

/** A try's events, the cursor once accepted, and `dropped`, keys of `again` without event; or a SKU `aside`, alone. */
export interface Sent {
  readonly events: ReadonlyArray<InventoryEvent>
  readonly reach: Cursor
  readonly dropped: ReadonlyArray<StockKey>
  readonly aside: SetAside | null
}

/** The channel with nothing to send up to `reach`. */
export const advanced = (channel: Channel, { aside, dropped, events, reach }: Sent): Channel => ({
  ...withTried(channel, aside, null),
  cursor: reach,
  again: without(channel.again, [...events, ...dropped]),
  lease: null
})

/** The channel after its body was accepted. */
export const accepted = (channel: Channel, sent: Sent): Channel => {
  const after = { ...advanced(channel, sent), completed: channel.completed + 1 }
  const { aside, outstanding } = channel
  if (sent.aside !== null || outstanding === null) return after
  const { failures, nextAt, size } = outstanding
  return {
    ...after,
    // Bodies grow only after an accepted half: the rest of the rejected body may be wrong too.
    outstanding:
      size === null || size * 2 >= Limits.batchSize
        ? null
        : { ...outstanding, failures: 0, since: nextAt, size: size * 2 },
    // The receiver may have rejected it only because it was down.
    aside: failures === 0 ? aside : aside.map((one) => ({ ...one, nextAt: Math.min(one.nextAt, nextAt) }))
  }
}

/**
 * A sequence above all that the marketplace received, from any company, since codes move. At least `now` (epoch milliseconds),
 * which exceeds them even after the database was replaced by an older copy: a company makes under a thousand changes a second.
 */
export const nextSequence = (
  channels: ReadonlyArray<Channel>,
  lastChange: (company: CompanyId) => number,
  now: number
): number => Math.max(now, ...channels.map(({ companyId, floor }) => sequenceOf(floor, lastChange(companyId)) + 1))

/** Resends all; `changeNumber` isn't sent yet, sequences start at `least`. Source: docs/reference/notifications.md#reconcile. */
export const restarted = (channel: Channel, changeNumber: number, least: number): Channel => ({
  ...channel,
  cursor: start,
  floor: { changeNumber, sequence: Math.max(sequenceOf(channel.floor, changeNumber), least) },
  again: [],
  aside: [],
  outstanding: null,
  lease: null
})

/** The channel retries everything rejected at once. */
export const woken = (channel: Channel, now: number): Channel => {
  const { aside, outstanding } = channel
  const due = <One extends Outstanding>(one: One): One => ({ ...one, nextAt: Math.min(one.nextAt, now) })
  const isLater = [outstanding, ...aside].some((one) => one !== null && one.nextAt > now)
  return isLater ? { ...channel, outstanding: outstanding && due(outstanding), aside: aside.map(due) } : channel
}

/** The channel after a rejected try, and perhaps a dead letter. Source: docs/reference/notifications.md#rejected-bodies. */
export const rejected = (
  channel: Channel,
  sent: Sent,
  rejection: DeliveryAttempts.Rejection
): { readonly channel: Channel; readonly letter: DeadLetter | null } => {
  const outstanding = triedOf(channel, sent)
  if (outstanding === undefined) return { channel: released(channel), letter: null }
  const next = DeliveryAttempts.rejected(outstanding, rejection)
  const dead = DeliveryAttempts.deadCount(sent.events, next.since, rejection.now)
  if (dead === 0) return { channel: released(triedAgain(channel, sent, outstanding, rejection)), letter: null }
  const events = sent.events.slice(0, dead)
  const reach = dead === sent.events.length ? sent.reach : passed(channel.cursor, sent.events, dead)
  const { companyId, marketplace } = channel
  return {
    channel: accepted(channel, { ...sent, events, reach }),
    letter: {
      marketplace,
      companyId,
      id: outstanding.webhookId,
      events,
      failures: next.failures,
      since: next.since,
      at: rejection.now,
      failure: reasonOf(rejection.answer)
    }
  }
}

/** After a rejected set-aside SKU, other content goes first: rejections may be slow, so they take turns. */
const othersLast = (channel: Channel, { aside }: Sent, now: number): Channel =>
  aside === null
    ? channel
    : { ...channel, aside: channel.aside.map((one) => ({ ...one, nextAt: Math.max(one.nextAt, now) })) }

const triedAgain = (
  channel: Channel,
  sent: Sent,
  before: Outstanding,
  rejection: DeliveryAttempts.Rejection
): Channel => {
  const next = DeliveryAttempts.rejected(before, rejection)
  const isHalf = sent.aside === null && before.size !== null
  const half = DeliveryAttempts.halved(before, { count: sent.events.length, isHalf }, rejection)
  if (half !== undefined) return { ...channel, outstanding: { ...half.body, size: half.size } }
  const [event, ...others] = sent.events
  if (!isHalf || event === undefined || others.length > 0 || channel.aside.length === Limits.mostAside)
    return othersLast(withTried(channel, sent.aside, next), sent, rejection.now)
  const { location, sku } = event
  return {
    ...channel,
    cursor: sent.reach,
    again: without(channel.again, [event, ...sent.dropped]),
    aside: [...channel.aside, { ...next, size: null, location, sku }],
    outstanding: { ...next, size: null }
  }
}

const passed = (cursor: Cursor, events: ReadonlyArray<InventoryEvent>, count: number): Cursor => {
  const last = events[count - 1]
  if (last === undefined) return cursor
  const { changeNumber, location, sku } = last
  if (!isBeyond(cursor)({ sku, location, changeNumber })) return cursor
  return { changeNumber, within: events[count]?.changeNumber === changeNumber ? { sku, location } : null }
}

/** The channel released without an answer. The same body keeps its webhook id. */
export const released = (channel: Channel): Channel => ({ ...channel, lease: null })

/** The channel resends a dead letter, with the quantities at that time. */
export const resent = (channel: Channel, letter: DeadLetter): Channel => ({
  ...channel,
  again: [...without(channel.again, letter.events), ...letter.events.map(({ location, sku }) => ({ sku, location }))]
})

/** Port: channels and dead letters, read back as written. Of concurrent saves one succeeds; others fail with `StaleWrite`. */
export class NotificationStore extends Context.Service<
  NotificationStore,
  {
    /** Every saved channel, by company, then marketplace. */
    readonly channels: Stored<ReadonlyArray<Channel>>
    readonly find: (key: ChannelKey) => Stored<Channel | undefined>
    /** Fails with `StaleWrite` if the stored version differs (0: not stored); else adds 1 to it. */
    readonly save: (channel: Channel) => Stored<void, StaleWrite>
    readonly addDeadLetter: (letter: DeadLetter) => Stored<void>
    /** One marketplace's dead letters, oldest first. */
    readonly deadLetters: (marketplace: string) => Stored<ReadonlyArray<DeadLetter>>
    /** Deletes and returns a dead letter; undefined if unknown or taken by another host. */
    readonly takeDeadLetter: (key: ChannelKey, id: string) => Stored<DeadLetter | undefined>
    /** Deletes up to `limit` dead letters of any channel from before a time, oldest first; returns the number. */
    readonly deleteDeadLetters: (before: number, limit: number) => Stored<number>
  }
>()("@crossdock/notifications/NotificationStore") {}
