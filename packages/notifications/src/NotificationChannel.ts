/**
 * A channel notifies a marketplace of a company's stock. It has no queue: each attempt reads the levels after the cursor,
 * which moves once a body is accepted. A rejected body is halved until the rejected event is alone, and its SKU is then set
 * aside and sent separately. Source: docs/reference/notifications.md#batches.
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

/** The key of a channel. `marketplace` is a slug. */
export interface ChannelKey {
  readonly marketplace: string
  readonly companyId: CompanyId
}

/** The key of a channel as text, for maps, fibers and logs. */
export const channelName = ({ companyId, marketplace }: ChannelKey): string => `${companyId} ${marketplace}`

/**
 * The last body that was sent and isn't accepted yet. A body with the same SHA-256 `fingerprint` keeps its webhook id.
 * The next body has at most `size` events. `size` is null while bodies aren't halved.
 */
export interface Outstanding extends DeliveryAttempts.Outstanding {
  readonly fingerprint: string
  readonly size: number | null
}

/** A SKU at a location whose event was rejected when it was sent alone. */
export interface SetAside extends Outstanding, StockKey {}

/**
 * A channel. `again` are keys behind the cursor to resend, and `aside` are keys to send alone. `floor` is the start of the
 * sequences. `completed` counts accepted and abandoned notifications. `version` is 0 before the channel is stored.
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

/** Events that were given up after three days. `id` is their last webhook id. */
export interface DeadLetter extends ChannelKey {
  readonly id: string
  readonly events: ReadonlyArray<InventoryEvent>
  readonly failures: number
  readonly since: number
  readonly at: number
  readonly failure: string
}

/** A channel before its first attempt. */
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

/** The set-aside SKU that has been due for the longest time. */
export const dueAside = ({ aside, outstanding }: Channel, now: number): SetAside | undefined => {
  // A receiver that accepts nothing is sent only one body at a time.
  const isUp = outstanding === null || outstanding.failures === 0
  const due = aside.filter(
    (one) => DeliveryAttempts.isDue(one, now) && (isUp || DeliveryAttempts.isGivenUp(one.since, now))
  )
  return due.toSorted((one, other) => one.nextAt - other.nextAt)[0]
}

/** Whether a host may work on the channel. No other host may have a claim, and an attempt must be due. */
export const isFree = (channel: Channel, now: number): boolean =>
  DeliveryAttempts.isFree(dueAside(channel, now) === undefined ? channel : { ...channel, outstanding: null }, now)

/** The channel after `owner` claimed it to send `sent`. A body equal to the last one keeps its webhook id. */
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

/** An attempt. `reach` is the cursor after it. `dropped` are keys of `again` that need no event. `aside` is sent alone. */
export interface Sent {
  readonly events: ReadonlyArray<InventoryEvent>
  readonly reach: Cursor
  readonly dropped: ReadonlyArray<StockKey>
  readonly aside: SetAside | null
}

/** The channel after it had nothing to send up to `reach`. */
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
    // Bodies grow only after a half was accepted, since the rest of the rejected body may be faulty too.
    outstanding:
      size === null || size * 2 >= Limits.batchSize
        ? null
        : { ...outstanding, failures: 0, since: nextAt, size: size * 2 },
    // The receiver may have rejected the set-aside SKUs only because it was down. So they are sent again soon.
    aside: failures === 0 ? aside : aside.map((one) => ({ ...one, nextAt: Math.min(one.nextAt, nextAt) }))
  }
}

/**
 * A sequence that is higher than any that the marketplace received. It is at least `now` (epoch milliseconds), so it is
 * higher even after a restore: a company makes fewer than a thousand changes a second.
 */
export const nextSequence = (
  channels: ReadonlyArray<Channel>,
  lastChange: (company: CompanyId) => number,
  now: number
): number => Math.max(now, ...channels.map(({ companyId, floor }) => sequenceOf(floor, lastChange(companyId)) + 1))

/** The channel after a restart, which resends everything with sequences of at least `least`. */
export const restarted = (channel: Channel, changeNumber: number, least: number): Channel => ({
  ...channel,
  cursor: start,
  floor: { changeNumber, sequence: Math.max(sequenceOf(channel.floor, changeNumber), least) },
  again: [],
  aside: [],
  outstanding: null,
  lease: null
})

/** The channel after everything that was rejected became due at `now`. */
export const woken = (channel: Channel, now: number): Channel => {
  const { aside, outstanding } = channel
  const due = <One extends Outstanding>(one: One): One => ({ ...one, nextAt: Math.min(one.nextAt, now) })
  const isLater = [outstanding, ...aside].some((one) => one !== null && one.nextAt > now)
  return isLater ? { ...channel, outstanding: outstanding && due(outstanding), aside: aside.map(due) } : channel
}

/** The channel after a rejected attempt, and a dead letter if events are given up. */
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

/** The channel after a set-aside SKU was rejected: all set-aside SKUs wait from `now`, so other content goes first. */
const othersLast = (channel: Channel, { aside }: Sent, now: number): Channel =>
  aside === null
    ? channel
    : { ...channel, aside: channel.aside.map((one) => ({ ...one, nextAt: Math.max(one.nextAt, now) })) }

const triedAgain = (channel: Channel, sent: Sent, before: Outstanding, rejection: DeliveryAttempts.Rejection) => {
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

/** The channel after it was released without an answer. A body with the same text keeps its webhook id. */
export const released = (channel: Channel): Channel => ({ ...channel, lease: null })

/** The channel with a dead letter to resend. The quantities are those at the time of sending. */
export const resent = (channel: Channel, letter: DeadLetter): Channel => ({
  ...channel,
  again: [...without(channel.again, letter.events), ...letter.events.map(({ location, sku }) => ({ sku, location }))]
})

/** Port: stores channels and dead letters. Of several concurrent saves one succeeds; the others fail with `StaleWrite`. */
export class NotificationStore extends Context.Service<
  NotificationStore,
  {
    /** Every saved channel, sorted by company and then by marketplace. */
    readonly channels: Stored<ReadonlyArray<Channel>>
    readonly find: (key: ChannelKey) => Stored<Channel | undefined>
    /** Saves a channel and adds 1 to its version. Fails with `StaleWrite` if the stored version (0 if none) is another. */
    readonly save: (channel: Channel) => Stored<void, StaleWrite>
    readonly addDeadLetter: (letter: DeadLetter) => Stored<void>
    /** The dead letters of a marketplace, oldest first. */
    readonly deadLetters: (marketplace: string) => Stored<ReadonlyArray<DeadLetter>>
    /** Deletes a dead letter and returns it. The result is undefined if the id isn't known, or if another host deleted it. */
    readonly takeDeadLetter: (key: ChannelKey, id: string) => Stored<DeadLetter | undefined>
    /** Deletes up to `limit` dead letters of any channel older than `before`, the oldest first. Returns their number. */
    readonly deleteDeadLetters: (before: number, limit: number) => Stored<number>
  }
>()("@crossdock/notifications/NotificationStore") {}
