/**
 * The hash chain of a company's records: each record's hash covers its body and the previous record's hash. A record's
 * columns must agree with its body.
 */

import * as Context from "effect/Context"
import type { Head, LockedHead } from "./AuditLog.ts"
import { type AuditBody, type AuditRecord, type NextRecord, recordId } from "./AuditRecord.ts"
import type { EventBatch } from "./CompanyEvent.ts"

/**
 * Where a trail was tampered with: the number of the record, and what is wrong with it, to be read as "record 3 is missing".
 */
export interface Break {
  readonly sequence: number
  readonly reason: string
}

/** Port: SHA-256, which domain packages don't implement. */
export class Digest extends Context.Service<
  Digest,
  {
    /** The digest of the text's UTF-8 bytes, as 64 hex characters. */
    readonly sha256: (text: string) => string
  }
>()("@crossdock/audit/Digest") {}

type Sha256 = (text: string) => string

/**
 * The hash of a record: SHA-256 of the previous record's hash ("" for the first) followed by the record's body. Source:
 * docs/reference/audit.md#chain.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { createHash } from "node:crypto"
 * import { AuditChain } from "@crossdock/audit"
 *
 * const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
 *
 * const first = AuditChain.hashOf("", '{"sequence":1}', sha256)
 * strictEqual(first, sha256('{"sequence":1}'))
 * strictEqual(AuditChain.hashOf(first, '{"sequence":2}', sha256), sha256(`${first}{"sequence":2}`))
 * ```
 */
export const hashOf = (previous: string, body: string, sha256: Sha256): string => sha256(previous + body)

/**
 * The record, and the events of its change if it has any, as they follow on `head`. Source: docs/reference/audit.md#chain.
 */
export const sealed = (
  head: LockedHead,
  { content, events, random, ...columns }: NextRecord,
  sha256: Sha256
): { readonly record: AuditRecord; readonly batch: EventBatch | undefined } => {
  const { at, companyId } = columns
  const sequence = head.sequence + 1
  const id = recordId(sequence, random)
  const body = `{"_id":"${id}","company":${companyId},"sequence":${sequence},${content}`
  const record = { ...columns, sequence, id, body, hash: hashOf(head.hash, body, sha256) }
  const batch = { companyId, first: head.events + 1, change: sequence, at, drafts: events }
  return { record, batch: events.length === 0 ? undefined : batch }
}

const bodyOf = (text: string): Partial<AuditBody> | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

const columnsAgree = (record: AuditRecord, body: Partial<AuditBody>): boolean =>
  body._id === record.id &&
  body.company === record.companyId &&
  body.sequence === record.sequence &&
  body.at === record.at &&
  body.entity?.type === record.entityType &&
  body.entity.id === record.entityId &&
  body.entity.action === record.action

/** What is wrong with `record` as the one that follows `before`; undefined when it is as it was written. */
export const recordFault = (before: Pick<Head, "sequence" | "hash">, record: AuditRecord, sha256: Sha256) => {
  const sequence = before.sequence + 1
  if (record.sequence !== sequence) {
    return { sequence, reason: record.sequence > sequence ? "is missing" : "is in another record's place" }
  }
  if (record.hash !== hashOf(before.hash, record.body, sha256)) {
    return { sequence, reason: "has a different body or hash" }
  }
  const body = bodyOf(record.body)
  if (body === undefined || !columnsAgree(record, body))
    return { sequence, reason: "has columns that differ from its body" }
  if (record.personal !== null && body.personal_digest !== sha256(record.personal)) {
    return { sequence, reason: "has a different personal part" }
  }
  return undefined
}

/** Entity type and action of the record that is written when the oldest records are dropped. */
export const dropping = { type: "audit-trail", action: "retain" } as const

/**
 * Whether `record` says that all records up to `anchor` were dropped. A trail without such a record must begin at 1.
 */
export const isDropRecord = (anchor: Pick<Head, "sequence" | "hash">, record: AuditRecord): boolean => {
  if (record.entityType !== dropping.type || record.action !== dropping.action) return false
  const { logs } = bodyOf(record.body) ?? {}
  const response = typeof logs === "object" && logs !== null && "response" in logs ? logs.response : null
  if (typeof response !== "object" || response === null || !("up_to" in response) || !("hash" in response)) return false
  return response.up_to === anchor.sequence && response.hash === anchor.hash
}

/**
 * The break of a trail that begins after `anchor`; undefined when it begins at 1 or when the drop up to there is recorded.
 */
export const unrecordedDrop = (anchor: Pick<Head, "sequence">, isDropRecorded: boolean): Break | undefined =>
  anchor.sequence === 0 || isDropRecorded
    ? undefined
    : { sequence: anchor.sequence, reason: "was removed, and no record says that it was dropped" }

/**
 * Follows records, ascending by number, from `before` on: the head that was reached, and the first break if there is one.
 */
export const follow = (
  before: Head,
  records: Iterable<AuditRecord>,
  sha256: Sha256
): { readonly head: Head; readonly broken: Break | undefined } => {
  let head = before
  for (const record of records) {
    const broken = recordFault(head, record, sha256)
    if (broken !== undefined) return { head, broken }
    head = { companyId: head.companyId, sequence: record.sequence, hash: record.hash }
  }
  return { head, broken: undefined }
}

/**
 * The break of a trail that ends at `reached` but should end at `expected`, which its company or a checkpoint says;
 * undefined when it ends there.
 */
export const endFault = (reached: Head, expected: Pick<Head, "sequence" | "hash">): Break | undefined => {
  if (reached.sequence < expected.sequence) return { sequence: reached.sequence + 1, reason: "is missing" }
  if (reached.sequence > expected.sequence) return { sequence: expected.sequence + 1, reason: "was added" }
  return reached.hash === expected.hash
    ? undefined
    : { sequence: reached.sequence, reason: "is not the record that was last written" }
}
