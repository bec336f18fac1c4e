/** Contract: the audit trail. Descriptions of operations are in texts.json. Source: docs/reference/audit.md#records. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { PlatformAuthentication } from "../Authentication.ts"
import { badRequest, writeErrors } from "../Failure.ts"
import { InvalidQuery } from "../internal/Decode.ts"
import * as Fields from "../internal/Fields.ts"
import { field, nested, nestedList, nullableField, optionalField } from "../internal/Fields.ts"
import { Limits } from "../Limits.ts"
import { paths } from "./PlatformScopes.ts"

export const company = Schema.Struct({ company_id: field(Fields.text(), "Id of the caller's own company") })

const text = Fields.optional(Fields.text())

/** The body of a create. Source: docs/reference/audit.md#create. */
export const LogBody = Schema.Struct({
  log_meta: nested("About the change", {
    application: field(text, "The application that made the change"),
    entity: nested("The changed entity", {
      type: field(text, "Kind of entity, such as sales-channel"),
      id: field(text, "Its id"),
      action: field(text, "The action, such as update")
    }),
    modifier: nullableField(Fields.freeForm, "The author of the change, stated by the caller; user_id can be searched"),
    device_info: nullableField(Fields.freeForm, "The device; the record's meta is derived from its user_agent"),
    location: nullableField(Fields.freeForm, "The place of the change"),
    sessions: field(text, "The session of the change")
  }),
  log_payload: field(Fields.freeForm, "The change, stored without secrets")
}).annotate({ identifier: "RequestBodyAuditLog", description: "A change made in another system" })

/** Only `{"_id": 1}` and `{"_id": -1}` have a meaning as `sort`. Source: docs/reference/audit.md#search. */
export const LogsQuery = Schema.Struct({
  qs: Fields.name,
  limit: field(Fields.withDefault(Fields.queryInteger(1, Limits.auditPageSize), 20), "Records on a page"),
  sort: field(
    Fields.withDefault(Schema.String, '{"_id": -1}'),
    '{"_id": 1} for oldest first, {"_id": -1} for newest first; anything else counts as absent'
  ),
  cursor: Schema.optionalKey(
    Schema.String.check(
      Fields.rule(
        (value) => /^[0-9a-f]{24}$/.test(value) || "[INVALID_VALUE] must be the next_cursor of an earlier page",
        { pattern: "^[0-9a-f]{24}$" }
      )
    )
  )
})

const logFields = {
  entity: nested("The changed entity", {
    type: optionalField(Schema.String, "Kind of entity"),
    id: optionalField(Schema.String, "Its id"),
    action: optionalField(Schema.String, "The action"),
    ids: optionalField(Schema.Array(Schema.String), "Ids of all entities changed by a bulk")
  }),
  modifier: optionalField(Fields.object, "The author of the change, stated by the caller"),
  device_info: optionalField(Fields.object, "The device, stated by the caller"),
  location: optionalField(Fields.object, "The place, stated by the caller"),
  _id: field(Schema.String, "Id of the record, 24 hex characters"),
  sessions: optionalField(Schema.String, "The session, stated by the caller"),
  date: field(Fields.time, "Time of recording, ISO 8601 in UTC"),
  created_at: field(Fields.time, "The same as date"),
  modified_at: field(Fields.time, "The same as date"),
  logs: Fields.json,
  meta: optionalField(Fields.object, "browser, device, cpu, os and engine, derived from the user agent"),
  recorded_by: nested("The caller, as identified by the host", {
    kind: field(Schema.Literals(["integration", "marketplace", "platform_client", "system"]), "Kind of caller"),
    id: field(Schema.String, "The username, slug or client_id"),
    company_id: optionalField(Fields.uid, "The caller's company")
  }),
  request_id: optionalField(Schema.String, "The x-request-id of the request")
}

/** A record in a list. It has no company, and its application is always text. */
export const LogDoc = Schema.Struct({
  ...logFields,
  application: field(Schema.String, "The application, stated by the caller, or empty")
}).annotate({ identifier: "LogDocs", description: "An audit record in a list" })

export const LogRecord = Schema.Struct({
  ...logFields,
  company: field(Fields.uid, "Id of the company"),
  application: field(Schema.NullOr(Schema.String), "The application, stated by the caller")
}).annotate({ identifier: "AuditLog", description: "An audit record" })

export const LogPage = Schema.Struct({
  docs: field(Schema.Array(LogDoc), "The records on this page, sometimes fewer than the limit"),
  page: nested("About the next page", {
    has_next: field(Schema.Boolean, "Whether there is a next page"),
    next_cursor: optionalField(Schema.String, "Its cursor")
  })
}).annotate({ identifier: "LogSchemaResponse", description: "A page of audit records" })

const Created = Schema.Struct({
  message: field(Schema.String, "A confirmation for people"),
  internal_message: field(Schema.String, "Kept for existing clients")
}).annotate({ identifier: "CreateLogResponse", description: "The record was stored" })

const EntityTypes = Schema.Struct({
  items: nestedList("The types", {
    entity_value: field(Schema.String, "The type as in records"),
    display_name: field(Schema.String, "The type in words")
  })
}).annotate({ identifier: "EntityTypesResponse", description: "The entity types of all audit records" })

export const invalidQueryMessage = "Payload or query is not valid"

export class AuditGroup extends HttpApiGroup.make("audit")
  .add(
    HttpApiEndpoint.get("logs", paths.logs, {
      params: company,
      query: LogsQuery,
      success: LogPage,
      error: badRequest
    }).annotate(InvalidQuery, invalidQueryMessage),
    HttpApiEndpoint.post("create", paths.logs, {
      params: company,
      payload: LogBody,
      success: Created,
      error: writeErrors
    }),
    HttpApiEndpoint.get("log", paths.log, {
      params: Schema.Struct({ ...company.fields, id: field(Fields.text(), "Id of the record") }),
      success: LogRecord,
      error: badRequest
    }),
    HttpApiEndpoint.get("entityTypes", paths.entityTypes, { params: company, success: EntityTypes, error: badRequest })
  )
  .middleware(PlatformAuthentication) {}
