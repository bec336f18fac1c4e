/** Use cases that deliver events to endpoints. A worker calls them outside transactions. */
import type { Caller, System } from "@crossdock/access"
import { type CompanyEvent, Events, FeedRestored } from "@crossdock/audit"
import { Ids, type StaleWrite, type Stored, Text, Transaction } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import { isFree, type Rejection } from "./DeliveryAttempts.ts"
import { whileClaimed } from "./DeliveryLoop.ts"
import type { EventEndpoint as Endpoint, EndpointKey } from "./EventEndpoint.ts"
import * as EventEndpoint from "./EventEndpoint.ts"
import { makeWrite } from "./EventEndpoints.ts"
import { Limits } from "./Limits.ts"
import { endpointHeader, isAccepted, isUnsubscribed, type StoredMessage, type WebhookAnswer } from "./WebhookSender.ts"

/** One attempt to send events to an endpoint. `owner` has the endpoint's claim. */
export interface EventDelivery extends EndpointKey, EventEndpoint.Sent, StoredMessage {
  readonly owner: string
}

/**
 * The outcome of a delivery. `halved`: half of the events are sent immediately. `dead`: the events became a dead letter.
 * `unsubscribed`: a 410 paused the endpoint. `lost`: the endpoint was claimed by another host or changed.
 */
export type EventSettlement = "accepted" | "rejected" | "halved" | "dead" | "unsubscribed" | "lost"

/** Delivers events. */
export class EventDeliveries extends Context.Service<
  EventDeliveries,
  {
    /** The endpoints that may have something to send now and that no host has claimed. */
    readonly due: Stored<ReadonlyArray<EndpointKey>>
    /** Claims the endpoint for 15 s, and returns a dead letter or 1 to 500 events to send. Undefined if nothing is due. */
    readonly begin: (key: EndpointKey) => Stored<EventDelivery | undefined>
    /** The body of the next webhook. It is undefined if nothing is pending. */
    readonly nextBody: (key: EndpointKey) => Stored<string | undefined>
    /** Stores the outcome of a delivery, and releases the endpoint. */
    readonly settle: (delivery: EventDelivery, answer: WebhookAnswer) => Stored<EventSettlement>
    /** Releases the endpoint without an outcome. Call it if the host ends before the answer arrives. */
    readonly release: (delivery: EventDelivery) => Stored<void>
  }
>()("@crossdock/notifications/EventDeliveries") {}

/** The first events that fit in one body: at least 1 event, and at most 500. */
const fitting = (events: ReadonlyArray<CompanyEvent.CompanyEvent>, maxBytes: number) => {
  const some = events.slice(0, Limits.batchSize)
  let bytes = 1
  const beyond = some.findIndex((event) => {
    bytes += Text.utf8Bytes(EventEndpoint.bodyOf([event])) - 1
    return bytes > maxBytes
  })
  return beyond === -1 ? some : some.slice(0, Math.max(1, beyond))
}

/** The next dead letter to resend. An outstanding attempt comes first, then dead letters, and then the feed's events. */
export const nextLetter = ({ outstanding, resending }: Pick<Endpoint, "outstanding" | "resending">) =>
  outstanding === null ? resending[0] : resending.find((id) => id === outstanding.webhookId)

/**
 * The content of the next attempt. It has the outstanding events, or otherwise up to 500 events that fit in a body.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { EventDeliveries } from "@crossdock/notifications"
 * import { endpoint } from "@crossdock/notifications/testing"
 *
 * const erp = { ...endpoint(), types: ["price.changed"] }
 * const event = { companyId: erp.companyId, number: 13, change: 5, at: 0, type: "order.placed", version: 1, data: {} }
 * const { events, reach } = EventDeliveries.next(erp, [event])
 * // the cursor passes events of other types
 * strictEqual(`${events.length} up to ${reach}`, "0 up to 13")
 * ```
 */
export const next = (
  { cursor, maxBytes, outstanding, types }: Pick<Endpoint, "cursor" | "maxBytes" | "outstanding" | "types">,
  read: ReadonlyArray<CompanyEvent.CompanyEvent>
): EventEndpoint.Sent => {
  const inReach = outstanding === null ? read : read.filter(({ number }) => number <= outstanding.upTo)
  const isWanted =
    types === null ? () => true : (type: string) => type === FeedRestored.restored.type || types.includes(type)
  const wanted = inReach.filter(({ type }) => isWanted(type))
  // An outstanding attempt keeps its events.
  const events = outstanding === null ? fitting(wanted, maxBytes) : wanted
  const last = wanted.length > events.length ? events.at(-1) : inReach.at(-1)
  return { events, reach: last?.number ?? cursor, letter: null }
}

/** The principal in the audit trail when an endpoint is paused after a 410. */
const host: Caller<System> = { principal: { kind: "system", id: "event-webhooks" }, requestId: null }

