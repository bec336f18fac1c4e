/**
 * The state of notifying a marketplace of a company's stock, and the pure steps that change it. Source:
 * docs/reference/notifications.md#batches.
 *
 * A channel is one marketplace and one company. It has no queue: each try reads the pending levels after the cursor, so a
 * SKU at a location is one event however often it changed, with its present quantity. The cursor moves only when a body was
 * accepted; a host that dies before that sends the body again.
 *
 * A receiver that rejects one event rejects the body with it, and later events stay behind it. This is chosen: it keeps the
 * promised order, loses nothing while a receiver rejects everything, and rejecting one event looks the same as being down.
 * It is bounded: after three days, events that are three days old become a dead letter, which can be sent again, and the
 * cursor moves on. Other companies and other marketplaces have channels of their own and are not delayed.
 */
import { type CompanyId, type StockKey, stockKeyText } from "@crossdock/kernel"
import * as DeliveryAttempts from "./DeliveryAttempts.ts"
import { type Floor, type InventoryEvent, sequenceOf } from "./InventoryEvent.ts"
import { type Cursor, isBeyond, start } from "./NotificationBatch.ts"
import { deadCount } from "./RetrySchedule.ts"

/**
 * What identifies a channel. `marketplace` is a slug.
 */
export interface ChannelKey {
  readonly marketplace: string
  readonly companyId: CompanyId
}

/**
 * A channel's key as one text, for maps, fibers and logs.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { CompanyId } from "@crossdock/kernel"
 * import { NotificationChannel } from "@crossdock/notifications"
 *
 * const key = { marketplace: "bazaar", companyId: CompanyId.make(7) }
 * strictEqual(NotificationChannel.channelName(key), "7 bazaar")
 * ```
 */
export const channelName = ({ companyId, marketplace }: ChannelKey): string => `${companyId} ${marketplace}`

/**
 * The last body that was sent and is not accepted yet. `fingerprint` is its SHA-256: the same text keeps its webhook id,
 * another text gets a new one. Its tries count whatever the bodies were.
 */
export interface Outstanding extends DeliveryAttempts.Outstanding {
  readonly fingerprint: string
}

/**
 * A channel. `again` are SKUs and locations to send again although the cursor has passed them. `floor` is what the last
 * reconcile raised the sequences to, so that its events are newer than all before. `completed` counts the notifications
 * that were accepted or given up; receivers find gaps by it. `version` is 0 for a channel that is not stored yet and grows
 * with every write.
 */
export interface Channel extends ChannelKey {
  readonly cursor: Cursor
  readonly floor: Floor
  readonly completed: number
  readonly again: ReadonlyArray<StockKey>
  readonly outstanding: Outstanding | null
  readonly lease: DeliveryAttempts.Lease | null
  readonly version: number
}

/**
 * Events that were given up after three days of tries. `id` is the webhook id that they were last sent with. Source:
 * docs/reference/notifications.md#dead-letters.
 */
export interface DeadLetter extends ChannelKey {
  readonly id: string
  readonly events: ReadonlyArray<InventoryEvent>
  readonly failures: number
  readonly since: number
  readonly at: number
  readonly failure: string
}

/**
 * The channel before anything was sent.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { CompanyId } from "@crossdock/kernel"
 * import { NotificationChannel } from "@crossdock/notifications"
 *
 * const channel = NotificationChannel.fresh({ marketplace: "bazaar", companyId: CompanyId.make(7) })
 * strictEqual(channel.version, 0)
 * ```
 */
export const fresh = ({ companyId, marketplace }: ChannelKey): Channel => ({
  marketplace,
  companyId,
  cursor: start,
  floor: { changeNumber: 0, sequence: 0 },
  completed: 0,
  again: [],
  outstanding: null,
  lease: null,
  version: 0
})

