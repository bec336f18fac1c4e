/**
 * Use cases: tell marketplaces of stock. Nothing here sends: a worker asks what is due, begins a delivery, sends it outside
 * of any transaction, and says what came of it.
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
import * as Batch from "./NotificationBatch.ts"
import * as Channel from "./NotificationChannel.ts"
import { NotificationStore } from "./NotificationStore.ts"
import { type Answer, isAccepted, reasonOf } from "./RetrySchedule.ts"

/**
 * One try: `body` goes to `webhook` under `webhookId`. `owner` names the claim that allows it.
 */
export interface Delivery extends Channel.ChannelKey, Channel.Sent {
  readonly owner: string
  /** Counts the channel's notifications from 1; a retry has the number of the try before. */
  readonly number: number
  readonly webhookId: string
  readonly webhook: Webhook
  readonly body: string
}

/**
 * `lost`: another host took the channel over meanwhile, so this answer does not count and the body is sent again.
 */
export type Settlement = "accepted" | "rejected" | "dead" | "lost"

export class Notifications extends Context.Service<
  Notifications,
  {
    /** The channels that may have something to tell now and that nobody works on. */
    readonly due: Effect.Effect<ReadonlyArray<Channel.ChannelKey>, StorageError>
    /**
     * Takes the channel for 15 s and gives what to send: the present stock after the cursor, at most 500 events by rising
     * sequence. Undefined when there is nothing to tell, its time has not come, or another host was faster.
     */
    readonly begin: (key: Channel.ChannelKey) => Effect.Effect<Delivery | undefined, StorageError>
    /** Writes down what came of a delivery and gives the channel back. */
    readonly settle: (delivery: Delivery, answer: Answer) => Effect.Effect<Settlement, StorageError>
    /** Gives the channel back when the host stops before an answer came. */
    readonly release: (delivery: Delivery) => Effect.Effect<void, StorageError>
    /** What one marketplace could not be told, oldest first. */
    readonly deadLetters: (marketplace: string) => Effect.Effect<ReadonlyArray<Channel.DeadLetter>, StorageError>
    /**
     * Sends a dead letter again, with the present quantities, before anything else of its channel. False when there is
     * none with this id.
     */
    readonly resend: (key: Channel.ChannelKey, id: string) => Effect.Effect<boolean, StorageError>
    /**
     * Tells the marketplace everything that it sells of these companies once more, under new sequences, so that a receiver
     * that lost its data, or hears of a location for the first time, is equal again. So it is after the database was
     * replaced by an older copy: what it then still has under a lower sequence than `sequencesFrom` is not in stock.
     */
    readonly reconcile: (
      caller: Caller,
      marketplace: string,
      companies: ReadonlyArray<CompanyId>
    ) => Effect.Effect<void, StorageError>
    /** The same of one company, as a part of another change. */
    readonly restart: (
      marketplace: string,
      company: CompanyId,
      mark: CompanyWrite.Mark
    ) => Effect.Effect<void, StaleWrite | StorageError>
    /** Tries what was rejected at once instead of at its time. */
    readonly wake: (marketplace: string) => Effect.Effect<void, StorageError>
    /** How far the marketplace has been told, a line for each of its companies. */
    readonly progress: (marketplace: Marketplace) => Effect.Effect<ReadonlyArray<Progress>, StorageError>
  }
>()("@crossdock/notifications/Notifications") {}

/**
 * `toldUpTo` is the change number up to which everything was accepted, `lastChange` the company's last one; `isWaiting`
 * says whether stock has changed that was not told yet. No event since the last reconcile has a sequence below
 * `sequencesFrom`. `failures` counts rejected tries in a row, the next one being at `nextAt` (epoch ms).
 */
export interface Progress {
  readonly companyId: CompanyId
  readonly toldUpTo: number
  readonly lastChange: number
  readonly isWaiting: boolean
  readonly sequencesFrom: number
  readonly notifications: number
  readonly failures: number
  readonly failure: string | null
  readonly nextAt: number | null
  readonly deadLetters: number
}

/**
 * As the channel stood, up to `number` there was nothing to tell: what spares a channel without news from being read again.
 */
interface Quiet {
  readonly channel: string
  readonly number: number
}

