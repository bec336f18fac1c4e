/**
 * Handlers: the audit trail.
 */

import { AuditTrail } from "@crossdock/audit"
import * as Effect from "effect/Effect"
import { PlatformUser } from "../Authentication.ts"
import { Failure } from "../Failure.ts"
import * as Endpoints from "../internal/Endpoints.ts"
import { Reply } from "../Reply.ts"
import * as AuditLogs from "./AuditLogs.ts"
import { PlatformApi } from "./PlatformApi.ts"

const recorded = { message: "Audit log recorded successfully !", internal_message: "Audit log queued" }

const unknownId = AuditLogs.invalidQuery([
  { path: "/id", code: "NOT_FOUND", message: "is not the id of an audit record; check it" }
])

/**
 * Every rejection of a body has the documented message; its code still says what is wrong.
 * Source: docs/reference/audit.md#create.
 */
const withPayloadMessage = (failure: Failure): Failure => {
  const { code, errors, status } = failure
  return status === 400 ? new Failure({ code, message: AuditLogs.payloadMessage, errors }) : failure
}

export const layer = Endpoints.group(PlatformApi, "audit", (handlers) =>
  Effect.gen(function* () {
    const trail = yield* AuditTrail.AuditTrail
    const reply = yield* Reply
    return handlers({
      logs: ({ query }) =>
        Effect.gen(function* () {
          const caller = yield* PlatformUser
          const { next, records } = yield* trail.search(caller, yield* AuditLogs.search(query))
          const page = { has_next: next !== null, ...(next === null ? {} : { next_cursor: next }) }
          return { docs: records.map(AuditLogs.doc), page }
        }),
      create: () =>
        Effect.flatMap(PlatformUser, (caller) =>
          reply.write({ caller, worded: withPayloadMessage }, (body) =>
            Effect.gen(function* () {
              const stated = yield* AuditLogs.statedLog(body)
              yield* trail.record(caller, stated)
              return recorded
            })
          )
        ),
      log: ({ params }) =>
        Effect.gen(function* () {
          const view = yield* trail.find(yield* PlatformUser, params.id)
          return view === undefined ? yield* unknownId : AuditLogs.record(view)
        }),
      entityTypes: () =>
        Effect.gen(function* () {
          return { items: (yield* trail.entityTypes(yield* PlatformUser)).map(AuditLogs.entityType) }
        })
    })
  })
)
