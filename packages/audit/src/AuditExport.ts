/** The trail as text: JSON lines, which can be verified, or CSV for spreadsheets. */
import { CompanyId, frozen } from "@crossdock/kernel"
import * as DateTime from "effect/DateTime"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as AuditChain from "./AuditChain.ts"
import { type AuditRecord, type Head, logsOf, viewOf } from "./AuditChain.ts"

const Line = Schema.fromJsonString(
  Schema.Struct({
    companyId: CompanyId,
    sequence: Schema.Int,
    id: Schema.String,
    at: Schema.Int,
    entityType: Schema.String,
    entityId: Schema.String,
    action: Schema.String,
    hash: Schema.String,
    body: Schema.String,
    personal: Schema.NullOr(Schema.String)
  }).pipe(Schema.encodeKeys({ companyId: "company", entityType: "entity_type", entityId: "entity_id" }))
)

const decodeLine = Schema.decodeResult(Line)

/** A record as one line of JSON, without the line feed. */
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

/** The record in a line. The result is undefined if the line isn't a record. */
export const fromJsonLine = (line: string): AuditRecord | undefined =>
  Result.getOrElse(decodeLine(line), () => undefined)

const AnchorLine = Schema.fromJsonString(
  Schema.Struct({ companyId: CompanyId, sequence: Schema.Natural, hash: Schema.String }).pipe(
    Schema.encodeKeys({ companyId: "company", sequence: "begins_after" })
  )
)

const decodeAnchor = Schema.decodeResult(AnchorLine)

/** The first line of an export: the number and hash of the record before its first one, or 0 and "" before record 1. */
export const anchorLine = ({ companyId, hash, sequence }: Head): string =>
  JSON.stringify({ company: companyId, begins_after: sequence, hash })

/** The progress of reading an export, and its first break, if there is one. */
export interface Reading {
  /** The head that the records follow, from the anchor line if there is one. Undefined until a line is read. */
  readonly anchor: Head | undefined
  readonly head: Pick<Head, "sequence" | "hash">
  readonly records: number
  readonly isDropRecorded: boolean
  readonly broken: AuditChain.Break | undefined
}

const nothing = { sequence: 0, hash: "" }

/** The state before the first line of an export is read. */
export const begin: Reading = /* @__PURE__ */ frozen({
  anchor: undefined,
  head: nothing,
  records: 0,
  isDropRecorded: false,
  broken: undefined
})

/**
 * Reads the next line of an export. An export without an anchor line must begin with record 1.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { createHash } from "node:crypto"
 * import { AuditExport } from "@crossdock/audit"
 *
 * const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
 * const { broken } = AuditExport.read(AuditExport.begin, "not JSON", sha256)
 * deepStrictEqual(broken, { sequence: 1, reason: "is not a record" })
 * ```
 */
export const read = (before: Reading, line: string, sha256: (text: string) => string): Reading => {
  if (before.broken !== undefined) return before
  const anchor = before.anchor === undefined ? Result.getOrElse(decodeAnchor(line), () => undefined) : undefined
  if (anchor !== undefined) return { ...before, anchor, head: anchor }
  const record = fromJsonLine(line)
  if (record === undefined)
    return { ...before, broken: { sequence: before.head.sequence + 1, reason: "is not a record" } }
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

/** The first break of an export that was read completely, or undefined if it is intact. */
export const firstBreak = ({ anchor, broken, isDropRecorded }: Reading): AuditChain.Break | undefined =>
  broken ?? AuditChain.unrecordedDrop(anchor ?? nothing, isDropRecorded)

/** The beginning of a cell that spreadsheets run as a formula, even after blanks. An apostrophe makes the cell text. */
const formula = /^\s*[=+\-@\t\r]/

const cell = (value: string): string => {
  const safe = formula.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const row = (cells: ReadonlyArray<string>): string => cells.map(cell).join(",")

/** The first line of the CSV (RFC 4180), without the CR LF. */
export const csvHead =
  "sequence,id,date,entity_type,entity_id,action,recorded_by_kind,recorded_by_id,user_id,request_id,logs,hash"

/** A record as a line of CSV, without the CR LF. A text that spreadsheets would run as a formula gets an apostrophe. */
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
