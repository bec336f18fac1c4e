/** Use cases that manage the endpoints that receive a company's events. Source: docs/reference/events.md#webhooks. */
import { type Caller, Directory } from "@crossdock/access"
import { type CompanyEvent, CompanyWrite, EventLog, Events } from "@crossdock/audit"
import { CompanyId, SecretCipher, type Stored, taggedError, Violation } from "@crossdock/kernel"
import { StoredWebhook } from "@crossdock/marketplaces"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { EndpointRegistration as Registration } from "./EndpointRegistration.ts"
import * as EndpointRegistration from "./EndpointRegistration.ts"
import type { EventEndpoint as Endpoint, EndpointKey } from "./EventEndpoint.ts"
import * as EventEndpoint from "./EventEndpoint.ts"
import { Limits } from "./Limits.ts"
import { hostOf, urlOf } from "./WebhookSender.ts"

/** The registration isn't valid, and nothing was changed. */
export class EndpointRejected extends taggedError<EndpointRejected>()(
  "@crossdock/notifications/EndpointRejected",
  { violations: Schema.Array(Violation) },
  ({ violations }) => violations.map(({ message, path }) => `${path}: ${message}`).join("\n")
) {}

/** The company has no endpoint with this id. */
export class UnknownEndpoint extends taggedError<UnknownEndpoint>()(
  "@crossdock/notifications/UnknownEndpoint",
  { companyId: CompanyId, id: Schema.String },
  ({ companyId, id }) => `Company ${companyId} has no endpoint ${JSON.stringify(id)}: register it first.`
) {}

/**
 * The registration and the progress of an endpoint, without its secret. `failures` is the number of rejected attempts in
 * a row. `nextAt` is in epoch milliseconds. A 413 lowers `maxBytes`, which limits a body.
 */
export interface EndpointStatus extends EndpointKey {
  readonly url: string
  readonly types: ReadonlyArray<string> | null
  readonly cursor: number
  readonly lastEvent: number
  readonly paused: EventEndpoint.Pause | null
  readonly maxBytes: number
  readonly failures: number
  readonly failure: string | null
  readonly nextAt: number | null
  readonly deadLetters: number
}

type EndpointChange = (caller: Caller, key: EndpointKey) => Stored<void, UnknownEndpoint>

/** Registers and manages endpoints. */
export class EventEndpoints extends Context.Service<
  EventEndpoints,
  {
    /** Adds or changes an endpoint, and resends rejected events at once. A replaced secret remains valid for a day. */
    readonly register: (
      caller: Caller,
      registration: Registration
    ) => Stored<void, EndpointRejected | Events.CursorOutOfRange>
    /** Replaces the secret. The old secret remains valid for a day. */
    readonly setSecret: (
      caller: Caller,
      key: EndpointKey,
      secret: string
    ) => Stored<void, EndpointRejected | UnknownEndpoint>
    /** The endpoints of a company, sorted by id. With null, the endpoints of all companies, sorted by company and id. */
    readonly list: (company: CompanyId | null) => Stored<ReadonlyArray<EndpointStatus>>
    /** Stops sending until `enable`. The cursor is kept. */
    readonly disable: EndpointChange
    /** Sends rejected events again immediately. */
    readonly wake: EndpointChange
    /** Starts sending again, immediately and with the events that were missed. */
    readonly enable: EndpointChange
    /** Moves the cursor. If it moves back, events are received again under new webhook ids. */
    readonly setCursor: (
      caller: Caller,
      key: EndpointKey,
      cursor: number
    ) => Stored<void, EndpointRejected | UnknownEndpoint | Events.CursorOutOfRange>
    /** Deletes the endpoint and its dead letters. */
    readonly remove: EndpointChange
    /** The events that the endpoint rejected until they were given up, oldest first. */
    readonly deadLetters: (key: EndpointKey) => Stored<ReadonlyArray<EventEndpoint.EventDeadLetter>>
    /** Resends a dead letter under its webhook id, before newer events. Returns false if the id isn't known. */
    readonly resend: (caller: Caller, key: EndpointKey, id: string) => Stored<boolean>
  }
>()("@crossdock/notifications/EventEndpoints") {}

