/**
 * The trail as text for other programs: JSON lines that can be verified again, and CSV for a spreadsheet.
 */

import { CompanyId } from "@crossdock/kernel"
import * as DateTime from "effect/DateTime"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as AuditChain from "./AuditChain.ts"
import type { Head } from "./AuditLog.ts"
import { type AuditRecord, logsOf, viewOf } from "./AuditRecord.ts"

const Line = Schema.fromJsonString(
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

const decodeLine = Schema.decodeResult(Line)

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
  Result.match(decodeLine(line), {
    onFailure: () => undefined,
    onSuccess: ({ action, at, body, company, entity_id, entity_type, hash, id, personal, sequence }) => ({
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

const AnchorLine = Schema.fromJsonString(
  Schema.Struct({ company: CompanyId, begins_after: Schema.Natural, hash: Schema.String })
)

const decodeAnchor = Schema.decodeResult(AnchorLine)

/**
 * The first line of an export: the number and hash of the record that its first one follows, 0 and "" for a whole trail.
 */
export const anchorLine = ({ companyId, hash, sequence }: Head): string =>
  JSON.stringify({ company: companyId, begins_after: sequence, hash })

const fromAnchorLine = (line: string): Head | undefined =>
  Result.match(decodeAnchor(line), {
    onFailure: () => undefined,
    onSuccess: ({ begins_after, company, hash }) => ({ companyId: company, sequence: begins_after, hash })
  })

/**
 * How far an export was read, and what is wrong with it so far.
 */
export interface Reading {
  /** Undefined before the first line. */
  readonly anchor: Head | undefined
  readonly head: Pick<Head, "sequence" | "hash">
  readonly records: number
  readonly isTold: boolean
  readonly broken: AuditChain.Break | undefined
}

const nothing = { sequence: 0, hash: "" }

export const begin: Reading = { anchor: undefined, head: nothing, records: 0, isTold: false, broken: undefined }

/**
 * An export's next line; after the first break nothing more is read. One that has no anchor as its first line begins with the first record.
 */
export const read = (before: Reading, line: string, sha256: (text: string) => string): Reading => {
  if (before.broken !== undefined) return before
  const anchor = before.anchor === undefined ? fromAnchorLine(line) : undefined
  if (anchor !== undefined) return { ...before, anchor, head: anchor }
  const record = fromJsonLine(line)
  if (record === undefined) {
    return { ...before, broken: { sequence: before.head.sequence + 1, reason: "is no record" } }
  }
  const broken = AuditChain.fault(before.head, record, sha256)
  if (broken !== undefined) return { ...before, broken }
  const begun = before.anchor ?? { ...nothing, companyId: record.companyId }
  return {
    anchor: begun,
    head: { sequence: record.sequence, hash: record.hash },
    records: before.records + 1,
    isTold: before.isTold || AuditChain.tellsOf(begun, record),
    broken
  }
}

/**
 * What is wrong with an export that was read to its end, or to the first break.
 */
export const verdict = ({ anchor, broken, isTold }: Reading): AuditChain.Break | undefined =>
  broken ?? AuditChain.begins(anchor ?? nothing, isTold)

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
    DateTime.formatIso(DateTime.makeUnsafe(record.at)),
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
