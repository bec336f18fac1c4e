/**
 * Reads audit requests and shows audit records. Source: docs/reference/audit.md#records.
 */

import { AuditSearch, type AuditTrail, type AuditView, logsOf } from "@crossdock/audit"
import type { Violation } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Failure, validationFailed } from "../Failure.ts"
import type * as Body from "../internal/Body.ts"
import * as Decode from "../internal/Decode.ts"
import { iso } from "../internal/IsoTime.ts"
import { LogBody, type LogDoc, type LogRecord, LogsQuery } from "./AuditApi.ts"

const queryMessage = "Payload or query is not valid"

export const payloadMessage = "Payload is not valid"

export const invalidQuery = (errors: ReadonlyArray<Violation>): Failure => validationFailed(errors, queryMessage)

const decodeBody = Decode.whole(LogBody, payloadMessage)
const decodeQuery = Decode.whole(LogsQuery)

/**
 * The change that a request states. Fails with all violations at once.
 */
export const statedLog = (body: Body.Body | undefined): Effect.Effect<AuditTrail.StatedLog, Failure> =>
  Effect.map(
    decodeBody(body?.json),
    ({ log_meta: { application, device_info, entity, location, modifier, sessions }, log_payload }) => ({
      entity: { type: entity.type ?? "", id: entity.id ?? "", action: entity.action ?? "" },
      application: application ?? null,
      modifier: modifier ?? null,
      deviceInfo: device_info ?? null,
      location: location ?? null,
      sessions: sessions ?? null,
      payload: log_payload
    })
  )

/**
 * Only `{"_id": 1}` and `{"_id": -1}` have a meaning. Anything else counts as absent: existing clients send
 * `[object Object]`. Source: docs/reference/audit.md#list.
 */
const isAscending = (sort: string | undefined): boolean => /^\s*\{\s*"_id"\s*:\s*1\s*\}\s*$/.test(sort ?? "")

/**
 * The search of a query. Fails with all violations at once.
 */
export const search = (query: Readonly<Record<string, unknown>>): Effect.Effect<AuditTrail.Search, Failure> =>
  Effect.gen(function* () {
    const { cursor, limit, qs, sort } = yield* Effect.mapError(decodeQuery(query), ({ errors = [] }) =>
      invalidQuery(Decode.withRepeated(errors, query))
    )
    const filter = yield* Effect.fromResult(Result.mapError(AuditSearch.parse(qs), invalidQuery))
    return { filter, limit, after: cursor ?? null, descending: !isAscending(sort) }
  })

/**
 * The fields that have a value.
 */
const nonEmpty = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ""))

const sharedFields = (view: AuditView) => {
  const date = iso(view.at)
  const { device_info, location, modifier, sessions } = view.personal ?? {}
  return {
    entity: nonEmpty({ ...view.entity }),
    ...(modifier === undefined ? {} : { modifier }),
    ...(device_info === undefined ? {} : { device_info }),
    ...(location === undefined ? {} : { location }),
    _id: view._id,
    ...(sessions === undefined ? {} : { sessions }),
    date,
    created_at: date,
    modified_at: date,
    logs: logsOf(view),
    ...(view.meta === undefined ? {} : { meta: view.meta }),
    recorded_by: { ...view.recorded_by },
    ...(view.request_id === null ? {} : { request_id: view.request_id })
  }
}

export const doc = (view: AuditView): typeof LogDoc.Type => ({
  ...sharedFields(view),
  application: view.application ?? ""
})

export const record = (view: AuditView): typeof LogRecord.Type => ({
  ...sharedFields(view),
  company: view.company,
  application: view.application ?? null
})

/**
 * "update-shipment" is shown as "Update Shipment".
 */
export const entityType = (value: string) => ({
  entity_value: value,
  display_name: value
    .split(/[-_\s]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(" ")
})