/**
 * The channel as claimed by `owner`, which is about to send `body`. `webhookId` is used unless the body is the one that was
 * sent last.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { CompanyId } from "@crossdock/kernel"
 * import { NotificationChannel } from "@crossdock/notifications"
 *
 * const channel = NotificationChannel.fresh({ marketplace: "bazaar", companyId: CompanyId.make(7) })
 * const first = NotificationChannel.claim(channel, { fingerprint: "5f2a", webhookId: "msg_1" }, "host-1", 0)
 * const again = NotificationChannel.claim(first, { fingerprint: "5f2a", webhookId: "msg_2" }, "host-2", 20_000)
 * const other = NotificationChannel.claim(first, { fingerprint: "77b1", webhookId: "msg_2" }, "host-2", 20_000)
 * deepStrictEqual([again.outstanding.webhookId, other.outstanding.webhookId], ["msg_1", "msg_2"])
 * ```
 */
export const claim = (
  channel: Channel,
  body: { readonly fingerprint: string; readonly webhookId: string },
  owner: string,
  now: number
): Channel & { readonly outstanding: Outstanding } => {
  const before = channel.outstanding
  const webhookId = before?.fingerprint === body.fingerprint ? before.webhookId : body.webhookId
  const tried = before ?? DeliveryAttempts.first(webhookId, now)
  return {
    ...channel,
    lease: DeliveryAttempts.lease(owner, now),
    outstanding: { ...tried, webhookId, fingerprint: body.fingerprint }
  }
}

/**
 * `again` without `keys`, in its order.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { NotificationChannel } from "@crossdock/notifications"
 *
 * const blr = { sku: "SKU-1", location: "BLR1" }
 * const del = { sku: "SKU-1", location: "DEL1" }
 * deepStrictEqual(NotificationChannel.without([blr, del], [{ ...blr }]), [del])
 * ```
 */
export const without = (again: ReadonlyArray<StockKey>, keys: ReadonlyArray<StockKey>): ReadonlyArray<StockKey> => {
  const dropped = new Set(keys.map(stockKeyText))
  return again.filter((key) => !dropped.has(stockKeyText(key)))
}

/**
 * What a try sends: the events, the cursor once they are accepted, and `dropped`, the keys of `again` that have no event any
 * more.
 */
export interface Sent {
  readonly events: ReadonlyArray<InventoryEvent>
  readonly reach: Cursor
  readonly dropped: ReadonlyArray<StockKey>
}

/**
 * The channel when there was nothing to send up to `reach`.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { CompanyId } from "@crossdock/kernel"
 * import { NotificationChannel } from "@crossdock/notifications"
 *
 * const channel = NotificationChannel.fresh({ marketplace: "bazaar", companyId: CompanyId.make(7) })
 * const reach = { changeNumber: 12, within: null }
 * const after = NotificationChannel.advanced(channel, { events: [], reach, dropped: [] })
 * // the receiver got nothing, so its count of notifications stays
 * deepStrictEqual([after.cursor, after.completed], [reach, 0])
 * ```
 */
export const advanced = (channel: Channel, { dropped, events, reach }: Sent): Channel => ({
  ...channel,
  cursor: reach,
  again: without(channel.again, [...events, ...dropped]),
  outstanding: null,
  lease: null
})

/**
 * The channel after its body was accepted.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { CompanyId } from "@crossdock/kernel"
 * import { NotificationChannel } from "@crossdock/notifications"
 *
 * const channel = NotificationChannel.fresh({ marketplace: "bazaar", companyId: CompanyId.make(7) })
 * const claimed = NotificationChannel.claim(channel, { fingerprint: "5f2a", webhookId: "msg_1" }, "host-1", 0)
 * const reach = { changeNumber: 12, within: null }
 * const after = NotificationChannel.accepted(claimed, { events: [], reach, dropped: [] })
 * deepStrictEqual([after.cursor, after.completed, after.outstanding, after.lease], [reach, 1, null, null])
 * ```
 */
export const accepted = (channel: Channel, sent: Sent): Channel => ({
  ...advanced(channel, sent),
  completed: channel.completed + 1
})

