/**
 * Contract: the audit trail (document 3, Platform-side).
 */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import { PlatformAuthentication } from "../Authentication.ts"
import { badRequest, conflict, tooLarge, unprocessable, unsupportedMediaType } from "../Failure.ts"
import * as Fields from "../Fields.ts"
import { paths } from "./PlatformScopes.ts"

export const company = Schema.Struct({ company_id: Schema.String })

const text = Fields.optional(Fields.text())

/**
 * Create-log input (document 3; field tables, AuditTrail).
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
}).annotations({ identifier: "RequestBodyAuditLog" })

export const LogsQuery = Schema.Struct({
  qs: Fields.name,
  limit: Schema.optionalWith(Fields.queryInteger(1, 100), { default: () => 20, exact: true }),
  sort: Schema.optional(Schema.String),
  cursor: Schema.optional(
    Schema.String.pipe(
      Schema.filter((value) =>
        /^[0-9a-f]{24}$/.test(value) ? true : "[INVALID_VALUE] must be a next_cursor of a page"
      )
    )
  )
})

const object = Schema.Record({ key: Schema.String, value: Schema.Unknown })

const logFields = {
  entity: object,
  modifier: Schema.optional(object),
  device_info: Schema.optional(object),
  location: Schema.optional(object),
  _id: Schema.String,
  sessions: Schema.optional(Schema.String),
  date: Schema.String,
  created_at: Schema.String,
  modified_at: Schema.String,
  logs: Schema.Unknown,
  meta: Schema.optional(object),
  recorded_by: object,
  request_id: Schema.optional(Schema.String)
}

/**
 * A record of the list: without its company, its application as text.
 */
export const LogDoc = Schema.Struct({ ...logFields, application: Schema.String }).annotations({ identifier: "LogDocs" })

/**
 * A record by itself.
 */
export const LogRecord = Schema.Struct({
  ...logFields,
  company: Schema.Int,
  application: Schema.NullOr(Schema.String)
}).annotations({ identifier: "AuditLog" })

export const LogPage = Schema.Struct({
  docs: Schema.Array(LogDoc),
  page: Schema.Struct({ has_next: Schema.Boolean, next_cursor: Schema.optional(Schema.String) })
}).annotations({ identifier: "LogSchemaResponse" })

const Created = Schema.Struct({ message: Schema.String, internal_message: Schema.String }).annotations({
  identifier: "CreateLogResponse"
})

const EntityTypes = Schema.Struct({
  items: Schema.Array(Schema.Struct({ entity_value: Schema.String, display_name: Schema.String }))
}).annotations({ identifier: "EntityTypesResponse" })

/**
 * `qs`, `limit`, `sort` and `cursor` are judged by the handler, so that every fault has the one message of document 3.
 */
const raw = Schema.optional(
  Schema.Union(Schema.String, Schema.Array(Schema.String)).annotations({ jsonSchema: { type: "string" } })
)

const rawQuery = Schema.Struct({ qs: raw, limit: raw, sort: raw, cursor: raw })

interface Operation {
  readonly parameters: ReadonlyArray<{ readonly name: string }>
}

const withRequiredSearch = ({ parameters, ...operation }: Operation) => ({
  ...operation,
  parameters: parameters.map((one) => (one.name === "qs" ? { ...one, required: true } : one))
})

export class AuditGroup extends HttpApiGroup.make("audit")
  .add(
    HttpApiEndpoint.get("logs", paths.logs)
      .setPath(company)
      .setUrlParams(rawQuery)
      .addSuccess(LogPage)
      .annotate(OpenApi.Summary, "Search the trail")
      .annotate(OpenApi.Transform, (operation) => withRequiredSearch(operation as Operation))
      .annotate(OpenApi.Description, "Words, phrases in quotes, key:value, or a JSON object of the same keys")
  )
  .add(
    HttpApiEndpoint.post("create", paths.logs)
      .setPath(company)
      .setPayload(LogBody)
      .addSuccess(Created)
      .addError(conflict)
      .addError(tooLarge)
      .addError(unsupportedMediaType)
      .addError(unprocessable)
      .annotate(OpenApi.Summary, "Record a change that was made elsewhere")
  )
  .add(
    HttpApiEndpoint.get("log", paths.log)
      .setPath(Schema.Struct({ company_id: Schema.String, id: Schema.String }))
      .addSuccess(LogRecord)
      .annotate(OpenApi.Summary, "Read one record")
  )
  .add(
    HttpApiEndpoint.get("entityTypes", paths.entityTypes)
      .setPath(company)
      .addSuccess(EntityTypes)
      .annotate(OpenApi.Summary, "The entity types of all stored records")
  )
  .addError(badRequest)
  .middleware(PlatformAuthentication)
  .annotate(OpenApi.Title, "Audit trail") {}
