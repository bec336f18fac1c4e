/**
 * Contract: the audit trail. Source: docs/reference/audit.md#records.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { PlatformAuthentication } from "../Authentication.ts"
import { badRequest, conflict, tooLarge, unprocessable, unsupportedMediaType } from "../Failure.ts"
import { InvalidQuery } from "../internal/Decode.ts"
import * as Fields from "../internal/Fields.ts"
import { described } from "../internal/Fields.ts"
import { group, operation } from "../internal/OpenApiDocument.ts"
import { Limits } from "../Limits.ts"
import { callersOf, paths } from "./PlatformScopes.ts"

export const company = Schema.Struct({ company_id: described(Fields.text(), "Id of the caller's own company") })

const text = Fields.optional(Fields.text())

/** The body of a create. Source: docs/reference/audit.md#create. */
export const LogBody = Schema.Struct({
  log_meta: described(
    Schema.Struct({
      application: described(text, "The application in which the change was made"),
      entity: described(
        Schema.Struct({
          type: described(text, "Kind of what changed, such as sales-channel"),
          id: described(text, "Its id"),
          action: described(text, "What was done to it, such as update")
        }),
        "What changed"
      ),
      modifier: described(
        Fields.optional(Fields.freeForm),
        "Who changed it, as the caller states; user_id can be searched"
      ),
      device_info: described(
        Fields.optional(Fields.freeForm),
        "The device; the record's meta is derived from its user_agent"
      ),
      location: described(Fields.optional(Fields.freeForm), "Where it was changed"),
      sessions: described(text, "The session in which it was changed")
    }),
    "About the change"
  ),
  log_payload: described(Fields.freeForm, "The change itself, kept as it was sent but for secrets")
}).annotate({ identifier: "RequestBodyAuditLog", description: "A change that was made in another system" })

/** `sort` has a meaning as `{"_id": 1}` and `{"_id": -1}` alone. Source: docs/reference/audit.md#search. */
export const LogsQuery = Schema.Struct({
  qs: described(
    Fields.name,
    "The search: words, quoted phrases and key:value pairs, or a JSON object of the same keys; {} finds every record. Keys are entity.type, entity.id, entity.action, modifier.user_id, from and to"
  ),
  limit: described(Fields.withDefault(Fields.queryInteger(1, Limits.auditPageSize), 20), "Records on a page"),
  sort: described(
    Fields.withDefault(Schema.String, '{"_id": -1}'),
    '{"_id": 1} for oldest first, {"_id": -1} for newest first; anything else counts as absent'
  ),
  cursor: described(
    Schema.optionalKey(
      Schema.String.check(
        Schema.makeFilter(
          (value) => /^[0-9a-f]{24}$/.test(value) || "[INVALID_VALUE] must be the next_cursor of an earlier page",
          { toJsonSchema: () => ({ pattern: "^[0-9a-f]{24}$" }) }
        )
      )
    ),
    "The next_cursor of the page before"
  )
})

const logFields = {
  entity: described(
    Schema.Struct({
      type: described(Schema.optionalKey(Schema.String), "Kind of what changed"),
      id: described(Schema.optionalKey(Schema.String), "Its id"),
      action: described(Schema.optionalKey(Schema.String), "What was done to it"),
      ids: described(Schema.optionalKey(Schema.Array(Schema.String)), "Of a bulk that changed several: all ids")
    }),
    "What changed"
  ),
  modifier: described(Schema.optionalKey(Fields.object), "Who changed it, as the caller stated"),
  device_info: described(Schema.optionalKey(Fields.object), "The device, as the caller stated"),
  location: described(Schema.optionalKey(Fields.object), "Where, as the caller stated"),
  _id: described(Schema.String, "Id of the record, 24 hex characters"),
  sessions: described(Schema.optionalKey(Schema.String), "The session, as the caller stated"),
  date: described(Fields.time, "When it was recorded, ISO 8601 in UTC"),
  created_at: described(Fields.time, "The same as date"),
  modified_at: described(Fields.time, "The same as date: records never change"),
  logs: described(
    Fields.json,
    "The change: {request, response, before?, after?} of a request, or the log_payload of a stated record as it was sent"
  ),
  meta: described(
    Schema.optionalKey(Fields.object),
    "browser, device, cpu, os and engine, derived from the user agent"
  ),
  recorded_by: described(
    Schema.Struct({
      kind: described(Schema.Literals(["integration", "marketplace", "platform_client", "system"]), "Kind of caller"),
      id: described(Schema.String, "Its username, slug or client_id"),
      company_id: described(Schema.optionalKey(Fields.uid), "Its company")
    }),
    "The principal of the token, which no caller can choose"
  ),
  request_id: described(Schema.optionalKey(Schema.String), "The x-request-id of the request")
}