/**
 * A sequence above every one that the marketplace was sent, for any company: one of its codes may now mean another
 * company's location. `lastChange` is a company's last change number. It is not below the clock either (`now`, epoch
 * milliseconds), which is ahead of all sequences as long as a company makes fewer than a thousand changes a second: so it
 * is also above the sequences that were sent from a database which an older copy has replaced.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { CompanyId } from "@crossdock/kernel"
 * import { NotificationChannel } from "@crossdock/notifications"
 *
 * const key = { marketplace: "bazaar", companyId: CompanyId.make(7) }
 * const channel = { ...NotificationChannel.fresh(key), floor: { changeNumber: 10, sequence: 5_000 } }
 * strictEqual(NotificationChannel.nextSequence([channel], () => 12, 4_000), 5_003)
 * strictEqual(NotificationChannel.nextSequence([channel], () => 12, 9_000), 9_000)
 * ```
 */
export const nextSequence = (
  channels: ReadonlyArray<Channel>,
  lastChange: (company: CompanyId) => number,
  now: number
): number => Math.max(now, ...channels.map(({ companyId, floor }) => sequenceOf(floor, lastChange(companyId)) + 1))

/**
 * The channel when everything is to be sent again. An answer that is still expected no longer counts, since its claim is
 * over. `changeNumber` is that of a change of the company of which nothing was sent yet; sequences go on from `least` at least. Source:
 * docs/reference/notifications.md#reconcile.
 *
 * @example
 * ```ts
 * import { deepStrictEqual, strictEqual } from "node:assert/strict"
 * import { CompanyId } from "@crossdock/kernel"
 * import { InventoryEvent, NotificationBatch, NotificationChannel } from "@crossdock/notifications"
 *
 * const channel = NotificationChannel.fresh({ marketplace: "bazaar", companyId: CompanyId.make(7) })
 * const behind = { ...channel, cursor: { changeNumber: 12, within: null } }
 * const restarted = NotificationChannel.restarted(behind, 13, 5_000)
 * deepStrictEqual(restarted.cursor, NotificationBatch.start)
 * strictEqual(InventoryEvent.sequenceOf(restarted.floor, 14), 5_001)
 * ```
 */
export const restarted = (channel: Channel, changeNumber: number, least: number): Channel => ({
  ...channel,
  cursor: start,
  floor: { changeNumber, sequence: Math.max(sequenceOf(channel.floor, changeNumber), least) },
  again: [],
  outstanding: null,
  lease: null
})

/**
 * The channel when a rejected body is to be tried at once.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { CompanyId } from "@crossdock/kernel"
 * import { DeliveryAttempts, NotificationBatch, NotificationChannel } from "@crossdock/notifications"
 *
 * const channel = NotificationChannel.fresh({ marketplace: "bazaar", companyId: CompanyId.make(7) })
 * const claimed = NotificationChannel.claim(channel, { fingerprint: "5f2a", webhookId: "msg_1" }, "host-1", 0)
 * const sent = { events: [], reach: NotificationBatch.start, dropped: [] }
 * const rejected = NotificationChannel.rejected(claimed, sent, { failure: "timeout", now: 500, random: 1 }).channel
 * strictEqual(DeliveryAttempts.isFree(rejected, 1_000), false)
 * strictEqual(DeliveryAttempts.isFree(NotificationChannel.woken(rejected, 1_000), 1_000), true)
 * ```
 */
export const woken = (channel: Channel, now: number): Channel =>
  channel.outstanding === null || channel.outstanding.nextAt <= now
    ? channel
    : { ...channel, outstanding: { ...channel.outstanding, nextAt: now } }

