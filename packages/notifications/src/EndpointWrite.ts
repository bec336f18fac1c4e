/**
 * Every change of an endpoint that somebody asks for, or that ends its deliveries, with its audit record.
 */
import type { Caller } from "@crossdock/access"
import { CompanyWrite } from "@crossdock/audit"
import type { StorageError } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import type { EndpointKey, EventEndpoint } from "./EventEndpoint.ts"
import { EventEndpointStore } from "./EventEndpointStore.ts"
import { hostOf, urlOf } from "./WebhookRequest.ts"

/**
 * What a company's audit trail shows of an endpoint. An address may contain a secret, too, so it shows the host alone.
 */
const auditView = (endpoint: EventEndpoint | undefined) => {
  if (endpoint === undefined) return null
  const { cursor, paused, types, webhook } = endpoint
  const url = urlOf(webhook)
  return { host: url === undefined ? null : hostOf(url), types, cursor, paused: paused?.reason ?? null }
}

/**
 * Makes the function that changes an endpoint. `step` returns the endpoint as it is to be, undefined to delete it; when it
 * returns what it was given, nothing is written. What is asked besides is recorded too.
 */
export const make = Effect.gen(function* () {
  const store = yield* EventEndpointStore
  const { run } = yield* CompanyWrite.CompanyWrite

  return <E>(
    caller: Caller,
    { companyId, id }: EndpointKey,
    action: string,
    step: (known: EventEndpoint | undefined, now: number) => Effect.Effect<EventEndpoint | undefined, E | StorageError>,
    asked: Readonly<Record<string, string>> = {}
  ) =>
    run(caller, {
      load: Effect.void,
      lockFirst: () => [companyId],
      decide: (_, now) =>
        Effect.gen(function* () {
          const known = yield* store.find({ companyId, id })
          const after = yield* step(known, now)
          const isChanged = after !== known
          if (!isChanged) return CompanyWrite.nothing(isChanged)
          const written = after === undefined ? known && store.remove(known) : store.save(after)
          const view = auditView(after)
          const logs = { request: view && { ...view, ...asked }, response: null, before: auditView(known) }
          const change: CompanyWrite.CompanyChange = {
            companyId,
            entity: { type: "event_endpoint", id, action },
            save: () => Effect.as(written ?? Effect.void, { logs, events: [] })
          }
          return { answer: isChanged, changes: [change] }
        })
    })
})
