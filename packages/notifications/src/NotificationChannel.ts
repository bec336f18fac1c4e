/**
 * How far a marketplace has been told of a company's stock, and the pure steps of telling it.
 *
 * A channel is one marketplace and one company. It holds no queue: what is waiting is read from the stock levels after the
 * cursor at every try, so a SKU at a location is one event however often it changed, and its quantity is the present one.
 * The cursor moves when a body was accepted, never before; a host that dies in between sends the body again.
 *
 * A receiver that rejects one event rejects the body that holds it, and what comes later waits behind it. This is chosen:
 * the promised order holds, nothing is lost while a receiver rejects everything, and rejecting for one event looks the same
 * as being down. The wait is bounded: after three days what is three days old becomes a dead letter, which can be sent
 * again, and the cursor goes on. Other companies and other marketplaces have channels of their own and don't wait.
 */
import { ClockSkew, type CompanyId, type StockKey, stockKeyText } from "@crossdock/kernel"
import { type Floor, type InventoryEvent, sequenceOf } from "./InventoryEvent.ts"
import { type Cursor, isBeyond, start } from "./NotificationBatch.ts"
import { deadOf, delay, longest } from "./RetrySchedule.ts"

export interface ChannelKey {
  readonly marketplace: string
  readonly companyId: CompanyId
}

/**
 * The body that was sent last and is not accepted yet, by its SHA-256: the same text keeps its webhook id, another text
 * gets a new one. `failures` and `since` count the tries rejected in a row, whatever their bodies; `failure` says why the
 * last one was. Times in epoch milliseconds.
 */
export interface Outstanding {
  readonly webhookId: string
  readonly fingerprint: string
  readonly failures: number
  readonly since: number
  readonly nextAt: number
  readonly failure: string | null
}

/**
 * Who works on the channel, and until when nobody else does.
 */
export interface Lease {
  readonly owner: string
  readonly until: number
}

/**
 * `again` are SKUs and locations to be told once more, whatever the cursor says. `floor` is where the last reconcile
 * raised the sequences to, so that what is told anew is newer than what was told before. `told` counts the notifications
 * that are done, accepted or given up: a receiver finds a gap by it. `version` is 0 for a channel that is not stored yet
 * and grows with every write.
 */
export interface Channel extends ChannelKey {
  readonly cursor: Cursor
  readonly floor: Floor
  readonly told: number
  readonly again: ReadonlyArray<StockKey>
  readonly outstanding: Outstanding | null
  readonly lease: Lease | null
  readonly version: number
}

/**
 * Events that were tried for three days. `id` is the webhook id that they were last sent with.
 */
export interface DeadLetter extends ChannelKey {
  readonly id: string
  readonly events: ReadonlyArray<InventoryEvent>
  readonly failures: number
  readonly since: number
  readonly at: number
  readonly failure: string
}

export const fresh = ({ companyId, marketplace }: ChannelKey): Channel => ({
  marketplace,
  companyId,
  cursor: start,
  floor: { number: 0, sequence: 0 },
  told: 0,
  again: [],
  outstanding: null,
  lease: null,
  version: 0
})

/**
 * How long a claim holds whose host may have died: longer than a try may last.
 */
export const leaseHolds = 15_000

/**
 * Whether a time is still to come. One that is further ahead than it can be was written before the clock was set back.
 */
const isAhead = (time: number, now: number, atMost: number): boolean => time > now && time <= now + atMost

/**
 * Whether a host may take the channel: nobody works on it, and a rejected body's time has come. A claim may be ahead by a
 * little more than its time, since the clocks of two hosts differ.
 */
export const isFree = ({ lease, outstanding }: Channel, now: number): boolean =>
  (lease === null || !isAhead(lease.until, now, leaseHolds + ClockSkew.most)) &&
  (outstanding === null || !isAhead(outstanding.nextAt, now, longest))

/**
 * The channel as one host's, with what it is about to send. `webhookId` is used when the body is another than before.
 */
export const claim = (
  channel: Channel,
  body: { readonly fingerprint: string; readonly webhookId: string },
  owner: string,
  now: number
): Channel & { readonly outstanding: Outstanding } => {
  const before = channel.outstanding
  return {
    ...channel,
    lease: { owner, until: now + leaseHolds },
    outstanding: {
      webhookId: before?.fingerprint === body.fingerprint ? before.webhookId : body.webhookId,
      fingerprint: body.fingerprint,
      failures: before?.failures ?? 0,
      since: before?.since ?? now,
      nextAt: before?.nextAt ?? now,
      failure: before?.failure ?? null
    }
  }
}

/**
 * Without `keys` among those to be told again.
 */
