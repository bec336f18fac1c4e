/**
 * Background work: notifies every marketplace of stock, each in a fiber of its own. Source:
 * docs/reference/notifications.md#batches.
 */
import { BackgroundLoop, type BackgroundLoops, Metrics } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import type * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import type * as Deliveries from "./internal/Deliveries.ts"
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

const counted = ({ events }: Deliveries.Delivery, outcome: Deliveries.Settlement) =>
  Effect.gen(function* () {
    yield* Metric.update(Metrics.notifications.at({ outcome }), 1)
    if (outcome !== "accepted") return
    const oldest = Math.min(...events.map(({ occurredAt }) => occurredAt))
    const now = yield* Clock.currentTimeMillis
    yield* Metric.update(Metrics.notificationDelay.at({}), Math.max(0, now - oldest) / 1000)
  })

/** The channels with pending notifications, and the work of one. */
const make = Effect.gen(function* () {
  const notifications = yield* Notifications.Notifications
  const sender = yield* WebhookSender

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
        yield* counted(delivery, settled)
        if (settled !== "accepted") yield* Effect.logWarning(`A stock notification was ${settled}`)
        return settled === "accepted"
      })
    ).pipe(
      Effect.repeat({ while: (more) => more }),
      Effect.annotateLogs({ marketplace: key.marketplace, company: key.companyId })
    )

  return {
    due: notifications.due,
    alone: (key: NotificationChannel.ChannelKey) =>
      BackgroundLoop.alone(NotificationChannel.channelName(key), notify(key))
  }
})

const name = "notifications"

/**
 * Notifies repeatedly until its scope ends. A delivery in flight is then released, for another host to send again, and an
 * answer that has come is stored first. A channel that fails is paused without delaying others.
 */
export const run = ({ poll = Duration.millis(200) }: Options = {}) =>
  Effect.gen(function* () {
    const { alone, due } = yield* make
    const running = yield* FiberMap.make<string>()
    const look = Effect.gen(function* () {
      for (const key of yield* due) {
        yield* FiberMap.run(running, NotificationChannel.channelName(key), alone(key), { onlyIfMissing: true })
      }
      return false
    })
    return yield* BackgroundLoop.run({ name, every: poll, pass: look })
  })

/**
 * Sends what is pending on every channel and waits for it, for a host without loops. What a marketplace rejects is left for
 * the next time. Returns what failed; see `BackgroundLoop.once`.
 */
export const once = Effect.gen(function* () {
  const { alone, due } = yield* make
  const sendAll = Effect.flatMap(due, (keys) => Effect.forEach(keys, alone, { concurrency: "unbounded" }))
  return yield* BackgroundLoop.once({ name, pass: Effect.as(sendAll, false) })
})

/**
 * Runs the worker in the background of a host, until the host's scope ends. Requires `Notifications`, `WebhookSender`, and
 * `BackgroundLoops` to report its state.
 */
export const layer = (
  options?: Options
): Layer.Layer<never, never, Notifications.Notifications | WebhookSender | BackgroundLoops.BackgroundLoops> =>
  BackgroundLoop.layer(run(options))