/**
 * The channel after a rejected try, with the time of the next one; and a dead letter if events' three days are over.
 * `random`, from 0 to 1, spreads the tries.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { CompanyId } from "@crossdock/kernel"
 * import { Limits, NotificationChannel } from "@crossdock/notifications"
 *
 * const channel = NotificationChannel.fresh({ marketplace: "bazaar", companyId: CompanyId.make(7) })
 * const claimed = NotificationChannel.claim(channel, { fingerprint: "5f2a", webhookId: "msg_1" }, "host-1", 0)
 * const event = { eventId: "e1", sku: "SKU-1", location: "BLR1", code: "B-1", quantity: 7, changeNumber: 12, sequence: 12 }
 * const sent = { events: [{ ...event, occurredAt: 0 }], reach: { changeNumber: 12, within: null }, dropped: [] }
 *
 * const first = NotificationChannel.rejected(claimed, sent, { failure: "timeout", now: 500, random: 1 })
 * deepStrictEqual([first.channel.outstanding?.nextAt, first.letter], [2_500, null])
 * const last = NotificationChannel.rejected(claimed, sent, { failure: "timeout", now: Limits.retryMillis, random: 1 })
 * deepStrictEqual([last.letter?.id, last.channel.cursor], ["msg_1", sent.reach])
 * ```
 */
export const rejected = (
  channel: Channel,
  sent: Sent,
  rejection: DeliveryAttempts.Rejection
): { readonly channel: Channel; readonly letter: DeadLetter | null } => {
  const { outstanding } = channel
  if (outstanding === null) return { channel: { ...channel, lease: null }, letter: null }
  const next = DeliveryAttempts.rejected(outstanding, rejection)
  const dead = deadCount(sent.events, next.since, rejection.now)
  if (dead === 0) return { channel: { ...channel, lease: null, outstanding: next }, letter: null }
  const events = sent.events.slice(0, dead)
  const reach = dead === sent.events.length ? sent.reach : passed(channel.cursor, sent.events, dead)
  const { companyId, marketplace } = channel
  return {
    channel: accepted(channel, { events, reach, dropped: sent.dropped }),
    letter: {
      marketplace,
      companyId,
      id: outstanding.webhookId,
      events,
      failures: next.failures,
      since: next.since,
      at: rejection.now,
      failure: rejection.failure
    }
  }
}

/**
 * The cursor after the first `count` of these events.
 */
const passed = (cursor: Cursor, events: ReadonlyArray<InventoryEvent>, count: number): Cursor => {
  const last = events[count - 1]
  if (last === undefined) return cursor
  const { changeNumber, location, sku } = last
  if (!isBeyond(cursor)({ sku, location, changeNumber })) return cursor
  return { changeNumber, within: events[count]?.changeNumber === changeNumber ? { sku, location } : null }
}

/**
 * The channel when its host releases it without an answer: the same body keeps its webhook id.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { CompanyId } from "@crossdock/kernel"
 * import { NotificationChannel } from "@crossdock/notifications"
 *
 * const channel = NotificationChannel.fresh({ marketplace: "bazaar", companyId: CompanyId.make(7) })
 * const claimed = NotificationChannel.claim(channel, { fingerprint: "5f2a", webhookId: "msg_1" }, "host-1", 0)
 * const released = NotificationChannel.released(claimed)
 * deepStrictEqual([released.lease, released.outstanding?.webhookId], [null, "msg_1"])
 * ```
 */
export const released = (channel: Channel): Channel => ({ ...channel, lease: null })

/**
 * The channel when a dead letter is to be sent again, with the quantities at that time.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { CompanyId } from "@crossdock/kernel"
 * import { Limits, NotificationChannel } from "@crossdock/notifications"
 *
 * const key = { marketplace: "bazaar", companyId: CompanyId.make(7) }
 * const event = { eventId: "e1", sku: "SKU-1", location: "BLR1", code: "B-1", quantity: 7, changeNumber: 12, sequence: 12 }
 * const facts = { id: "msg_1", failures: 90, since: 0, at: Limits.retryMillis, failure: "timeout" }
 * const letter = { ...key, ...facts, events: [{ ...event, occurredAt: 0 }] }
 * const once = NotificationChannel.resent(NotificationChannel.fresh(key), letter)
 * deepStrictEqual(once.again, [{ sku: "SKU-1", location: "BLR1" }])
 * deepStrictEqual(NotificationChannel.resent(once, letter), once)
 * ```
 */
export const resent = (channel: Channel, letter: DeadLetter): Channel => ({
  ...channel,
  again: [...without(channel.again, letter.events), ...letter.events.map(({ location, sku }) => ({ sku, location }))]
})
