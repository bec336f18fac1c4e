/**
 * Contract: the audit trail. Source: docs/reference/audit.md#records.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { PlatformAuthentication } from "../Authentication.ts"
import { badRequest, conflict, tooLarge, unprocessable, unsupportedMediaType } from "../Failure.ts"
import * as Fields from "../internal/Fields.ts"
import { KnownParameters } from "../internal/KnownParameters.ts"
import { Limits } from "../Limits.ts"
import { paths } from "./PlatformScopes.ts"

export const company = Schema.Struct({ company_id: Fields.text() })

const text = Fields.optional(Fields.text())

/**
 * The body of a create. Source: docs/reference/audit.md#create.
 */
export const LogBody = Schema.Struct({
  log_meta: Schema.Struct({
    application: text,
    entity: Schema.Struct({ type: text, id: text, action: text }),
    modifier: Fields.optional(Fields.freeForm),
    device_info: Fields.optional(Fields.freeForm),
    location: Fields.optional(Fields.freeForm),
    sessions: text
  }),
  log_payload: Fields.freeForm
}).annotate({ identifier: "RequestBodyAuditLog" })

export const LogsQuery = Schema.Struct({
  qs: Fields.name,
  limit: Fields.withDefault(Fields.queryInteger(1, Limits.auditPageSize), 20),
  sort: Schema.optionalKey(Schema.String),
  cursor: Schema.optionalKey(
    Schema.String.pipe(
      Schema.check(
        Schema.makeFilter((value) =>
          /^[0-9a-f]{24}$/.test(value) ? true : "[INVALID_VALUE] must be the next_cursor of an earlier page"
        )
      )
    )
  )
})

const logFields = {
  entity: Fields.object,
  modifier: Schema.optionalKey(Fields.object),
  device_info: Schema.optionalKey(Fields.object),
  location: Schema.optionalKey(Fields.object),
  _id: Schema.String,
  sessions: Schema.optionalKey(Schema.String),
  date: Schema.String,
  created_at: Schema.String,
  modified_at: Schema.String,
  logs: Fields.json,
  meta: Schema.optionalKey(Fields.object),
  recorded_by: Fields.object,
  request_id: Schema.optionalKey(Schema.String)
}

/**
 * A record in a list: without its company, and with its application always as text.
 */
export const LogDoc = Schema.Struct({ ...logFields, application: Schema.String }).annotate({ identifier: "LogDocs" })

/**
 * A single record.
 */
export const LogRecord = Schema.Struct({
  ...logFields,
  company: Schema.Int,
  application: Schema.NullOr(Schema.String)
}).annotate({ identifier: "AuditLog" })

export const LogPage = Schema.Struct({
  docs: Schema.Array(LogDoc),
  page: Schema.Struct({ has_next: Schema.Boolean, next_cursor: Schema.optionalKey(Schema.String) })
}).annotate({ identifier: "LogSchemaResponse" })

const Created = Schema.Struct({ message: Schema.String, internal_message: Schema.String }).annotate({
  identifier: "CreateLogResponse"
})

const EntityTypes = Schema.Struct({
  items: Schema.Array(Schema.Struct({ entity_value: Schema.String, display_name: Schema.String }))
}).annotate({ identifier: "EntityTypesResponse" })

/**
 * `qs`, `limit`, `sort` and `cursor` are decoded by the handler, so that every violation gets the same message.
 * Source: docs/reference/audit.md#search.
 */
const raw = Schema.optionalKey(
  Fields.json.pipe(Schema.check(Schema.makeFilter(() => true, { toJsonSchema: () => ({ type: "string" }) })))
)

const rawQuery = Schema.Struct({ qs: raw, limit: raw, sort: raw, cursor: raw })

interface Operation {
  readonly parameters: ReadonlyArray<{ readonly name: string }>
}

const withRequiredSearch = ({ parameters, ...operation }: Operation) => ({
  ...operation,
  parameters: parameters.map((one) => (one.name === "qs" ? { ...one, required: true } : one))
})

const errors = [badRequest] as const

export class AuditGroup extends HttpApiGroup.make("audit")
  .add(
    HttpApiEndpoint.get("logs", paths.logs, { params: company, query: rawQuery, success: LogPage, error: errors })
      .annotate(OpenApi.Summary, "Search the audit trail")
      .annotate(OpenApi.Transform, (operation) => withRequiredSearch(operation as Operation))
      .annotate(
        OpenApi.Description,
        "qs is a list of words, quoted phrases and key:value pairs, or a JSON object of the same keys"
      )
  )
  .add(
    HttpApiEndpoint.post("create", paths.logs, {
      params: company,
      payload: LogBody,
      success: Created,
      error: [...errors, conflict, tooLarge, unsupportedMediaType, unprocessable]
    }).annotate(OpenApi.Summary, "Record a change made in another system")
  )
  .add(
    HttpApiEndpoint.get("log", paths.log, {
      params: Schema.Struct({ ...company.fields, id: Fields.text() }),
      success: LogRecord,
      error: errors
    }).annotate(OpenApi.Summary, "Read one audit record")
  )
  .add(
    HttpApiEndpoint.get("entityTypes", paths.entityTypes, {
      params: company,
      success: EntityTypes,
      error: errors
    }).annotate(OpenApi.Summary, "List the entity types of all audit records")
  )
  .middleware(KnownParameters)
  .middleware(PlatformAuthentication)
  .annotate(OpenApi.Title, "Audit trail") {}
