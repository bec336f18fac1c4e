/**
 * Use cases: begin the delivery of a notification, and settle or release it.
 */
import { AuditChain } from "@crossdock/audit"
import { Ids, type StorageError, Transaction } from "@crossdock/kernel"
import { type Marketplace, MarketplaceStore, StoredWebhook } from "@crossdock/marketplaces"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { isDue } from "../DeliveryAttempts.ts"
import * as InventoryEvent from "../InventoryEvent.ts"
import { Limits } from "../Limits.ts"
import { isBeyond } from "../NotificationBatch.ts"
import * as Channel from "../NotificationChannel.ts"
import { NotificationStore } from "../NotificationStore.ts"
import { type Answer, isAccepted } from "../RetrySchedule.ts"
import type { StoredMessage } from "../WebhookSender.ts"
import type { NextNotification } from "./NextNotification.ts"
import { whileOwned } from "./Owned.ts"
import { channelHeader, numberHeader } from "./WebhookRequest.ts"

/**
 * One try to send a message. `owner` is the claim that allows it.
 */
export interface Delivery extends Channel.ChannelKey, Channel.Sent, StoredMessage {
  readonly owner: string
}

/**
 * The outcome of a delivery. `halved`: a part of it is sent at once. `dead`: some of its events became a dead letter. `lost`:
 * another host claimed the channel meanwhile, so the answer does not count and the body is sent again.
 */
export type Settlement = "accepted" | "rejected" | "halved" | "dead" | "lost"

const isHalved = ({ outstanding }: Channel.Channel, { aside }: Channel.Sent, now: number) =>
  aside === null && outstanding !== null && isDue(outstanding, now)

/**
 * Makes the use cases.
 */
export const make = ({ compose, composeAside }: NextNotification) =>
  Effect.gen(function* () {
    const registered = yield* MarketplaceStore
    const store = yield* NotificationStore
    const transaction = yield* Transaction.Transaction
    // A host that may write no more would send what it can't settle.
    const unit = transaction.run
    const digest = yield* AuditChain.Digest
    const ids = yield* Ids.Ids

    /**
     * Claims the channel to send these events; undefined when another host was faster.
     */
    const claim = (channel: Channel.Channel, sent: Channel.Sent, webhook: StoredWebhook.StoredWebhook, now: number) =>
      Effect.gen(function* () {
        const body = InventoryEvent.bodyOf(sent.events)
        const owner = yield* ids.hex
        const offer = { fingerprint: digest.sha256(body), webhookId: `msg_${yield* ids.hex}` }
        const { channel: claimed, webhookId } = Channel.claim(channel, sent, offer, { owner, now })
        const { companyId, marketplace } = channel
        // A retry keeps its number in the channel.
        const headers = { [channelHeader]: String(companyId), [numberHeader]: String(channel.completed + 1) }
        const place = StoredWebhook.placeOf(marketplace)
        return yield* unit(store.save(claimed)).pipe(
          Effect.as({ ...sent, marketplace, companyId, owner, headers, webhookId, webhook, place, body }),
          Effect.catchTag("StaleWrite", () => Effect.succeed(undefined))
        )
      })

    /**
     * What is set aside comes last, so that it is not sent again with what follows. When something follows all the time, it comes
     * first once the cursor has passed it.
     */
    const next = (marketplace: Marketplace, channel: Channel.Channel, now: number) =>
      Effect.gen(function* () {
        const aside = Channel.dueAside(channel, now)
        if (aside !== undefined && now - aside.nextAt >= Limits.asideLastMillis) {
          const alone = yield* composeAside(marketplace, channel, aside)
          if (!alone.events.some(isBeyond(channel.cursor))) return alone
        }
        const isLater = channel.outstanding !== null && !isDue(channel.outstanding, now)
        const sent = isLater ? undefined : yield* compose(marketplace, channel)
        if (sent !== undefined && (sent.events.length > 0 || sent.reach !== channel.cursor)) return sent
        return aside === undefined ? sent : yield* composeAside(marketplace, channel, aside)
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
      const sent = yield* next(marketplace, channel, now)
      if (sent === undefined) return undefined
      if (sent.events.length > 0) return yield* claim(channel, sent, webhook, now)
      const moved = sent.reach !== channel.cursor || sent.aside !== null
      if (channel.outstanding !== null || sent.dropped.length > 0 || moved) {
        yield* unit(store.save(Channel.advanced(channel, sent))).pipe(Effect.catchTag("StaleWrite", () => Effect.void))
      }
      // It passed levels that the marketplace does not sell; some that it sells may follow.
      return moved ? yield* begin(key) : undefined
    })

    /** Changes the channel if the delivery's claim is still valid. */
    const owned = whileOwned(transaction, store.find)

    const settle = Effect.fn("Notifications.settle")(function* (delivery: Delivery, answer: Answer) {
      const now = yield* Clock.currentTimeMillis
      const random = yield* Random.next
      return yield* owned(delivery, (channel) =>
        Effect.gen(function* () {
          if (isAccepted(answer)) {
            yield* store.save(Channel.accepted(channel, delivery))
            return "accepted" as const
          }
          const next = Channel.rejected(channel, delivery, { answer, now, random })
          yield* store.save(next.channel)
          if (next.letter === null) return isHalved(next.channel, delivery, now) ? "halved" : "rejected"
          yield* store.addDeadLetter(next.letter)
          return "dead" as const
        })
      )
    })

    const release = Effect.fn("Notifications.release")((delivery: Delivery) =>
      Effect.asVoid(owned(delivery, (channel) => store.save(Channel.released(channel))))
    )

    return { begin, settle, release }
  })