export const make = Effect.gen(function* () {
  const store = yield* EventEndpoint.EventEndpointStore
  const events = yield* Events.Events
  const transaction = yield* Transaction.Transaction
  const ids = yield* Ids.Ids
  const write = yield* makeWrite
  const owned = whileClaimed(transaction, store.find)

  const due = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    return (yield* store.pending(now)).filter((endpoint) => isFree(endpoint, now))
  })

  const compose = (endpoint: Endpoint): Stored<EventEndpoint.Sent, Events.CursorOutOfRange> => {
    const { companyId, cursor } = endpoint
    const letter = nextLetter(endpoint)
    return letter === undefined
      ? Effect.map(events.read(companyId, cursor, Limits.batchSize), (read) => next(endpoint, read))
      : Effect.map(store.deadLetter(endpoint, letter), (found) => ({
          events: found?.events ?? [],
          reach: cursor,
          letter
        }))
  }

  /** Saves an endpoint before sending, since a host that can't write must not send. False if another writer was faster. */
  const save = (endpoint: Endpoint) =>
    transaction.run(store.save(endpoint)).pipe(
      Effect.as(true),
      Effect.catchTag("StaleWrite", () => Effect.succeed(false))
    )

  const claim = (endpoint: Endpoint, sent: EventEndpoint.Sent, now: number) =>
    Effect.gen(function* () {
      const { companyId, id, webhook } = endpoint
      const owner = yield* ids.hex
      const claimed = EventEndpoint.claim(endpoint, sent, { owner, webhookId: `msg_${yield* ids.hex}`, now })
      const { webhookId } = claimed.outstanding
      const body = EventEndpoint.bodyOf(sent.events)
      const place = EventEndpoint.placeOf(endpoint)
      const headers = { [endpointHeader]: id }
      const delivery = { ...sent, companyId, id, owner, webhook, place, webhookId, body, headers }
      return (yield* save(claimed)) ? delivery : undefined
    })

  const pauseOutOfRange = (endpoint: Endpoint, { message, resumeAfter }: Events.CursorOutOfRange) =>
    Effect.gen(function* () {
      yield* save(EventEndpoint.pause(endpoint, { reason: "out_of_range", resumeAfter }))
      yield* Effect.logError(`An endpoint of events is paused until its cursor is set: ${message}`)
      return undefined
    })

  const begin: typeof EventDeliveries.Service.begin = Effect.fn("EventDeliveries.begin")(function* (key) {
    const now = yield* Clock.currentTimeMillis
    const endpoint = yield* store.find(key)
    if (endpoint === undefined || endpoint.paused !== null || !isFree(endpoint, now)) return undefined
    return yield* compose(endpoint).pipe(
      Effect.flatMap((sent) => {
        if (sent.events.length > 0) return claim(endpoint, sent, now)
        if (sent.reach === endpoint.cursor && sent.letter === null) return Effect.undefined
        // The cursor has passed events of other types. Events that the endpoint receives may follow.
        return Effect.flatMap(save(EventEndpoint.done(endpoint, sent)), (isSaved) =>
          isSaved ? begin(key) : Effect.undefined
        )
      }),
      Effect.catchTag("CursorOutOfRange", (error) => pauseOutOfRange(endpoint, error))
    )
  })

  const accept = Effect.fnUntraced(function* (delivery: EventDelivery, endpoint: Endpoint) {
    // The endpoint is saved before its dead letters, since its deletion takes the locks in this order.
    yield* store.save(EventEndpoint.accepted(endpoint, delivery))
    if (delivery.letter !== null) yield* store.removeDeadLetter(endpoint, delivery.letter)
    return "accepted" as const
  })

  const reject = (delivery: EventDelivery, before: Endpoint, rejection: Rejection) =>
    Effect.gen(function* () {
      const { endpoint, letter } = EventEndpoint.rejected(before, delivery, rejection)
      yield* store.save(endpoint)
      if (letter === null) return isFree(endpoint, rejection.now) ? "halved" : "rejected"
      yield* store.putDeadLetter(letter)
      return "dead" as const
    })

  const unsubscribe = Effect.fnUntraced(function* (delivery: EventDelivery) {
    const isPaused = yield* write(host, delivery, "unsubscribe", (known) => {
      const isOwned = known?.lease?.owner === delivery.owner
      return Effect.succeed(isOwned ? EventEndpoint.pause(known, { reason: "unsubscribed" }) : known)
    })
    return isPaused ? "unsubscribed" : "lost"
  })

  return EventDeliveries.of({
    due,
    begin,

    nextBody: Effect.fnUntraced(
      function* (key) {
        const endpoint = yield* store.find(key)
        const events = endpoint === undefined ? [] : (yield* compose(endpoint)).events
        return events.length === 0 ? undefined : EventEndpoint.bodyOf(events)
      },
      Effect.catchTag("CursorOutOfRange", () => Effect.undefined)
    ),

    settle: Effect.fn("EventDeliveries.settle")(function* (delivery, answer) {
      const rejection = { answer, now: yield* Clock.currentTimeMillis, random: yield* Random.next }
      if (isUnsubscribed(answer)) return yield* unsubscribe(delivery)
      return yield* owned(
        delivery,
        (endpoint): Stored<EventSettlement, StaleWrite> =>
          isAccepted(answer) ? accept(delivery, endpoint) : reject(delivery, endpoint, rejection)
      )
    }),

    release: Effect.fn("EventDeliveries.release")((delivery) =>
      Effect.asVoid(owned(delivery, (endpoint) => store.save(EventEndpoint.released(endpoint))))
    )
  })
})

export const layer = Layer.effect(EventDeliveries, make)
