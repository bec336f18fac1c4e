/** Sends webhooks in the background. `once` returns the failures, as `BackgroundLoop.once` does. */
import { EventLog, Events } from "@crossdock/audit"
import { BackgroundLoop, Metrics } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as DeliveryLoop from "./DeliveryLoop.ts"
import { EventDeliveries, type EventDelivery } from "./EventDeliveries.ts"
import { type EndpointKey, endpointName } from "./EventEndpoint.ts"
import * as NotificationChannel from "./NotificationChannel.ts"
import * as Notifications from "./Notifications.ts"

const counted = Effect.fnUntraced(function* ({ events }: Notifications.Delivery, outcome: Notifications.Settlement) {
  yield* Metric.update(Metrics.notifications.at({ outcome }), 1)
  if (outcome !== "accepted") return
  const oldest = Math.min(...events.map(({ occurredAt }) => occurredAt))
  const now = yield* Clock.currentTimeMillis
  yield* Metric.update(Metrics.notificationDelay.at({}), Math.max(0, now - oldest) / 1000)
})

const stock = Effect.map(
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

/** Notifies marketplaces of stock. It looks for pending notifications after each interval `poll`. */
const runStock = ({ poll = Duration.millis(200) }: { readonly poll?: Duration.Input } = {}) =>
  Effect.flatMap(stock, (one) => DeliveryLoop.run(one, { every: poll }))

export const WebhookWorker = /* @__PURE__ */ Object.freeze({
  run: runStock,
  once: Effect.flatMap(stock, DeliveryLoop.once),
  layer: (...options: Parameters<typeof runStock>) => BackgroundLoop.layer(runStock(...options))
})

const events = Effect.map(
  EventDeliveries,
  (deliveries): DeliveryLoop.Work<EndpointKey, EventDelivery> => ({
    ...deliveries,
    name: "event webhooks",
    what: "A webhook of events",
    entryOf: endpointName,
    annotations: ({ companyId, id }) => ({ endpoint: id, company: companyId })
  })
)

/** The time during which companies with new events are gathered. Their endpoints are then read in one search. */
const gathering = Duration.millis(10)

/** Sends events to endpoints. It looks for pending events after each commit, and every second (`Events.Poll`). */
const runEvents = Effect.gen(function* () {
  const { watch } = yield* EventLog
  const more = yield* watch(null)
  const when = { every: yield* Events.Poll, wakeBy: Effect.andThen(more, Effect.sleep(gathering)) }
  return yield* DeliveryLoop.run(yield* events, when)
})

export const EventWebhookWorker = /* @__PURE__ */ Object.freeze({
  run: runEvents,
  once: Effect.flatMap(events, DeliveryLoop.once),
  layer: BackgroundLoop.layer(runEvents)
})