/** A number beyond the end of every feed. A read after it returns no events, only the number of the last one. */
const beyond = Number.MAX_SAFE_INTEGER

const statusOf = ({ deadLetters, endpoint, lastEvent }: EventEndpoint.StoredEndpoint): EndpointStatus => {
  const { companyId, cursor, id, maxBytes, outstanding, paused, types, webhook } = endpoint
  const { failure = null, failures = 0, nextAt = null } = outstanding ?? {}
  const { url } = webhook
  return { companyId, id, url, types, cursor, lastEvent, paused, maxBytes, failures, failure, nextAt, deadLetters }
}

const rejected = (violations: ReadonlyArray<Violation>) =>
  violations.length === 0 ? Effect.void : new EndpointRejected({ violations })

const tooMany: Violation = {
  path: "/companyId",
  code: "INVALID_VALUE",
  message: `already has ${Limits.endpointsPerCompany} endpoints, the most that it can have; remove one first`
}

const unregistered: Violation = { path: "/companyId", code: "INVALID_VALUE", message: "is not a registered company" }

/** The endpoint as the audit trail shows it. Only the host of its address is shown, since the rest may contain a secret. */
const auditView = (endpoint: Endpoint | undefined) => {
  if (endpoint === undefined) return null
  const { cursor, paused, types, webhook } = endpoint
  const url = urlOf(webhook)
  return { host: url === undefined ? null : hostOf(url), types, cursor, paused: paused?.reason ?? null }
}

/** Makes a function that saves the result of `step`, or deletes the endpoint if undefined. False if nothing changed. */
export const makeWrite = Effect.gen(function* () {
  const store = yield* EventEndpoint.EventEndpointStore
  const { run } = yield* CompanyWrite.CompanyWrite

  return <E>(
    caller: Caller,
    { companyId, id }: EndpointKey,
    action: string,
    step: (known: Endpoint | undefined, now: number) => Stored<Endpoint | undefined, E>,
    asked: Readonly<Record<string, string>> = {}
  ) =>
    run(caller, {
      load: Effect.void,
      lockFirst: () => [companyId],
      decide: Effect.fnUntraced(function* (_, now) {
        const known = yield* store.find({ companyId, id })
        const after = yield* step(known, now)
        if (after === known) return CompanyWrite.nothing(false)
        const written = after === undefined ? known && store.remove(known) : store.save(after)
        const view = auditView(after)
        const logs = { request: view && { ...view, ...asked }, response: null, before: auditView(known) }
        const change: CompanyWrite.CompanyChange = {
          companyId,
          entity: { type: "event_endpoint", id, action },
          save: () => Effect.as(written ?? Effect.void, { logs, events: [] })
        }
        return { answer: true, changes: [change] }
      })
    })
})

