/**
 * Background work: tells every marketplace of stock, each in a fiber of its own.
 */
import { BackgroundLoop, type BackgroundLoops } from "@crossdock/kernel"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Layer from "effect/Layer"
import type * as NotificationChannel from "./NotificationChannel.ts"
import * as Notifications from "./Notifications.ts"
import { WebhookSender } from "./WebhookSender.ts"

export interface Options {
  /** How often it looks for news. A change is on its way within this and the time that a look takes. */
  readonly poll?: Duration.Input
}

const keyText = ({ companyId, marketplace }: NotificationChannel.ChannelKey): string => `${companyId} ${marketplace}`

/**
 * Runs until its scope ends; what was being sent then is given back and sent again by whoever comes next, and an answer
 * that has come is written down first. A channel that fails is paused by itself.
 */
export const run = ({ poll = Duration.millis(200) }: Options = {}) =>
  Effect.gen(function* () {
    const notifications = yield* Notifications.Notifications
    const sender = yield* WebhookSender
    const running = yield* FiberMap.make<string>()

    /**
     * Everything that is waiting, one notification after the other; a rejected one ends it until its time comes.
     */
    const tell = (key: NotificationChannel.ChannelKey) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const delivery = yield* notifications.begin(key)
          if (delivery === undefined) return false
          const answer = yield* restore(sender.send(delivery)).pipe(
            Effect.onError(() => Effect.ignore(notifications.release(delivery), { log: "Debug" }))
          )
          const settled = yield* notifications.settle(delivery, answer)
          if (settled !== "accepted") yield* Effect.logWarning(`A stock notification was ${settled}`)
          return settled === "accepted"
        })
      ).pipe(
        Effect.repeat({ while: (more) => more }),
        Effect.annotateLogs({ marketplace: key.marketplace, company: key.companyId })
      )

    const look = Effect.gen(function* () {
      const due = yield* notifications.due
      for (const key of due) {
        const name = keyText(key)
        yield* FiberMap.run(running, name, BackgroundLoop.alone(name, tell(key)), { onlyIfMissing: true })
      }
      return false
    })

    return yield* BackgroundLoop.run({ name: "notifications", every: poll, pass: look })
  })

export const layer = (
  options?: Options
): Layer.Layer<never, never, Notifications.Notifications | WebhookSender | BackgroundLoops.BackgroundLoops> =>
  Layer.effectDiscard(Effect.forkScoped(Effect.scoped(run(options))))