const keyText = ({ companyId, marketplace }: Channel.ChannelKey): string => JSON.stringify([companyId, marketplace])

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
    const found = known.get(keyText(channel))
    const holds = found?.channel === standing(marketplace, channel)
    return holds ? found.number : 0
  }

  const due = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const told = (yield* registered.all).filter((marketplace) => marketplace.webhook !== null)
    if (told.length === 0) return []
    const channels = new Map((yield* store.channels).map((channel) => [keyText(channel), channel]))
    const companies = [...new Set(told.flatMap(companiesOf))]
    const last = new Map((yield* log.heads(companies)).map((one) => [one.companyId, one.sequence]))
    const known = yield* Ref.get(quiet)
    return told.flatMap((marketplace) =>
      companiesOf(marketplace)
        .map((companyId) => ({ marketplace: marketplace.slug, companyId }))
        .filter((key) => {
          const channel = channels.get(keyText(key)) ?? Channel.fresh(key)
          if (!Channel.isFree(channel, now)) return false
          if (channel.outstanding !== null || channel.again.length > 0) return true
          const done = Math.max(Batch.readAfter(channel.cursor), quietUpTo(known, marketplace, channel))
          return (last.get(key.companyId) ?? 0) > done
        })
    )
  })

  /**
   * Reads whole changes after the cursor, more at a time when one change alone is more than was asked for.
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
    return read(2 * Batch.batchSize + 1)
  }

  const compose = (marketplace: Marketplace, channel: Channel.Channel) =>
    Effect.gen(function* () {
      const { again, companyId, cursor } = channel
      const codes = codesOf(marketplace, companyId)
      const [last] = yield* log.heads([companyId])
      const known = quietUpTo(yield* Ref.get(quiet), marketplace, channel)
      // Of what the marketplace does not sell any more there is nothing to tell: such keys go, or they would wait for ever.
      const repeat = again.filter(({ location, sku }) => codes.has(location) && Offer.sells(marketplace, sku))
      const loaded = repeat.length === 0 ? [] : yield* levels.load(companyId, repeat)
      const marked = yield* markedAfter(channel, [...codes.keys()], Math.max(Batch.readAfter(cursor), known))
      const present = loaded.filter((level) => typeof level === "object").filter(({ sequence }) => sequence > 0)
      // What was told once and is not marked any more went with its product.
      const missing = Channel.without(repeat, present)
      const gone = missing.length === 0 ? [] : yield* levels.deleted(companyId, missing, marketplace.slug)
      const tellable = [...present, ...gone]
      const { levels: chosen, reach } = Batch.take({ cursor, again: tellable, marked })
      if (chosen.length === 0 && last !== undefined) {
        const found = { channel: standing(marketplace, channel), number: last.sequence }
        yield* Ref.update(quiet, (all) => new Map(all).set(keyText(channel), found))
      }
      const events = InventoryEvent.eventsOf(chosen, {
        marketplace,
        floor: channel.floor,
        sha256: digest.sha256
      })
      // What the cursor has not passed comes by itself.
      const waiting = tellable.filter((level) => !Batch.isBeyond(cursor)(level))
      return { events, reach, gone: Channel.without(again, waiting) }
    })

  const begin: (key: Channel.ChannelKey) => Effect.Effect<Delivery | undefined, StorageError> = Effect.fn(
    "Notifications.begin"
  )(function* (key: Channel.ChannelKey) {
    const now = yield* Clock.currentTimeMillis
    // The channel first: a registration after it makes the claim below stale, so no old mapping is told as a new one.
    const channel = (yield* store.find(key)) ?? Channel.fresh(key)
    const marketplace = yield* registered.find(key.marketplace)
    const webhook = marketplace?.webhook ?? null
    if (marketplace === undefined || webhook === null) return undefined
    if (!Channel.isFree(channel, now)) return undefined
    const sent = yield* compose(marketplace, channel)
    if (sent.events.length === 0) {
      const moved = sent.reach !== channel.cursor
      if (channel.outstanding !== null || sent.gone.length > 0 || moved) {
        yield* store.save(Channel.advanced(channel, sent)).pipe(Effect.catchTag("StaleWrite", () => Effect.void))
      }
      // What it does not sell was passed; something that it sells may come after.
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
    const number = channel.told + 1
    return { ...sent, marketplace: key.marketplace, companyId: key.companyId, owner, number, webhookId, webhook, body }
  })

  /**
   * Changes the channel while the delivery's claim holds, and answers `lost` when it doesn't.
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
        yield* store.bury(next.letter)
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
    const told = yield* log.heads(channels.map((channel) => channel.companyId))
    const last = new Map(told.map((one) => [one.companyId, one.sequence]))
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
          toldUpTo: Batch.readAfter(channel.cursor),
          lastChange: last.get(companyId) ?? 0,
          isWaiting: events.length > 0 || reach !== channel.cursor,
          sequencesFrom: channel.floor.sequence,
          notifications: channel.told,
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
 * What the answer to "is there news?" depends on beside the levels.
 */
const standing = (marketplace: Marketplace, { companyId, cursor }: Channel.Channel): string =>
  JSON.stringify([[...codesOf(marketplace, companyId)], cursor])

/**
 * Fills the port of marketplaces that resends stock too.
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