export const without = (again: ReadonlyArray<StockKey>, keys: ReadonlyArray<StockKey>): ReadonlyArray<StockKey> => {
  const gone = new Set(keys.map(stockKeyText))
  return again.filter((key) => !gone.has(stockKeyText(key)))
}

/**
 * What was sent: the events, where the cursor stands after them, and keys that there is nothing to tell of any more.
 */
export interface Sent {
  readonly events: ReadonlyArray<InventoryEvent>
  readonly reach: Cursor
  readonly gone: ReadonlyArray<StockKey>
}

/**
 * The channel when there was nothing to tell up to there.
 */
export const advanced = (channel: Channel, { events, gone, reach }: Sent): Channel => ({
  ...channel,
  cursor: reach,
  again: without(channel.again, [...events, ...gone]),
  outstanding: null,
  lease: null
})

export const accepted = (channel: Channel, sent: Sent): Channel => ({
  ...advanced(channel, sent),
  told: channel.told + 1
})

/**
 * A sequence above every one that a marketplace was told, of whatever company: a code of its may stand for a location of
 * another company from now on. `lastChange` is a company's last change number. Also not below the clock (`now`, epoch
 * milliseconds), which is ahead of every sequence that was ever told as long as a company makes fewer than a thousand
 * changes a second: so it is newer also for a receiver that was told by a database which an older copy has replaced.
 */
export const nextSequence = (
  channels: ReadonlyArray<Channel>,
  lastChange: (company: CompanyId) => number,
  now: number
): number => Math.max(now, ...channels.map(({ companyId, floor }) => sequenceOf(floor, lastChange(companyId)) + 1))

/**
 * The channel when everything shall be told once more, whatever was told before. An answer that is still awaited counts no
 * more: its claim is over.
 *
 * `number` is a change of the company that nothing was told of yet; sequences go on from `least` at least.
 */
export const restarted = (channel: Channel, number: number, least: number): Channel => ({
  ...channel,
  cursor: start,
  floor: { number, sequence: Math.max(sequenceOf(channel.floor, number), least) },
  again: [],
  outstanding: null,
  lease: null
})

/**
 * The channel when a rejected body shall be tried at once.
 */
export const woken = (channel: Channel, now: number): Channel =>
  channel.outstanding === null
    ? channel
    : { ...channel, outstanding: { ...channel.outstanding, nextAt: Math.min(channel.outstanding.nextAt, now) } }

/**
 * What another try has to look like after one that was rejected, and the dead letter when events' three days are over.
 */
export const rejected = (
  channel: Channel,
  sent: Sent,
  { failure, now, random }: { readonly failure: string; readonly now: number; readonly random: number }
): { readonly channel: Channel; readonly letter: DeadLetter | null } => {
  const { outstanding } = channel
  if (outstanding === null) return { channel: { ...channel, lease: null }, letter: null }
  const failures = outstanding.failures + 1
  // When the clock was set back, the three days begin with what it says now.
  const since = Math.min(outstanding.since, now)
  const dead = deadOf(sent.events, since, now)
  if (dead === 0) {
    const nextAt = now + delay(failures, random)
    return {
      channel: { ...channel, lease: null, outstanding: { ...outstanding, failures, since, nextAt, failure } },
      letter: null
    }
  }
  const events = sent.events.slice(0, dead)
  const reach = dead === sent.events.length ? sent.reach : passed(channel.cursor, sent.events, dead)
  const { companyId, marketplace } = channel
  return {
    channel: accepted(channel, { events, reach, gone: sent.gone }),
    letter: {
      marketplace,
      companyId,
      id: outstanding.webhookId,
      events,
      failures,
      since,
      at: now,
      failure
    }
  }
}

/**
 * Where the cursor stands behind the first `count` of these events.
 */
const passed = (cursor: Cursor, events: ReadonlyArray<InventoryEvent>, count: number): Cursor => {
  const last = events[count - 1]
  if (last === undefined) return cursor
  const { location, number: sequence, sku } = last
  if (!isBeyond(cursor)({ sku, location, sequence })) return cursor
  return { sequence, within: events[count]?.number === sequence ? { sku, location } : null }
}

/**
 * The channel when its host gives it back without an answer: the same body keeps its webhook id.
 */
export const released = (channel: Channel): Channel => ({ ...channel, lease: null })

/**
 * The channel when a dead letter shall be sent again, with the quantities of then.
 */
export const resent = (channel: Channel, letter: DeadLetter): Channel => ({
  ...channel,
  again: [...without(channel.again, letter.events), ...letter.events.map(({ location, sku }) => ({ sku, location }))]
})
