/**
 * Use cases: begin the delivery of a notification, and settle or release it.
 */
import { Digest } from "@crossdock/audit"
import { Ids, type StorageError, Transaction } from "@crossdock/kernel"
import { MarketplaceStore, StoredWebhook } from "@crossdock/marketplaces"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { isFree } from "../DeliveryAttempts.ts"
import * as InventoryEvent from "../InventoryEvent.ts"
import * as Channel from "../NotificationChannel.ts"
import { NotificationStore } from "../NotificationStore.ts"
import { type Answer, isAccepted, reasonOf } from "../RetrySchedule.ts"
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
 * The outcome of a delivery. `dead`: some of its events became a dead letter. `lost`: another host claimed the channel
 * meanwhile, so the answer does not count and the body is sent again.
 */
export type Settlement = "accepted" | "rejected" | "dead" | "lost"

/**
 * Makes the use cases.
 */
export const make = ({ compose }: NextNotification) =>
  Effect.gen(function* () {
    const registered = yield* MarketplaceStore
    const store = yield* NotificationStore
    const transaction = yield* Transaction.Transaction
    const digest = yield* Digest
    const ids = yield* Ids.Ids

    /**
     * Claims the channel to send these events; undefined when another host was faster.
     */
    const claim = (channel: Channel.Channel, sent: Channel.Sent, webhook: StoredWebhook.StoredWebhook, now: number) =>
      Effect.gen(function* () {
        const body = InventoryEvent.bodyOf(sent.events)
        const owner = yield* ids.hex
        const offer = { fingerprint: digest.sha256(body), webhookId: `msg_${yield* ids.hex}` }
        const claimed = Channel.claim(channel, offer, owner, now)
        const { companyId, marketplace } = channel
        const { webhookId } = claimed.outstanding
        // A retry keeps its number in the channel.
        const headers = { [channelHeader]: String(companyId), [numberHeader]: String(channel.completed + 1) }
        const place = StoredWebhook.placeOf(marketplace)
        return yield* store.save(claimed).pipe(
          Effect.as({ ...sent, marketplace, companyId, owner, headers, webhookId, webhook, place, body }),
          Effect.catchTag("StaleWrite", () => Effect.succeed(undefined))
        )
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
      if (!isFree(channel, now)) return undefined
      const sent = yield* compose(marketplace, channel)
      if (sent.events.length > 0) return yield* claim(channel, sent, webhook, now)
      const moved = sent.reach !== channel.cursor
      if (channel.outstanding !== null || sent.dropped.length > 0 || moved) {
        yield* store.save(Channel.advanced(channel, sent)).pipe(Effect.catchTag("StaleWrite", () => Effect.void))
      }
      // The cursor passed levels that it does not sell; some that it sells may follow.
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
          const next = Channel.rejected(channel, delivery, { failure: reasonOf(answer), now, random })
          yield* store.save(next.channel)
          if (next.letter === null) return "rejected" as const
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
