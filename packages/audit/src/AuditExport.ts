/**
 * The trail as text for other programs: JSON lines that can be verified again, and CSV for a spreadsheet.
 */

import { CompanyId } from "@crossdock/kernel"
import * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { type AuditRecord, logsOf, viewOf } from "./AuditRecord.ts"

const Line = Schema.parseJson(
  Schema.Struct({
    company: CompanyId,
    sequence: Schema.Int,
    id: Schema.String,
    at: Schema.Int,
    entity_type: Schema.String,
    entity_id: Schema.String,
    action: Schema.String,
    hash: Schema.String,
    body: Schema.String,
    personal: Schema.NullOr(Schema.String)
  })
)

const decodeLine = Schema.decodeEither(Line)

/**
 * One record as one line of JSON, without its line feed.
 */
export const jsonLine = (record: AuditRecord): string =>
  JSON.stringify({
    company: record.companyId,
    sequence: record.sequence,
    id: record.id,
    at: record.at,
    entity_type: record.entityType,
    entity_id: record.entityId,
    action: record.action,
    hash: record.hash,
    body: record.body,
    personal: record.personal
  })

/**
 * A record from its line; undefined when the line is none.
 */
export const fromJsonLine = (line: string): AuditRecord | undefined =>
  Either.match(decodeLine(line), {
    onLeft: () => undefined,
    onRight: ({ action, at, body, company, entity_id, entity_type, hash, id, personal, sequence }) => ({
      companyId: company,
      sequence,
      id,
      at,
      entityType: entity_type,
      entityId: entity_id,
      action,
      body,
      hash,
      personal
    })
  })

/**
 * A spreadsheet takes a cell that begins so for a formula, also after blanks; an apostrophe makes it text.
 */
const formula = /^\s*[=+\-@\t\r]/

const cell = (value: string): string => {
  const safe = formula.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const row = (cells: ReadonlyArray<string>): string => cells.map(cell).join(",")

/**
 * RFC 4180: the first line, then one for each record, each to be ended with CR LF.
 */
export const csvHead = row([
  "sequence",
  "id",
  "date",
  "entity_type",
  "entity_id",
  "action",
  "recorded_by_kind",
  "recorded_by_id",
  "user_id",
  "request_id",
  "logs",
  "hash"
])

export const csvLine = (record: AuditRecord): string => {
  const view = viewOf(record)
  const user = view.personal?.modifier?.user_id
  return row([
    String(record.sequence),
    record.id,
    DateTime.formatIso(DateTime.unsafeMake(record.at)),
    record.entityType,
    record.entityId,
    record.action,
    view.recorded_by.kind,
    view.recorded_by.id,
    user === undefined || user === null ? "" : String(user),
    view.request_id ?? "",
    JSON.stringify(logsOf(view)),
    record.hash
  ])
}
