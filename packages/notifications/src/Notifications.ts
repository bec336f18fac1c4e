/** Use cases that notify marketplaces of stock. A worker calls them outside transactions. */
import type { Caller } from "@crossdock/access"
import { AuditChain, AuditStore, CompanyWrite } from "@crossdock/audit"
import { type CompanyId, Ids, type StaleWrite, type StockKey, type Stored, Transaction } from "@crossdock/kernel"
import { companiesOf, type Marketplace, MarketplaceStore, StockResend, StoredWebhook } from "@crossdock/marketplaces"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import { isDue } from "./DeliveryAttempts.ts"
import { whileClaimed } from "./DeliveryLoop.ts"
import * as InventoryEvent from "./InventoryEvent.ts"
import { Limits } from "./Limits.ts"
import * as NextNotification from "./NextNotification.ts"
import * as Channel from "./NotificationChannel.ts"
import * as Cursor from "./NotificationCursor.ts"
import { channelHeader, isAccepted, numberHeader, type StoredMessage, type WebhookAnswer } from "./WebhookSender.ts"

/** One attempt to send a message. `owner` has the channel's claim. */
export interface Delivery extends Channel.ChannelKey, Channel.Sent, StoredMessage {
  readonly owner: string
}

/**
 * The outcome of a delivery. `halved`: a part of the events is sent immediately. `dead`: some became a dead letter.
 * `lost`: another host has claimed the channel.
 */
export type Settlement = "accepted" | "rejected" | "halved" | "dead" | "lost"

/**
 * The progress of a marketplace with a company's stock. `lastNotified` is the last accepted change, and `lastChange` the
 * company's last. `sequencesFrom` is the first sequence since the last reconcile. `notifications` counts accepted and
 * abandoned ones. `failures` is the number of rejected attempts in a row. `nextAt` is in epoch milliseconds.
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
  readonly setAside: ReadonlyArray<StockKey>
  readonly deadLetters: number
}

/** Notifies marketplaces of stock. */
export class Notifications extends Context.Service<
  Notifications,
  {
    /** The channels that may have something to send now and that no host has claimed. */
    readonly due: Stored<ReadonlyArray<Channel.ChannelKey>>
    /** Claims the channel for 15 s, and returns up to 500 events sorted by sequence, or undefined if nothing is due. */
    readonly begin: (key: Channel.ChannelKey) => Stored<Delivery | undefined>
    /** Stores the outcome of a delivery, and releases the channel. */
    readonly settle: (delivery: Delivery, answer: WebhookAnswer) => Stored<Settlement>
    /** Releases the channel without an outcome. Call it if the host ends before the answer arrives. */
    readonly release: (delivery: Delivery) => Stored<void>
    /** The dead letters of a marketplace, oldest first. */
    readonly deadLetters: (marketplace: string) => Stored<ReadonlyArray<Channel.DeadLetter>>
    /** Resends a dead letter with current quantities, before everything else. Returns false if the id isn't known. */
    readonly resend: (caller: Caller, key: Channel.ChannelKey, id: string) => Stored<boolean>
    /**
     * Resends the stock of these companies under new sequences. A SKU whose sequence remains below `sequencesFrom` isn't in
     * stock. Source: docs/reference/notifications.md#reconcile.
     */
    readonly reconcile: (caller: Caller, marketplace: string, companies: ReadonlyArray<CompanyId>) => Stored<void>
    /** Does what `reconcile` does, for one company and inside another change. */
    readonly restart: (marketplace: string, company: CompanyId, mark: CompanyWrite.Mark) => Stored<void, StaleWrite>
    /** Makes rejected notifications due immediately. */
    readonly wake: (caller: Caller, marketplace: string) => Stored<void>
    /** The progress of the marketplace for these companies, or for all its companies. */
    readonly progress: (
      marketplace: Marketplace,
      companies?: ReadonlyArray<CompanyId>
    ) => Stored<ReadonlyArray<Progress>>
    /** The body of the next notification. It is undefined if nothing is pending. */
    readonly nextBody: (key: Channel.ChannelKey) => Stored<string | undefined>
  }
