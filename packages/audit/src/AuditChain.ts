/** A trail's records and hash chain: each hash covers a body and the previous hash. Columns must agree with the body. */
import type { Principal, System } from "@crossdock/access"
import { type CompanyId, frozen, StoredBody } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type { EventBatch, EventDraft } from "./CompanyEvent.ts"

/**
 * The changed entity, and the action. For a bulk of several entities, `id` is the first and `ids` are all; the record is found
 * under each. Source: docs/reference/audit.md#records.
 */
export interface AuditEntity {
  readonly type: string
  readonly id: string
  readonly action: string
  readonly ids?: ReadonlyArray<string>
}

/** The principal of the token, which the caller can't choose. */
export interface RecordedBy {
  readonly kind: (Principal | System)["kind"]
  readonly id: string
  readonly company_id?: number
}

/** A JSON object, stored as sent. */
export type FreeForm = Readonly<Record<string, unknown>>

/** A caller's statements about itself, stored as sent. `personal` is the JSON text of `Personal`. */
export interface Stated {
  readonly application: string | null
  /** The description of the user agent. */
  readonly meta: FreeForm | null
  readonly personal: string | null
}

/** The part that identifies a person, erasable without breaking the chain. The body has its digest; `salt` prevents guessing. */
export interface Personal {
  readonly salt: string
  readonly modifier?: FreeForm
  readonly device_info?: FreeForm
  readonly location?: FreeForm
  readonly sessions?: string
  /** The logs as sent, if a field of theirs identifies a person; the body's logs omit such values. */
  readonly logs?: unknown
}

/**
 * A stored record. `sequence` is the change number, counted from 1 within the company. `body` is the JSON text of an
 * `AuditBody`; `hash` covers it and the previous hash, so the exact written bytes verify a record.
 */
export interface AuditRecord {
  readonly companyId: CompanyId
  readonly sequence: number
  /** 24 hex characters, of which the first twelve are the sequence: ids sort in commit order. */
  readonly id: string
  /** Epoch milliseconds. */
  readonly at: number
  readonly entityType: string
  readonly entityId: string
  readonly action: string
  readonly body: string
  readonly hash: string
  /** JSON text of `Personal`; null when erased or when the record identifies no person. */
  readonly personal: string | null
}

/** The next record of a company's trail, before it has its number, and the events of its change. */
export interface NextRecord
  extends Pick<AuditRecord, "companyId" | "at" | "entityType" | "entityId" | "action" | "personal"> {
  /** 24 hex characters; the record's id ends with the last twelve. */
  readonly random: string
  /** The end of the body's JSON, from the field `at` on; the fields with the record's number precede it. */
  readonly content: string
  readonly events: ReadonlyArray<EventDraft>
}

/** The content of a record's `body`. */
export interface AuditBody {
  readonly _id: string
  readonly company: number
  readonly sequence: number
  readonly at: number
  readonly entity: AuditEntity
  readonly recorded_by: RecordedBy
  readonly request_id: string | null
  readonly application?: string
  readonly meta?: FreeForm
  /** SHA-256 of the personal part's text. */
  readonly personal_digest?: string
  readonly logs: unknown
}

/** A decoded record: its body and its personal part, null once erased. */
export interface AuditView extends AuditBody {
  readonly personal: Personal | null
}

const bodies = StoredBody.make<AuditBody>({
  name: "audit record",
  fields: {
    _id: true,
    company: true,
    sequence: true,
    at: true,
    entity: { type: true, id: true, action: true },
    recorded_by: { kind: true, id: true },
    request_id: true
  }
})

const personals = StoredBody.make<Personal>({ name: "personal part of audit record", fields: { salt: true } })

/** The personal part of a stored record; null without one or once erased. */
export const personalIn = ({ id, personal }: Pick<AuditRecord, "id" | "personal">): Personal | null =>
  personal === null ? null : personals.read(personal, id)

/** The decoded record; an unreadable one is a defect (`StoredBody`). `AuditTrail.verify` finds all changed ones. */
export const viewOf = (record: AuditRecord): AuditView => ({
  ...bodies.read(record.body, record.id),
  personal: personalIn(record)
})

/** The logs as sent, without personal values once the personal part was erased. */
export const logsOf = (view: AuditView): unknown => view.personal?.logs ?? view.logs

/** Port: describes user agents. */
export class UserAgents extends Context.Service<
  UserAgents,
  {
    /** `{browser, device, cpu, os, engine}` of a user agent's text. Source: docs/reference/audit.md#records. */
    readonly describe: (userAgent: string) => FreeForm
  }
>()("@crossdock/audit/UserAgents") {}

const sequenceDigits = 12

/** The id of the record with this sequence; `random` is 24 hex characters. */
export const recordId = (sequence: number, random: string): string =>
  sequence.toString(16).padStart(sequenceDigits, "0") + random.slice(sequenceDigits)

