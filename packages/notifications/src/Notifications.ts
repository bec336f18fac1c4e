/**
 * Use cases: notify marketplaces of stock. The service itself sends nothing: a worker asks which channels are due, begins a
 * delivery, sends it outside of any transaction, and settles it with the answer. Source: docs/reference/notifications.md.
 */
import type { Caller } from "@crossdock/access"
import { AuditLog, CompanyWrite, Digest } from "@crossdock/audit"
import { type Level, StockLevels } from "@crossdock/inventory"
import { type CompanyId, Ids, type StaleWrite, type StorageError, Transaction } from "@crossdock/kernel"
import {
  codesOf,
  companiesOf,
  type Marketplace,
  MarketplaceStore,
  Offer,
  StockResend,
  type Webhook
} from "@crossdock/marketplaces"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Ref from "effect/Ref"
import * as InventoryEvent from "./InventoryEvent.ts"
import { Limits } from "./Limits.ts"
import * as Batch from "./NotificationBatch.ts"
import * as Channel from "./NotificationChannel.ts"
import { NotificationStore } from "./NotificationStore.ts"
import { type Answer, isAccepted, reasonOf } from "./RetrySchedule.ts"

/**
 * One try: `body` is sent to `webhook` with `webhookId`. `owner` is the claim that allows it.
 */
export interface Delivery extends Channel.ChannelKey, Channel.Sent {
  readonly owner: string
  /** The number of the notification in its channel, from 1; a retry keeps it. */
  readonly number: number
  readonly webhookId: string
  readonly webhook: Webhook
  readonly body: string
}

/**
 * The outcome of a delivery. `dead`: some of its events became a dead letter. `lost`: another host claimed the channel
 * meanwhile, so the answer does not count and the body is sent again.
 */
export type Settlement = "accepted" | "rejected" | "dead" | "lost"

export class Notifications extends Context.Service<
  Notifications,
  {
    /** The channels that may have something to send now and that no host works on. */
    readonly due: Effect.Effect<ReadonlyArray<Channel.ChannelKey>, StorageError>
    /**
     * Claims the channel for 15 s and returns what to send: the present stock after the cursor, at most 500 events by
     * rising sequence. Undefined when nothing is pending, the next try is not due, or another host was faster.
     */
    readonly begin: (key: Channel.ChannelKey) => Effect.Effect<Delivery | undefined, StorageError>
    /** Stores the outcome of a delivery and releases the channel. */
    readonly settle: (delivery: Delivery, answer: Answer) => Effect.Effect<Settlement, StorageError>
    /** Releases the channel when the host stops before an answer came. */
    readonly release: (delivery: Delivery) => Effect.Effect<void, StorageError>
    /** The dead letters of one marketplace, oldest first. */
    readonly deadLetters: (marketplace: string) => Effect.Effect<ReadonlyArray<Channel.DeadLetter>, StorageError>
    /**
     * Sends a dead letter again, with the present quantities, before anything else of its channel. False when no dead
     * letter has this id.
     */
    readonly resend: (key: Channel.ChannelKey, id: string) => Effect.Effect<boolean, StorageError>
    /**
     * Sends the marketplace everything that it sells of these companies again, under new sequences, so that a receiver that
     * lost its data, or receives a location for the first time, has the right quantities. The same goes after the database
     * was replaced by an older copy: a SKU that the receiver then still has under a sequence below `sequencesFrom` is not
     * in stock. Source: docs/reference/notifications.md#reconcile.
     */
    readonly reconcile: (
      caller: Caller,
      marketplace: string,
      companies: ReadonlyArray<CompanyId>
    ) => Effect.Effect<void, StorageError>
    /** The same for one company, as a part of another change. */
    readonly restart: (
      marketplace: string,
      company: CompanyId,
      mark: CompanyWrite.Mark
    ) => Effect.Effect<void, StaleWrite | StorageError>
    /** Makes rejected notifications due at once. */
    readonly wake: (marketplace: string) => Effect.Effect<void, StorageError>
    /** How far the marketplace has been notified, for each of its companies. */
    readonly progress: (marketplace: Marketplace) => Effect.Effect<ReadonlyArray<Progress>, StorageError>
  }
>()("@crossdock/notifications/Notifications") {}

