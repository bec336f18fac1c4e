/**
 * Use cases: send rejected notifications at once, and dead letters again.
 */
import { Transaction } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Channel from "../NotificationChannel.ts"
import { NotificationStore } from "../NotificationStore.ts"
import { channelsOf } from "./MarketplaceChannels.ts"

/**
 * Makes the use cases.
 */
export const make = Effect.gen(function* () {
  const store = yield* NotificationStore
  const transaction = yield* Transaction.Transaction

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

  const wake = Effect.fn("Notifications.wake")((marketplace: string) =>
    Transaction.retrying(transaction)(
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const rejected = (yield* channelsOf(store, marketplace)).filter((channel) => channel.outstanding !== null)
        yield* Effect.forEach(rejected, (channel) => store.save(Channel.woken(channel, now)), { discard: true })
      })
    )
  )

  return { deadLetters: store.deadLetters, resend, wake }
})