>()("@crossdock/notifications/Notifications") {}

interface Notified {
  readonly version: number
  readonly marketplaces: ReadonlyArray<Marketplace>
}

const isHalved = ({ outstanding }: Channel.Channel, { aside }: Channel.Sent, now: number) =>
  aside === null && outstanding !== null && isDue(outstanding, now)

const channelsOf = (store: typeof Channel.NotificationStore.Service, marketplace: string) =>
  Effect.map(store.channels, (all) => all.filter((channel) => channel.marketplace === marketplace))

const changeOf = (
  { companyId, marketplace }: Channel.ChannelKey,
  action: string,
  save: (mark: CompanyWrite.Mark) => Stored<void, StaleWrite>,
  request: { readonly deadLetter: string } | null = null
): CompanyWrite.CompanyChange => ({
  companyId,
  entity: { type: "marketplace", id: marketplace, action },
  save: (mark) => Effect.as(save(mark), { logs: { request, response: null }, events: [] })
})

export const make = Effect.gen(function* () {
  const registered = yield* MarketplaceStore
  const store = yield* Channel.NotificationStore
  const log = yield* AuditStore
  const { run } = yield* CompanyWrite.CompanyWrite
  const transaction = yield* Transaction.Transaction
  // Claims are saved in their own transaction before sending, since a host that can't write must not send.
  const unit = transaction.run
  const digest = yield* AuditChain.Digest
  const ids = yield* Ids.Ids
  const { compose, composeAside, idleUpTo } = yield* NextNotification.make
  let latest: Notified = { version: 0, marketplaces: [] }

  /** The marketplaces that have a webhook. They are read again only after one of them changed. */
  const marketplaces = Effect.gen(function* () {
    const version = yield* registered.version
    if (latest.version === version) return latest.marketplaces
    const notified = (yield* registered.all).filter(({ webhook }) => webhook !== null)
    latest = { version, marketplaces: notified }
    return notified
  })

  const due = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const notified = yield* marketplaces
    if (notified.length === 0) return []
    const channels = new Map((yield* store.channels).map((channel) => [Channel.channelName(channel), channel]))
    const companies = [...new Set(notified.flatMap(companiesOf))]
    const last = new Map((yield* log.heads(companies)).map((one) => [one.companyId, one.sequence]))
    return notified.flatMap((marketplace) =>
      companiesOf(marketplace)
        .map((companyId) => ({ marketplace: marketplace.slug, companyId }))
        .filter((key) => {
          const channel = channels.get(Channel.channelName(key)) ?? Channel.fresh(key)
          if (!Channel.isFree(channel, now)) return false
          const isRejected = channel.outstanding !== null || Channel.dueAside(channel, now) !== undefined
          if (isRejected || channel.again.length > 0) return true
          const done = Math.max(Cursor.readAfter(channel.cursor), idleUpTo(marketplace, channel))
          return (last.get(key.companyId) ?? 0) > done
        })
    )
  })

  /** Claims the channel. Returns undefined if another host was faster. */
  const claim = (channel: Channel.Channel, sent: Channel.Sent, webhook: StoredWebhook.StoredWebhook, now: number) =>
    Effect.gen(function* () {
      const body = InventoryEvent.bodyOf(sent.events)
      const owner = yield* ids.hex
      const offer = { fingerprint: digest.sha256(body), webhookId: `msg_${yield* ids.hex}` }
      const { channel: claimed, webhookId } = Channel.claim(channel, sent, offer, { owner, now })
      const { companyId, marketplace } = channel
      // A repeated attempt keeps its number in the channel.
      const headers = { [channelHeader]: String(companyId), [numberHeader]: String(channel.completed + 1) }
      const place = StoredWebhook.placeOf(marketplace)
      return yield* unit(store.save(claimed)).pipe(
        Effect.as({ ...sent, marketplace, companyId, owner, headers, webhookId, webhook, place, body }),
        Effect.catchTag("StaleWrite", () => Effect.succeed(undefined))
      )
    })

  /** The content of the next attempt. Set-aside SKUs are sent last, unless they have waited too long. */
  const next = Effect.fnUntraced(function* (marketplace: Marketplace, channel: Channel.Channel, now: number) {
    const aside = Channel.dueAside(channel, now)
    if (aside !== undefined && now - aside.nextAt >= Limits.asideLastMillis) {
      const alone = yield* composeAside(marketplace, channel, aside)
      if (!alone.events.some(Cursor.isBeyond(channel.cursor))) return alone
    }
    const isLater = channel.outstanding !== null && !isDue(channel.outstanding, now)
    const sent = isLater ? undefined : yield* compose(marketplace, channel)
    if (sent !== undefined && (sent.events.length > 0 || sent.reach !== channel.cursor)) return sent
    return aside === undefined ? sent : yield* composeAside(marketplace, channel, aside)
  })

  const begin: typeof Notifications.Service.begin = Effect.fn("Notifications.begin")(function* (key) {
    const now = yield* Clock.currentTimeMillis
    // The channel is read first. If the marketplace is registered again meanwhile, the claim is stale.
    const channel = (yield* store.find(key)) ?? Channel.fresh(key)
    const marketplace = yield* registered.find(key.marketplace)
    const webhook = marketplace?.webhook ?? null
    if (marketplace === undefined || webhook === null || !Channel.isFree(channel, now)) return undefined
    const sent = yield* next(marketplace, channel, now)
    if (sent === undefined) return undefined
    if (sent.events.length > 0) return yield* claim(channel, sent, webhook, now)
    const moved = sent.reach !== channel.cursor || sent.aside !== null
    if (channel.outstanding !== null || sent.dropped.length > 0 || moved)
      yield* unit(store.save(Channel.advanced(channel, sent))).pipe(Effect.catchTag("StaleWrite", () => Effect.void))
    // The cursor has passed levels that the marketplace doesn't sell. Levels that it sells may follow.
    return moved ? yield* begin(key) : undefined
  })

  const owned = whileClaimed(transaction, store.find)

  const wakeOne = (caller: Caller, key: Channel.ChannelKey) =>
    run(caller, {
      load: store.find(key),
      decide: (channel, now) => {
        const woken = channel && Channel.woken(channel, now)
        if (woken === undefined || woken === channel) return Effect.succeed(CompanyWrite.nothing(undefined))
        return Effect.succeed({ answer: undefined, changes: [changeOf(key, "wake", () => store.save(woken))] })
      }
    })

  const restart: typeof Notifications.Service.restart = Effect.fn("Notifications.restart")(function* (
    marketplace,
    companyId,
    { at, changeNumber }
  ) {
    const channels = yield* channelsOf(store, marketplace)
    const changes = yield* log.heads(channels.map((channel) => channel.companyId))
    const last = new Map(changes.map((one) => [one.companyId, one.sequence]))
    const least = Channel.nextSequence(channels, (id) => last.get(id) ?? 0, at)
    const key = { marketplace, companyId }
    const channel = (yield* store.find(key)) ?? Channel.fresh(key)
    yield* store.save(Channel.restarted(channel, yield* CompanyWrite.knownNumber(changeNumber), least))
  })

  return Notifications.of({
    due,
    begin,

    settle: Effect.fn("Notifications.settle")(function* (delivery, answer) {
      const now = yield* Clock.currentTimeMillis
      const random = yield* Random.next
      return yield* owned(delivery, (channel) =>
        Effect.gen(function* () {
          if (isAccepted(answer)) {
            yield* store.save(Channel.accepted(channel, delivery))
            return "accepted"
          }
          const next = Channel.rejected(channel, delivery, { answer, now, random })
          yield* store.save(next.channel)
          if (next.letter === null) return isHalved(next.channel, delivery, now) ? "halved" : "rejected"
          yield* store.addDeadLetter(next.letter)
          return "dead"
        })
      )
    }),

    release: Effect.fn("Notifications.release")((delivery) =>
      Effect.asVoid(owned(delivery, (channel) => store.save(Channel.released(channel))))
    ),

    deadLetters: store.deadLetters,

    resend: Effect.fn("Notifications.resend")((caller, key, id) =>
      run(caller, {
        load: store.takeDeadLetter(key, id),
        decide: Effect.fnUntraced(function* (letter) {
          if (letter === undefined) return CompanyWrite.nothing(false)
          const channel = Channel.resent((yield* store.find(key)) ?? Channel.fresh(key), letter)
          return { answer: true, changes: [changeOf(key, "resend", () => store.save(channel), { deadLetter: id })] }
        })
      })
    ),

    restart,

    reconcile: Effect.fn("Notifications.reconcile")((caller, marketplace, companies) => {
      const changes = companies.map((companyId) =>
        changeOf({ marketplace, companyId }, "reconcile", (mark) => restart(marketplace, companyId, mark))
      )
      return run(caller, { load: Effect.void, decide: () => Effect.succeed({ answer: undefined, changes }) })
    }),

    /** Wakes the channels company by company, so that no channel remains locked until all are saved. */
    wake: Effect.fn("Notifications.wake")(function* (caller, marketplace) {
      const channels = yield* channelsOf(store, marketplace)
      const rejected = channels.filter(({ aside, outstanding }) => outstanding !== null || aside.length > 0)
      yield* Effect.forEach(rejected, (channel) => wakeOne(caller, channel), { discard: true })
    }),

    progress: Effect.fn("Notifications.progress")(function* (marketplace, companies = companiesOf(marketplace)) {
      const present = yield* channelsOf(store, marketplace.slug)
      const channels = new Map(present.map((channel) => [channel.companyId, channel]))
      const letters = yield* store.deadLetters(marketplace.slug)
      const last = new Map((yield* log.heads(companies)).map((one) => [one.companyId, one.sequence]))
      return yield* Effect.forEach(companies, (companyId) => {
        const channel = channels.get(companyId) ?? Channel.fresh({ marketplace: marketplace.slug, companyId })
        const { failure = null, failures = 0, nextAt = null } = channel.outstanding ?? {}
        return Effect.map(compose(marketplace, channel), ({ events, reach }) => ({
          companyId,
          lastNotified: Cursor.readAfter(channel.cursor),
          lastChange: last.get(companyId) ?? 0,
          hasPending: events.length > 0 || channel.aside.length > 0 || reach !== channel.cursor,
          sequencesFrom: channel.floor.sequence,
          notifications: channel.completed,
          failures,
          failure,
          nextAt,
          setAside: channel.aside.map(({ location, sku }) => ({ location, sku })),
          deadLetters: letters.filter((letter) => letter.companyId === companyId).length
        }))
      })
    }),

    nextBody: Effect.fnUntraced(function* (key) {
      const marketplace = yield* registered.find(key.marketplace)
      if (marketplace?.webhook === undefined || marketplace.webhook === null) return undefined
      const channel = (yield* store.find(key)) ?? Channel.fresh(key)
      const { events } = yield* compose(marketplace, channel)
      const [aside] = channel.aside
      const sent =
        events.length > 0 || aside === undefined ? { events } : yield* composeAside(marketplace, channel, aside)
      return sent.events.length === 0 ? undefined : InventoryEvent.bodyOf(sent.events)
    })
  })
})

/** The service `Notifications`, and the port `StockResend` of marketplaces. */
export const layer = Layer.effect(
  StockResend,
  Effect.map(Notifications, ({ restart }) => ({ restart }))
).pipe(Layer.provideMerge(Layer.effect(Notifications, make)))
