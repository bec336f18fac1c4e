/** Changes of an endpoint with their audit record: by a caller's request, or when its receiver unsubscribes. */
import type { Caller } from "@crossdock/access"
import { CompanyWrite } from "@crossdock/audit"
import type { StorageError } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import { type EndpointKey, type EventEndpoint, EventEndpointStore } from "./EventEndpoint.ts"
import { hostOf, urlOf } from "./WebhookSender.ts"

/** The endpoint in the company's audit trail. An address may contain a secret, so only its host is shown. */
const auditView = (endpoint: EventEndpoint | undefined) => {
  if (endpoint === undefined) return null
  const { cursor, paused, types, webhook } = endpoint
  const url = urlOf(webhook)
  return { host: url === undefined ? null : hostOf(url), types, cursor, paused: paused?.reason ?? null }
}

/**
 * Makes the function that changes an endpoint. `step` returns the new endpoint, or undefined to delete it. If it
 * returns its input, nothing is written. The audit record includes `asked`.
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
