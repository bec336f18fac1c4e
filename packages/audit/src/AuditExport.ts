/**
 * The trail as text: JSON lines, which can be verified, and CSV for spreadsheets.
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
 *
 * @example
 * ```ts
 * import { deepStrictEqual, strictEqual } from "node:assert/strict"
 * import { AuditExport } from "@crossdock/audit"
 * import { CompanyId } from "@crossdock/kernel"
 *
 * const columns = { id: "00000000000100000000002a", at: 0, entityType: "price", entityId: "85123A", action: "set" }
 * const record = { companyId: CompanyId.make(1), sequence: 1, ...columns, body: "{\n}", hash: "5f2a", personal: null }
 * const line = AuditExport.jsonLine(record)
 * strictEqual(line.includes("\n"), false)
 * deepStrictEqual(AuditExport.fromJsonLine(line), record)
 * ```
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
 * The record of a line; undefined when the line isn't a record.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { AuditExport } from "@crossdock/audit"
 *
 * strictEqual(AuditExport.fromJsonLine('{"company":1,"begins_after":0,"hash":""}'), undefined)
 * strictEqual(AuditExport.fromJsonLine('{"company":1,"sequence":'), undefined)
 * ```
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
 * The first line of an export: the number and hash of the record before its first one; 0 and "" for a complete trail.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { AuditExport } from "@crossdock/audit"
 * import { CompanyId } from "@crossdock/kernel"
 *
 * const complete = { companyId: CompanyId.make(1), sequence: 0, hash: "" }
 * strictEqual(AuditExport.anchorLine(complete), '{"company":1,"begins_after":0,"hash":""}')
 * ```
 */
export const anchorLine = ({ companyId, hash, sequence }: Head): string =>
  JSON.stringify({ company: companyId, begins_after: sequence, hash })

const fromAnchorLine = (line: string): Head | undefined =>
  Result.match(decodeAnchor(line), {
    onFailure: () => undefined,
    onSuccess: ({ begins_after, company, hash }) => ({ companyId: company, sequence: begins_after, hash })
  })

/** How far an export was read, and its first break if one was found. */
export interface Reading {
  /** Undefined before the first line. */
  readonly anchor: Head | undefined
  readonly head: Pick<Head, "sequence" | "hash">
  readonly records: number
  readonly isDropRecorded: boolean
  readonly broken: AuditChain.Break | undefined
}

const nothing = { sequence: 0, hash: "" }

/** The reading of an export before its first line. */
export const begin: Reading = { anchor: undefined, head: nothing, records: 0, isDropRecorded: false, broken: undefined }

/**
 * Reads the next line of an export; after the first break it does nothing. An export without an anchor line begins with
 * record 1.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { createHash } from "node:crypto"
 * import { AuditExport } from "@crossdock/audit"
 *
 * const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
 *
 * const first = AuditExport.read(AuditExport.begin, '{"company":1,"begins_after":500,"hash":"5f2a"}', sha256)
 * deepStrictEqual(first.head.sequence, 500)
 * const second = AuditExport.read(first, "not JSON", sha256)
 * deepStrictEqual(second.broken, { sequence: 501, reason: "is not a record" })
 * ```
 */
export const read = (before: Reading, line: string, sha256: (text: string) => string): Reading => {
  if (before.broken !== undefined) return before
  const anchor = before.anchor === undefined ? fromAnchorLine(line) : undefined
  if (anchor !== undefined) return { ...before, anchor, head: anchor }
  const record = fromJsonLine(line)
  if (record === undefined) {
    return { ...before, broken: { sequence: before.head.sequence + 1, reason: "is not a record" } }
  }
  const broken = AuditChain.recordFault(before.head, record, sha256)
  if (broken !== undefined) return { ...before, broken }
  const begun = before.anchor ?? { ...nothing, companyId: record.companyId }
  return {
    anchor: begun,
    head: { sequence: record.sequence, hash: record.hash },
    records: before.records + 1,
    isDropRecorded: before.isDropRecorded || AuditChain.isDropRecord(begun, record),
    broken
  }
}

/**
 * The break of an export that was read to its end; undefined when it is intact.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { createHash } from "node:crypto"
 * import { AuditExport } from "@crossdock/audit"
 *
 * const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
 * const anchor = '{"company":1,"begins_after":500,"hash":"5f2a"}'
 * const reading = AuditExport.read(AuditExport.begin, anchor, sha256)
 * // the export begins after record 500, but no record in it says that 500 records were dropped
 * strictEqual(AuditExport.firstBreak(reading)?.sequence, 500)
 * strictEqual(AuditExport.firstBreak(AuditExport.begin), undefined)
 * ```
 */
export const firstBreak = ({ anchor, broken, isDropRecorded }: Reading): AuditChain.Break | undefined =>
  broken ?? AuditChain.unrecordedDrop(anchor ?? nothing, isDropRecorded)

/** Spreadsheets take a cell that begins like this for a formula, also after blanks; an apostrophe makes it text. */
const formula = /^\s*[=+\-@\t\r]/

const cell = (value: string): string => {
  const safe = formula.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const row = (cells: ReadonlyArray<string>): string => cells.map(cell).join(",")

/** The first line of the CSV (RFC 4180), without its CR LF. */
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

/**
 * One record as one line of CSV, without its CR LF. A text that a spreadsheet would take for a formula begins with an
 * apostrophe.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { AuditExport } from "@crossdock/audit"
 * import { CompanyId } from "@crossdock/kernel"
 *
 * const id = "00000000000100000000002a"
 * const entity = { type: "price", id: "=1+1", action: "set" }
 * const by = { recorded_by: { kind: "system", id: "billing" }, request_id: "r1" }
 * const body = JSON.stringify({ _id: id, company: 1, sequence: 1, at: 0, entity, ...by, logs: {} })
 * const columns = { id, at: 0, entityType: entity.type, entityId: entity.id, action: entity.action }
 * const record = { companyId: CompanyId.make(1), sequence: 1, ...columns, body, hash: "5f2a", personal: null }
 * const line = "1,00000000000100000000002a,1970-01-01T00:00:00.000Z,price,'=1+1,set,system,billing,,r1,{},5f2a"
 * strictEqual(AuditExport.csvLine(record), line)
 * ```
 */
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