/** Makes the service `EventEndpoints`. An endpoint can choose from `types`. */
export const make = Effect.fnUntraced(function* (types: ReadonlyArray<CompanyEvent.AnyEventType>) {
  const directory = yield* Directory
  const store = yield* EventEndpoint.EventEndpointStore
  const log = yield* EventLog
  const events = yield* Events.Events
  const write = yield* makeWrite
  const cipher = yield* SecretCipher.SecretCipher
  const known = [...new Set(types.map(({ type }) => type))]

  const lastEvent = (company: CompanyId) => Effect.map(log.read(company, beyond, 1), ({ last }) => last)

  const judge = (registration: Registration, hasSecret: boolean) =>
    Effect.gen(function* () {
      const { companyId, cursor } = registration
      const company = yield* directory.company(companyId)
      const violations = EndpointRegistration.violationsOf(registration, { types: known, hasSecret })
      yield* rejected(company === undefined ? [unregistered, ...violations] : violations)
      const isOneMore = !hasSecret && (yield* store.list(companyId)).length >= Limits.endpointsPerCompany
      yield* rejected(isOneMore ? [tooMany] : [])
      if (cursor !== null) yield* events.read(companyId, cursor, 1)
    })

  const webhookOf = ({ companyId, id, secret, url }: Registration, before: Endpoint | undefined, now: number) => {
    const encryption = { cipher, place: EventEndpoint.placeOf({ companyId, id }) }
    const asked = { url, secret, authentication: secret === null ? null : ({ type: "none" } as const) }
    return Effect.fromResult(StoredWebhook.registered(encryption, asked, before?.webhook ?? null, now)).pipe(
      Effect.mapError(
        ({ why }) => new EndpointRejected({ violations: [{ path: "/secret", code: "INVALID_VALUE", message: why }] })
      )
    )
  }

  const register: typeof EventEndpoints.Service.register = (caller, registration) =>
    write(caller, registration, "register", (before, now) =>
      Effect.gen(function* () {
        yield* judge(registration, before !== undefined)
        const { companyId, cursor, types: wanted } = registration
        const settings = {
          webhook: yield* webhookOf(registration, before, now),
          types: wanted === null ? null : [...new Set(wanted)]
        }
        if (before === undefined)
          return EventEndpoint.fresh(registration, { ...settings, cursor: cursor ?? (yield* lastEvent(companyId)) })
        const changed = EventEndpoint.changed(before, settings, now)
        return cursor === null ? changed : EventEndpoint.moved(changed, cursor)
      })
    ).pipe(Effect.asVoid, Effect.withSpan("EventEndpoints.register"))

  const change = <E>(
    caller: Caller,
    key: EndpointKey,
    action: string,
    step: (endpoint: Endpoint, now: number) => Stored<Endpoint | undefined, E>
  ) => {
    const unknown = Effect.suspend(() => Effect.fail(new UnknownEndpoint({ companyId: key.companyId, id: key.id })))
    const present = (before: Endpoint | undefined, now: number): Stored<Endpoint | undefined, E | UnknownEndpoint> =>
      before === undefined ? unknown : step(before, now)
    return write(caller, key, action, present).pipe(Effect.asVoid, Effect.withSpan(`EventEndpoints.${action}`))
  }

  const changing =
    (action: string, step: (endpoint: Endpoint, now: number) => Endpoint | undefined): EndpointChange =>
    (caller, key) =>
      change(caller, key, action, (endpoint, now) => Effect.succeed(step(endpoint, now)))

  const setSecret: typeof EventEndpoints.Service.setSecret = (caller, key, secret) =>
    change(caller, key, "setSecret", (endpoint, now) =>
      Effect.gen(function* () {
        const { types, webhook } = endpoint
        const registration = { ...key, url: webhook.url, types, secret, cursor: null }
        yield* rejected(EndpointRegistration.violationsOf(registration, { types: known, hasSecret: true }))
        return EventEndpoint.changed(endpoint, { types, webhook: yield* webhookOf(registration, endpoint, now) }, now)
      })
    )

  const setCursor: typeof EventEndpoints.Service.setCursor = (caller, key, cursor) =>
    change(caller, key, "setCursor", (endpoint) =>
      Effect.gen(function* () {
        yield* rejected(EndpointRegistration.cursorViolations(cursor))
        yield* events.read(key.companyId, cursor, 1)
        return EventEndpoint.moved(endpoint, cursor)
      })
    )

  const resend: typeof EventEndpoints.Service.resend = (caller, key, id) => {
    const step = (before: Endpoint | undefined) =>
      Effect.map(before === undefined ? Effect.undefined : store.deadLetter(key, id), (letter) =>
        before === undefined || letter === undefined ? before : EventEndpoint.resent(before, id)
      )
    return write(caller, key, "resend", step, { deadLetter: id }).pipe(Effect.withSpan("EventEndpoints.resend"))
  }

  return EventEndpoints.of({
    register,
    setSecret,
    list: (company) => Effect.map(store.list(company), (stored) => stored.map(statusOf)),
    disable: changing("disable", (endpoint) => EventEndpoint.pause(endpoint, { reason: "disabled" })),
    wake: changing("wake", EventEndpoint.woken),
    enable: changing("enable", EventEndpoint.enabled),
    setCursor,
    remove: changing("remove", () => undefined),
    deadLetters: store.deadLetters,
    resend
  })
})

/** The service `EventEndpoints`. An endpoint can choose from `types`, which are the host's `EventTypes.all`. */
export const layer = (types: ReadonlyArray<CompanyEvent.AnyEventType>) => Layer.effect(EventEndpoints, make(types))