/** A record in a list: without its company, and with its application always as text. */
export const LogDoc = Schema.Struct({
  ...logFields,
  application: described(Schema.String, "The application, as the caller stated; empty when it did not")
}).annotate({ identifier: "LogDocs", description: "An audit record in a list" })

/** A single record. */
export const LogRecord = Schema.Struct({
  ...logFields,
  company: described(Fields.uid, "Id of the company"),
  application: described(Schema.NullOr(Schema.String), "The application, as the caller stated")
}).annotate({ identifier: "AuditLog", description: "An audit record" })

export const LogPage = Schema.Struct({
  docs: described(Schema.Array(LogDoc), "The records on this page; may be fewer than limit while there are more"),
  page: described(
    Schema.Struct({
      has_next: described(Schema.Boolean, "Whether there is more"),
      next_cursor: described(Schema.optionalKey(Schema.String), "Send it as cursor to continue")
    }),
    "How to continue"
  )
}).annotate({ identifier: "LogSchemaResponse", description: "A page of audit records" })

const Created = Schema.Struct({
  message: described(Schema.String, "That it was recorded, for a person"),
  internal_message: described(Schema.String, "Kept for existing clients")
}).annotate({ identifier: "CreateLogResponse", description: "The record was stored" })

const EntityTypes = Schema.Struct({
  items: described(
    Schema.Array(
      Schema.Struct({
        entity_value: described(Schema.String, "The type, as records have it"),
        display_name: described(Schema.String, "The type for a person")
      })
    ),
    "The types"
  )
}).annotate({ identifier: "EntityTypesResponse", description: "The entity types of all audit records" })

/** The documented message of every query that is not valid. */
export const invalidQueryMessage = "Payload or query is not valid"

export class AuditGroup extends HttpApiGroup.make("audit")
  .add(
    HttpApiEndpoint.get("logs", paths.logs, { params: company, query: LogsQuery, success: LogPage, error: badRequest })
      .annotateMerge(
        operation(
          "Search the audit trail",
          `Records of who changed what, newest first. qs is a list of words, quoted phrases and key:value pairs, or a JSON object of the same keys. ${callersOf("GET", paths.logs)}`,
          "audit.md#search",
          "audit.md#list"
        )
      )
      .annotate(InvalidQuery, invalidQueryMessage),
    HttpApiEndpoint.post("create", paths.logs, {
      params: company,
      payload: LogBody,
      success: Created,
      error: [badRequest, conflict, tooLarge, unsupportedMediaType, unprocessable]
    }).annotateMerge(
      operation(
        "Record a change made elsewhere",
        `Adds a record to the company's audit trail. ${callersOf("POST", paths.logs)}`,
        "audit.md#create"
      )
    ),
    HttpApiEndpoint.get("log", paths.log, {
      params: Schema.Struct({ ...company.fields, id: described(Fields.text(), "Id of the record") }),
      success: LogRecord,
      error: badRequest
    }).annotateMerge(
      operation("Read an audit record", `One record by its id. ${callersOf("GET", paths.log)}`, "audit.md#list")
    ),
    HttpApiEndpoint.get("entityTypes", paths.entityTypes, {
      params: company,
      success: EntityTypes,
      error: badRequest
    }).annotateMerge(
      operation(
        "List entity types",
        `The entity types of all audit records. ${callersOf("GET", paths.entityTypes)}`,
        "audit.md#entity-types"
      )
    )
  )
  .middleware(PlatformAuthentication)
  .annotateMerge(group("Audit trail", "Who changed what in the company, in a trail that can't be changed")) {}