/** The sequence in a record's id; undefined if the text isn't an id. */
export const recordSequence = (id: string): number | undefined =>
  /^[0-9a-f]{24}$/.test(id) ? Number.parseInt(id.slice(0, sequenceDigits), 16) : undefined

/** The number and hash of a trail's last record; `{sequence: 0, hash: ""}` before the first. */
export interface Head {
  readonly companyId: CompanyId
  readonly sequence: number
  readonly hash: string
}

/** The head of a locked company, with the number of its last event, 0 before the first. */
export interface LockedHead extends Head {
  readonly events: number
}

/** A break of a trail: the record's number and the fault, read together as "record 3 is missing". */
export interface Break {
  readonly sequence: number
  readonly reason: string
}

/** Port: SHA-256. */
export class Digest extends Context.Service<
  Digest,
  {
    /** The digest of bytes, or of a text's UTF-8 bytes, as 64 hex characters. */
    readonly sha256: (data: string | Uint8Array) => string
  }
>()("@crossdock/audit/Digest") {}

type Sha256 = (text: string) => string

/**
 * SHA-256 of the previous record's hash ("" for the first) and the record's body. Source: docs/reference/audit.md#chain.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { createHash } from "node:crypto"
 * import { AuditChain } from "@crossdock/audit"
 *
 * const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
 * strictEqual(AuditChain.hashOf("5f2a", '{"sequence":2}', sha256), sha256('5f2a{"sequence":2}'))
 * ```
 */
export const hashOf = (previous: string, body: string, sha256: Sha256): string => sha256(previous + body)

/** The record after `head`, and its change's events, if any. Source: docs/reference/audit.md#chain. */
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

/** The fault of `record` as the successor of `before`; undefined if it is intact. */
export const recordFault = (before: Pick<Head, "sequence" | "hash">, record: AuditRecord, sha256: Sha256) => {
  const sequence = before.sequence + 1
  if (record.sequence !== sequence)
    return { sequence, reason: record.sequence > sequence ? "is missing" : "is in another record's place" }
  if (record.hash !== hashOf(before.hash, record.body, sha256))
    return { sequence, reason: "has a different body or hash" }
  const body = bodyOf(record.body)
  if (body === undefined || !columnsAgree(record, body))
    return { sequence, reason: "has columns that differ from its body" }
  if (record.personal !== null && body.personal_digest !== sha256(record.personal))
    return { sequence, reason: "has a different personal part" }
  return undefined
}

/** Entity type and action of the record of a drop of the oldest records. */
export const dropping = /* @__PURE__ */ frozen({ type: "audit-trail", action: "retain" } as const)

interface Drop {
  readonly up_to: number
  readonly hash: string
  /** The peaks of the Merkle tree of the dropped records. */
  readonly peaks: ReadonlyArray<string>
}

/** The peaks in `record` if it reports that all records up to `anchor` were dropped, else undefined. */
export const droppedPeaks = (
  anchor: Pick<Head, "sequence" | "hash">,
  record: AuditRecord
): ReadonlyArray<string> | undefined => {
  if (record.entityType !== dropping.type || record.action !== dropping.action) return undefined
  const body = bodyOf(record.body)
  // A platform client states records of any content.
  if (body?.recorded_by?.kind === "platform_client") return undefined
  const { response } = (body?.logs ?? {}) as { readonly response?: Partial<Drop> | null }
  return response?.up_to === anchor.sequence && response.hash === anchor.hash ? (response.peaks ?? []) : undefined
}

/** Whether `record` reports that all records up to `anchor` were dropped. A trail without such a record must begin at 1. */
export const isDropRecord = (anchor: Pick<Head, "sequence" | "hash">, record: AuditRecord): boolean =>
  droppedPeaks(anchor, record) !== undefined

/** The break of a trail that begins after `anchor`; undefined if it begins at 1 or the drop up to there is recorded. */
export const unrecordedDrop = (anchor: Pick<Head, "sequence">, isDropRecorded: boolean): Break | undefined =>
  anchor.sequence === 0 || isDropRecorded
    ? undefined
    : { sequence: anchor.sequence, reason: "was removed, and no record says that it was dropped" }

/** Follows records, ascending by number, from `before` on. Returns the reached head, and the first break, if any. */
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

/** The break of a trail that ends at `reached` and should end at `expected`, its company's head or a checkpoint. */
export const endFault = (reached: Head, expected: Pick<Head, "sequence" | "hash">): Break | undefined => {
  if (reached.sequence < expected.sequence) return { sequence: reached.sequence + 1, reason: "is missing" }
  if (reached.sequence > expected.sequence) return { sequence: expected.sequence + 1, reason: "was added" }
  return reached.hash === expected.hash
    ? undefined
    : { sequence: reached.sequence, reason: "is not the record that was last written" }
}
