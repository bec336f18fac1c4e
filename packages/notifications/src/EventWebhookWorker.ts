/** Background work: sends feeds' events to endpoints, each in its own fiber. docs/reference/events.md#webhooks. */
import { EventLog, Events } from "@crossdock/audit"
import { BackgroundLoop } from "@crossdock/kernel"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as DeliveryLoop from "./DeliveryLoop.ts"
import { EventDeliveries, type EventDelivery } from "./EventDeliveries.ts"
import { type EndpointKey, endpointName } from "./EventEndpoint.ts"

const work = Effect.map(
  EventDeliveries,
  (deliveries): DeliveryLoop.Work<EndpointKey, EventDelivery> => ({
    ...deliveries,
    name: "event webhooks",
    what: "A webhook of events",
    entryOf: endpointName,
    annotations: ({ companyId, id }) => ({ endpoint: id, company: companyId })
  })
)

/** How long to gather companies with new events before one search for their endpoints. */
const gathering = Duration.millis(10)

/**
 * Sends after each commit of events and every second (`Events.Poll`), until its scope ends. When the scope ends, a received
 * answer is stored, and a delivery in flight is released for another host. An endpoint that fails is paused without
 * delaying others.
 */
export const run = Effect.gen(function* () {
  const { watch } = yield* EventLog
  const more = yield* watch(null)
  const when = { every: yield* Events.Poll, wakeBy: Effect.andThen(more, Effect.sleep(gathering)) }
  return yield* DeliveryLoop.run(yield* work, when)
})

/** Sends pending events and awaits the answers, without a loop. Returns failed endpoints; see `BackgroundLoop.once`. */
export const once = Effect.flatMap(work, DeliveryLoop.once)

/** Runs the worker in the background of a host, until the host's scope ends. */
export const layer = BackgroundLoop.layer(run)
