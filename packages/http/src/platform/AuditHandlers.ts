/** Handlers: the audit trail. */
import { AuditSearch, AuditTrail, type AuditView, logsOf } from "@crossdock/audit"
import type { Violation } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { PlatformUser } from "../Authentication.ts"
import { Failure, validationFailed } from "../Failure.ts"
import * as Endpoints from "../internal/Endpoints.ts"
import { iso, presentFields } from "../internal/Fields.ts"
import { Reply } from "../Reply.ts"
import type { LogBody, LogsQuery } from "./AuditApi.ts"
import { AuditGroup, invalidQueryMessage } from "./AuditApi.ts"

const invalidQuery = (errors: ReadonlyArray<Violation>): Failure => validationFailed(errors, invalidQueryMessage)

const statedLog = ({ log_meta, log_payload }: typeof LogBody.Type): AuditTrail.StatedLog => {
  const { application, device_info, entity, location, modifier, sessions } = log_meta
  return {
    entity: { type: entity.type ?? "", id: entity.id ?? "", action: entity.action ?? "" },
    application: application ?? null,
    modifier: modifier ?? null,
    deviceInfo: device_info ?? null,
    location: location ?? null,
    sessions: sessions ?? null,
    payload: log_payload
  }
}

/** `{"_id": 1}` is ascending. Any other text is treated as absent. Source: docs/reference/audit.md#list. */
const isAscending = (sort: string): boolean => /^\s*\{\s*"_id"\s*:\s*1\s*\}\s*$/.test(sort)

const searchOf = ({ cursor, limit, qs, sort }: typeof LogsQuery.Type): Result.Result<AuditTrail.Search, Failure> =>
  AuditSearch.parse(qs).pipe(
    Result.mapError(invalidQuery),
    Result.map((filter) => ({ filter, limit, after: cursor ?? null, descending: !isAscending(sort) }))
  )

const nonEmpty = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ""))

const sharedFields = (view: AuditView) => {
  const date = iso(view.at)
  const { device_info, location, modifier, sessions } = view.personal ?? {}
  return {
    entity: nonEmpty({ ...view.entity }),
    ...presentFields({ modifier, device_info, location }),
    _id: view._id,
    ...presentFields({ sessions }),
    date,
    created_at: date,
    modified_at: date,
    logs: logsOf(view),
    ...presentFields({ meta: view.meta }),
    recorded_by: { ...view.recorded_by },
    ...presentFields({ request_id: view.request_id })
  }
}

/** "update-shipment" is shown as "Update Shipment". */
const entityType = (value: string) => ({
  entity_value: value,
  display_name: value
    .split(/[-_\s]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(" ")
})

const recorded = { message: "Audit log recorded successfully !", internal_message: "Audit log queued" }

const unknownId = invalidQuery([
  { path: "/id", code: "NOT_FOUND", message: "is not the id of an audit record; check it" }
])

/** A rejected body has the documented message, with its faults' codes. Source: docs/reference/audit.md#create. */
const withPayloadMessage = (failure: Failure): Failure => {
  const { code, errors, status } = failure
  return status === 400 ? new Failure({ code, message: "Payload is not valid", errors }) : failure
}

export const layer = Endpoints.group(AuditGroup, function* (handlers) {
  const trail = yield* AuditTrail.AuditTrail
  const reply = yield* Reply
  return handlers({
    logs: Effect.fnUntraced(function* ({ query }) {
      const caller = yield* PlatformUser
      const { next, records } = yield* trail.search(caller, yield* Effect.fromResult(searchOf(query)))
      const page = { has_next: next !== null, ...(next === null ? {} : { next_cursor: next }) }
      return { docs: records.map((view) => ({ ...sharedFields(view), application: view.application ?? "" })), page }
    }),
    create: ({ payload }) =>
      Effect.flatMap(PlatformUser, (caller) =>
        reply.write({ caller, worded: withPayloadMessage }, (body) =>
          Effect.flatMap(payload(body), (stated) => Effect.as(trail.record(caller, statedLog(stated)), recorded))
        )
      ),
    log: Effect.fnUntraced(function* ({ params }) {
      const view = yield* trail.find(yield* PlatformUser, params.id)
      if (view === undefined) return yield* unknownId
      return { ...sharedFields(view), company: view.company, application: view.application ?? null }
    }),
    entityTypes: Effect.fnUntraced(function* () {
      return { items: (yield* trail.entityTypes(yield* PlatformUser)).map(entityType) }
    })
  })
})