/**
 * How far a marketplace has been notified of a company's stock. Everything up to the company's change number
 * `lastNotified` was accepted; `lastChange` is its last one. `hasPending` says whether changes are still to be sent. No
 * event since the last reconcile has a sequence below `sequencesFrom`. `notifications` counts those that were accepted or
 * given up. `failures` counts rejected tries in a row; the next try is at `nextAt`, in epoch milliseconds.
 */
export interface Progress {
  readonly companyId: CompanyId
  readonly lastNotified: number
  readonly lastChange: number
  readonly hasPending: boolean
  readonly sequencesFrom: number
  readonly notifications: number
  readonly failures: number
  readonly failure: string | null
  readonly nextAt: number | null
  readonly deadLetters: number
}

/**
 * A channel state with nothing to send up to the change `number`: it saves reading a channel without news again.
 */
interface Quiet {
  readonly channel: string
  readonly number: number
}

export const make = Effect.gen(function* () {
  const registered = yield* MarketplaceStore
  const { run } = yield* CompanyWrite.CompanyWrite
  const levels = yield* StockLevels
  const store = yield* NotificationStore
  const log = yield* AuditLog
  const transaction = yield* Transaction.Transaction
  const digest = yield* Digest
  const ids = yield* Ids.Ids
  const quiet = yield* Ref.make<ReadonlyMap<string, Quiet>>(new Map())

  const quietUpTo = (known: ReadonlyMap<string, Quiet>, marketplace: Marketplace, channel: Channel.Channel): number => {
    const found = known.get(Channel.channelName(channel))
    return found?.channel === channelState(marketplace, channel) ? found.number : 0
  }

  const due = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const notified = (yield* registered.all).filter((marketplace) => marketplace.webhook !== null)
    if (notified.length === 0) return []
    const channels = new Map((yield* store.channels).map((channel) => [Channel.channelName(channel), channel]))
    const companies = [...new Set(notified.flatMap(companiesOf))]
    const last = new Map((yield* log.heads(companies)).map((one) => [one.companyId, one.sequence]))
    const known = yield* Ref.get(quiet)
    return notified.flatMap((marketplace) =>
      companiesOf(marketplace)
        .map((companyId) => ({ marketplace: marketplace.slug, companyId }))
        .filter((key) => {
          const channel = channels.get(Channel.channelName(key)) ?? Channel.fresh(key)
          if (!Channel.isFree(channel, now)) return false
          if (channel.outstanding !== null || channel.again.length > 0) return true
          const done = Math.max(Batch.readAfter(channel.cursor), quietUpTo(known, marketplace, channel))
          return (last.get(key.companyId) ?? 0) > done
        })
    )
  })

  /**
   * Reads whole changes after the cursor. It reads more at a time when a single change exceeds the limit.
   */
  const markedAfter = (
    { companyId, cursor, marketplace }: Channel.Channel,
    locations: ReadonlyArray<string>,
    from: number
  ) => {
    const read = (limit: number): Effect.Effect<ReadonlyArray<Level.Level>, StorageError> =>
      Effect.flatMap(levels.marked(companyId, locations, from, limit, marketplace), (found) => {
        const whole = Batch.wholeChanges(found, limit)
        const more = found.length >= limit && !whole.some(Batch.isBeyond(cursor))
        return more ? read(limit * 2) : Effect.succeed(whole)
      })
    return read(2 * Limits.batchSize + 1)
  }

  const compose = (marketplace: Marketplace, channel: Channel.Channel) =>
    Effect.gen(function* () {
      const { again, companyId, cursor } = channel
      const codes = codesOf(marketplace, companyId)
      const [last] = yield* log.heads([companyId])
      const known = quietUpTo(yield* Ref.get(quiet), marketplace, channel)
      // Keys that the marketplace no longer sells are dropped, or they would be pending for ever.
      const repeat = again.filter(({ location, sku }) => codes.has(location) && Offer.sells(marketplace, sku))
      const loaded = repeat.length === 0 ? [] : yield* levels.load(companyId, repeat)
      const marked = yield* markedAfter(channel, [...codes.keys()], Math.max(Batch.readAfter(cursor), known))
      const present = loaded.filter((level) => typeof level === "object").filter(({ sequence }) => sequence > 0)
      // A key without a level was deleted with its product.
      const missing = Channel.without(repeat, present)
      const deleted = missing.length === 0 ? [] : yield* levels.deleted(companyId, missing, marketplace.slug)
      const sendable = [...present, ...deleted]
      const { levels: chosen, reach } = Batch.nextBatch({ cursor, again: sendable, marked })
      if (chosen.length === 0 && last !== undefined) {
        const found = { channel: channelState(marketplace, channel), number: last.sequence }
        yield* Ref.update(quiet, (all) => new Map(all).set(Channel.channelName(channel), found))
      }
      const events = InventoryEvent.eventsOf(chosen, {
        marketplace,
        floor: channel.floor,
        sha256: digest.sha256
      })
      // Levels beyond the cursor are sent in any case.
      const repeated = sendable.filter((level) => !Batch.isBeyond(cursor)(level))
      return { events, reach, dropped: Channel.without(again, repeated) }
    })

  const begin: (key: Channel.ChannelKey) => Effect.Effect<Delivery | undefined, StorageError> = Effect.fn(
    "Notifications.begin"
  )(function* (key: Channel.ChannelKey) {
    const now = yield* Clock.currentTimeMillis
    // The channel is read first: a later registration makes the claim below stale, so no old mapping is sent as a new one.
    const channel = (yield* store.find(key)) ?? Channel.fresh(key)
    const marketplace = yield* registered.find(key.marketplace)
    const webhook = marketplace?.webhook ?? null
    if (marketplace === undefined || webhook === null) return undefined
    if (!Channel.isFree(channel, now)) return undefined
    const sent = yield* compose(marketplace, channel)
    if (sent.events.length === 0) {
      const moved = sent.reach !== channel.cursor
      if (channel.outstanding !== null || sent.dropped.length > 0 || moved) {
        yield* store.save(Channel.advanced(channel, sent)).pipe(Effect.catchTag("StaleWrite", () => Effect.void))
      }
      // The cursor passed levels that it does not sell; some that it sells may follow.
      return moved ? yield* begin(key) : undefined
    }
    const body = InventoryEvent.bodyOf(sent.events)
    const owner = yield* ids.hex
    const offer = { fingerprint: digest.sha256(body), webhookId: `msg_${yield* ids.hex}` }
    const claimed = Channel.claim(channel, offer, owner, now)
    const won = yield* store.save(claimed).pipe(
      Effect.as(true),
      Effect.catchTag("StaleWrite", () => Effect.succeed(false))
    )
    if (!won) return undefined
    const { webhookId } = claimed.outstanding
    const number = channel.completed + 1
    return { ...sent, marketplace: key.marketplace, companyId: key.companyId, owner, number, webhookId, webhook, body }
  })

  /**
   * Changes the channel if the delivery's claim is still valid, else returns `lost`.
   */
  const whileOwned = <A, E>(delivery: Delivery, change: (channel: Channel.Channel) => Effect.Effect<A, E>) =>
    Transaction.retrying(transaction)(
      Effect.gen(function* () {
        const channel = yield* store.find(delivery)
        return channel?.lease?.owner === delivery.owner ? yield* change(channel) : ("lost" as const)
      })
    )

  const settle = Effect.fn("Notifications.settle")(function* (delivery: Delivery, answer: Answer) {
    const now = yield* Clock.currentTimeMillis
    const random = yield* Random.next
    return yield* whileOwned(delivery, (channel) =>
      Effect.gen(function* () {
        if (isAccepted(answer)) {
          yield* store.save(Channel.accepted(channel, delivery))
          return "accepted" as const
        }
        const next = Channel.rejected(channel, delivery, { failure: reasonOf(answer), now, random })
        yield* store.save(next.channel)
        if (next.letter === null) return "rejected" as const
        yield* store.addDeadLetter(next.letter)
        return "dead" as const
      })
    )
  })

  const release = Effect.fn("Notifications.release")((delivery: Delivery) =>
    Effect.asVoid(whileOwned(delivery, (channel) => store.save(Channel.released(channel))))
  )

  const resend = Effect.fn("Notifications.resend")((key: Channel.ChannelKey, id: string) =>
    Transaction.retrying(transaction)(
      Effect.gen(function* () {
        const letter = yield* store.takeDeadLetter(key, id)
        if (letter === undefined) return false
        yield* store.save(Channel.resent((yield* store.find(key)) ?? Channel.fresh(key), letter))
        return true
      })
    )
  )

  const channelsOf = (marketplace: string) =>
    Effect.map(store.channels, (all) => all.filter((channel) => channel.marketplace === marketplace))

  const restart = Effect.fn("Notifications.restart")(function* (
    marketplace: string,
    companyId: CompanyId,
    { at, number }: CompanyWrite.Mark
  ) {
    const channels = yield* channelsOf(marketplace)
    const changes = yield* log.heads(channels.map((channel) => channel.companyId))
    const last = new Map(changes.map((one) => [one.companyId, one.sequence]))
    const least = Channel.nextSequence(channels, (id) => last.get(id) ?? 0, at)
    const key = { marketplace, companyId }
    const channel = (yield* store.find(key)) ?? Channel.fresh(key)
    yield* store.save(Channel.restarted(channel, number, least))
  })

  const reconcile = Effect.fn("Notifications.reconcile")(
    (caller: Caller, marketplace: string, companies: ReadonlyArray<CompanyId>) =>
      run(caller, {
        load: Effect.void,
        companies: () => companies,
        decide: () =>
          Effect.succeed({
            answer: undefined,
            changes: companies.map((companyId) => ({
              companyId,
              entity: { type: "marketplace", id: marketplace, action: "reconcile" },
              save: (mark: CompanyWrite.Mark) =>
                Effect.as(restart(marketplace, companyId, mark), { request: null, response: null })
            }))
          })
      })
  )

  const wake = Effect.fn("Notifications.wake")((marketplace: string) =>
    Transaction.retrying(transaction)(
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const rejected = (yield* channelsOf(marketplace)).filter((channel) => channel.outstanding !== null)
        yield* Effect.forEach(rejected, (channel) => store.save(Channel.woken(channel, now)), { discard: true })
      })
    )
  )

  const progress = Effect.fn("Notifications.progress")(function* (marketplace: Marketplace) {
    const companies = companiesOf(marketplace)
    const channels = new Map((yield* channelsOf(marketplace.slug)).map((channel) => [channel.companyId, channel]))
    const letters = yield* store.deadLetters(marketplace.slug)
    const last = new Map((yield* log.heads(companies)).map((one) => [one.companyId, one.sequence]))
    return yield* Effect.forEach(companies, (companyId) =>
      Effect.gen(function* () {
        const channel = channels.get(companyId) ?? Channel.fresh({ marketplace: marketplace.slug, companyId })
        const { events, reach } = yield* compose(marketplace, channel)
        const line: Progress = {
          companyId,
          lastNotified: Batch.readAfter(channel.cursor),
          lastChange: last.get(companyId) ?? 0,
          hasPending: events.length > 0 || reach !== channel.cursor,
          sequencesFrom: channel.floor.sequence,
          notifications: channel.completed,
          failures: channel.outstanding?.failures ?? 0,
          failure: channel.outstanding?.failure ?? null,
          nextAt: channel.outstanding?.nextAt ?? null,
          deadLetters: letters.filter((letter) => letter.companyId === companyId).length
        }
        return line
      })
    )
  })

  return Notifications.of({
    due,
    begin,
    settle,
    release,
    deadLetters: store.deadLetters,
    resend,
    reconcile,
    restart,
    wake,
    progress
  })
})

/**
 * The state, besides the levels, that decides whether a channel has something to send.
 */
const channelState = (marketplace: Marketplace, { companyId, cursor }: Channel.Channel): string =>
  JSON.stringify([[...codesOf(marketplace, companyId)], cursor])

/**
 * The service, and the port `StockResend` of marketplaces.
 */
export const layer: Layer.Layer<
  Notifications | StockResend,
  never,
  | MarketplaceStore
  | CompanyWrite.CompanyWrite
  | StockLevels
  | NotificationStore
  | AuditLog
  | Transaction.Transaction
  | Digest
  | Ids.Ids
> = Layer.effect(
  StockResend,
  Effect.map(Notifications, ({ restart }) => ({ restart }))
).pipe(Layer.provideMerge(Layer.effect(Notifications, make)))
