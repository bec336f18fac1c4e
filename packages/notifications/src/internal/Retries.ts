/**
 * Use cases: send rejected notifications at once, and dead letters again. Both are recorded in the trails of their companies.
 */
import type { Caller } from "@crossdock/access"
import { CompanyWrite } from "@crossdock/audit"
import * as Effect from "effect/Effect"
import * as Channel from "../NotificationChannel.ts"
import { NotificationStore } from "../NotificationStore.ts"
import { channelsOf } from "./MarketplaceChannels.ts"

/**
 * Makes the use cases.
 */
export const make = Effect.gen(function* () {
  const store = yield* NotificationStore
  const { run } = yield* CompanyWrite.CompanyWrite

  const resend = Effect.fn("Notifications.resend")((caller: Caller, key: Channel.ChannelKey, id: string) =>
    run(caller, {
      load: store.takeDeadLetter(key, id),
      decide: (letter) =>
        Effect.gen(function* () {
          if (letter === undefined) return CompanyWrite.nothing(false)
          const channel = Channel.resent((yield* store.find(key)) ?? Channel.fresh(key), letter)
          const change: CompanyWrite.CompanyChange = {
            companyId: key.companyId,
            entity: { type: "marketplace", id: key.marketplace, action: "resend" },
            save: () =>
              Effect.as(store.save(channel), { logs: { request: { deadLetter: id }, response: null }, events: [] })
          }
          return { answer: true, changes: [change] }
        })
    })
  )

  const wakeOne = (caller: Caller, key: Channel.ChannelKey) =>
    run(caller, {
      load: store.find(key),
      decide: (channel, now) => {
        const woken = channel && Channel.woken(channel, now)
        if (woken === undefined || woken === channel) return Effect.succeed(CompanyWrite.nothing(undefined))
        const change: CompanyWrite.CompanyChange = {
          companyId: key.companyId,
          entity: { type: "marketplace", id: key.marketplace, action: "wake" },
          save: () => Effect.as(store.save(woken), { logs: { request: null, response: null }, events: [] })
        }
        return Effect.succeed({ answer: undefined, changes: [change] })
      }
    })

  /** Company by company: no company waits until the channels of all others are saved. */
  const wake = Effect.fn("Notifications.wake")(function* (caller: Caller, marketplace: string) {
    const channels = yield* channelsOf(store, marketplace)
    const rejected = channels.filter(({ aside, outstanding }) => outstanding !== null || aside.length > 0)
    yield* Effect.forEach(rejected, (channel) => wakeOne(caller, channel), { discard: true })
  })

  return { deadLetters: store.deadLetters, resend, wake }
})
