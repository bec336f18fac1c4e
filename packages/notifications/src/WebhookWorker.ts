/** Background work: notifies each marketplace of stock in its own fiber. docs/reference/notifications.md#batches. */
import { BackgroundLoop, Metrics } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as DeliveryLoop from "./DeliveryLoop.ts"
import * as NotificationChannel from "./NotificationChannel.ts"
import * as Notifications from "./Notifications.ts"

/** How the worker runs. */
export interface Options {
  /** How often it looks for pending notifications: 200 ms by default. */
  readonly poll?: Duration.Input
}

const counted = Effect.fnUntraced(function* ({ events }: Notifications.Delivery, outcome: Notifications.Settlement) {
  yield* Metric.update(Metrics.notifications.at({ outcome }), 1)
  if (outcome !== "accepted") return
  const oldest = Math.min(...events.map(({ occurredAt }) => occurredAt))
  const now = yield* Clock.currentTimeMillis
  yield* Metric.update(Metrics.notificationDelay.at({}), Math.max(0, now - oldest) / 1000)
})

const work = Effect.map(
  Notifications.Notifications,
  ({ settle, ...rest }): DeliveryLoop.Work<NotificationChannel.ChannelKey, Notifications.Delivery> => ({
    ...rest,
    name: "notifications",
    what: "A stock notification",
    entryOf: NotificationChannel.channelName,
    annotations: ({ companyId, marketplace }) => ({ marketplace, company: companyId }),
    settle: (delivery, answer) => Effect.tap(settle(delivery, answer), (outcome) => counted(delivery, outcome))
  })
)

/**
 * Notifies until its scope ends. Then a received answer is stored, and a delivery in flight is released for another host. A
 * channel that fails is paused without delaying others.
 */
export const run = ({ poll = Duration.millis(200) }: Options = {}) =>
  Effect.flatMap(work, (one) => DeliveryLoop.run(one, { every: poll }))

/** Sends pending notifications and awaits the answers, without a loop. Returns failures; see `BackgroundLoop.once`. */
export const once = Effect.flatMap(work, DeliveryLoop.once)

/** Runs the worker in the background of a host, until the host's scope ends. */
export const layer = (options?: Options) => BackgroundLoop.layer(run(options))
