/**
 * Background work: notifies every marketplace of stock, each in a fiber of its own. Source:
 * docs/reference/notifications.md#batches.
 */
import { BackgroundLoop, type BackgroundLoops } from "@crossdock/kernel"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Layer from "effect/Layer"
import * as NotificationChannel from "./NotificationChannel.ts"
import * as Notifications from "./Notifications.ts"
import { WebhookSender } from "./WebhookSender.ts"

/**
 * How the worker runs.
 */
export interface Options {
  /** How often it looks for pending notifications: 200 ms by default. */
  readonly poll?: Duration.Input
}

/**
 * Notifies repeatedly until its scope ends. A delivery in flight is then released, for another host to send again, and an
 * answer that has come is stored first. A channel that fails is paused without delaying others.
 */
export const run = ({ poll = Duration.millis(200) }: Options = {}) =>
  Effect.gen(function* () {
    const notifications = yield* Notifications.Notifications
    const sender = yield* WebhookSender
    const running = yield* FiberMap.make<string>()

    /**
     * Sends all pending notifications of a channel, one after the other, until one is rejected.
     */
    const notify = (key: NotificationChannel.ChannelKey) =>
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
        const name = NotificationChannel.channelName(key)
        yield* FiberMap.run(running, name, BackgroundLoop.alone(name, notify(key)), { onlyIfMissing: true })
      }
      return false
    })

    return yield* BackgroundLoop.run({ name: "notifications", every: poll, pass: look })
  })

/**
 * Runs the worker in the background of a host, until the host's scope ends. Requires `Notifications`, `WebhookSender`, and
 * `BackgroundLoops` to report its state.
 */
export const layer = (
  options?: Options
): Layer.Layer<never, never, Notifications.Notifications | WebhookSender | BackgroundLoops.BackgroundLoops> =>
  Layer.effectDiscard(Effect.forkScoped(Effect.scoped(run(options))))
