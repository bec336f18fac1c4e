/** The records of a trail and their hash chain. Each hash covers the record's body and the previous hash. */
import type { Principal, System } from "@crossdock/access"
import { type CompanyId, frozen, StoredBody } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type { EventBatch, EventDraft } from "./CompanyEvent.ts"

/** The changed entity and the action. A bulk's `ids` has the ids of all entities, and `id` the first of them. */
export interface AuditEntity {
  readonly type: string
  readonly id: string
  readonly action: string
  readonly ids?: ReadonlyArray<string>
}

/** The caller's principal. It comes from the token, so the caller can't choose it. */
export interface RecordedBy {
  readonly kind: (Principal | System)["kind"]
  readonly id: string
  readonly company_id?: number
}

/** A JSON object, stored as it was sent. */
export type FreeForm = Readonly<Record<string, unknown>>

/** The statements of a caller about itself, stored as they were sent. `personal` is the JSON text of a `Personal`. */
export interface Stated {
  readonly application: string | null
  /** The description of the user agent. */
  readonly meta: FreeForm | null
  readonly personal: string | null
}

/** The part of a record that identifies a person. The body has only its digest, and `salt` prevents guessing it. */
export interface Personal {
  readonly salt: string
  readonly modifier?: FreeForm
  readonly device_info?: FreeForm
  readonly location?: FreeForm
  readonly sessions?: string
  /** The logs as sent, only if a field identifies a person. The body's logs don't contain such values. */
  readonly logs?: unknown
}

/**
 * A stored record. `sequence` counts from 1 within the company, and `body` is the JSON text of an `AuditBody`.
 * `hash` covers the exact text of `body` and the hash of the previous record.
 */
export interface AuditRecord {
  readonly companyId: CompanyId
  readonly sequence: number
  /** An id of 24 hex characters. The first twelve characters are the sequence, so ids sort in the order of commits. */
  readonly id: string
  /** The time in epoch milliseconds. */
  readonly at: number
  readonly entityType: string
  readonly entityId: string
  readonly action: string
  readonly body: string
  readonly hash: string
  /** The JSON text of a `Personal`. Null if it was erased, or if the record identifies no person. */
  readonly personal: string | null
}

/** The next record of a company's trail before it has a number, and the events of its change. */
export interface NextRecord
  extends Pick<AuditRecord, "companyId" | "at" | "entityType" | "entityId" | "action" | "personal"> {
  /** A text of 24 hex characters. The record's id ends with the last twelve of these characters. */
  readonly random: string
  /** The rest of the body's JSON, from the field `at` on. Earlier fields, such as the record's number, are added later. */
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
  /** The SHA-256 digest of the personal part's text. */
  readonly personal_digest?: string
  readonly logs: unknown
}

/** A decoded record, with its body and its personal part. The personal part is null once it is erased. */
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

/** The personal part of a stored record. It is null if there is no such part or it was erased. */
export const personalIn = ({ id, personal }: Pick<AuditRecord, "id" | "personal">): Personal | null =>
  personal === null ? null : personals.read(personal, id)

/** The decoded record. A record that can't be read is a defect (`StoredBody`). */
export const viewOf = (record: AuditRecord): AuditView => ({
  ...bodies.read(record.body, record.id),
  personal: personalIn(record)
})

/** The logs as they were sent. Once the personal part is erased, they don't contain its values. */
export const logsOf = (view: AuditView): unknown => view.personal?.logs ?? view.logs

/** Port: describes user agents. */
export class UserAgents extends Context.Service<
  UserAgents,
  {
    /** Returns the `{browser, device, cpu, os, engine}` of a user agent's text. Source: docs/reference/audit.md#records. */
    readonly describe: (userAgent: string) => FreeForm
  }
>()("@crossdock/audit/UserAgents") {}

const sequenceDigits = 12

/** The id of the record with this sequence. `random` must have 24 hex characters. */
export const recordId = (sequence: number, random: string): string =>
  sequence.toString(16).padStart(sequenceDigits, "0") + random.slice(sequenceDigits)

/** The sequence in a record's id. The result is undefined if the text isn't an id. */
export const recordSequence = (id: string): number | undefined =>
  /^[0-9a-f]{24}$/.test(id) ? Number.parseInt(id.slice(0, sequenceDigits), 16) : undefined

/** The number and the hash of a trail's last record. Before the first record, the number is 0 and the hash is "". */
export interface Head {
  readonly companyId: CompanyId
  readonly sequence: number
  readonly hash: string
}

/** The head of a locked company, with the number of its last event. The number is 0 before the first event. */
export interface LockedHead extends Head {
  readonly events: number
}

/** A break of a trail: the number of a record, and its fault. Number and fault together read as "record 3 is missing". */
export interface Break {
  readonly sequence: number
  readonly reason: string
}

/** Port: computes SHA-256. */
export class Digest extends Context.Service<
  Digest,
  {
    /** The digest of bytes, or of a text's UTF-8 bytes, as 64 hex characters. */
    readonly sha256: (data: string | Uint8Array) => string
  }
>()("@crossdock/audit/Digest") {}

type Sha256 = (text: string) => string

/**
 * The SHA-256 hash of the previous hash and a record's body. For the first record, the previous hash is "".
 * Source: docs/reference/audit.md#chain.
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

/** The record that follows `head`, and the events of its change, if there are any. Source: docs/reference/audit.md#chain. */
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

/** The fault of `record` as the successor of `before`. The result is undefined if there is no fault. */
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

/** The entity type and action of the record that is written when the oldest records are dropped. */
export const dropping = /* @__PURE__ */ frozen({ type: "audit-trail", action: "retain" } as const)

interface Drop {
  readonly up_to: number
  readonly hash: string
  /** The peaks of the Merkle tree of the dropped records. */
  readonly peaks: ReadonlyArray<string>
}

/** The peaks in `record`, or undefined unless it reports that all records up to `anchor` were dropped. */
export const droppedPeaks = (
  anchor: Pick<Head, "sequence" | "hash">,
  record: AuditRecord
): ReadonlyArray<string> | undefined => {
  if (record.entityType !== dropping.type || record.action !== dropping.action) return undefined
  const body = bodyOf(record.body)
  // A platform client can state a record with any content, so its records aren't evidence.
  if (body?.recorded_by?.kind === "platform_client") return undefined
  const { response } = (body?.logs ?? {}) as { readonly response?: Partial<Drop> | null }
  return response?.up_to === anchor.sequence && response.hash === anchor.hash ? (response.peaks ?? []) : undefined
}

/** Whether `record` reports that all records up to `anchor` were dropped. */
export const isDropRecord = (anchor: Pick<Head, "sequence" | "hash">, record: AuditRecord): boolean =>
  droppedPeaks(anchor, record) !== undefined

/** The break at `anchor`, after which a trail begins. Undefined if it begins with record 1 or the drop was recorded. */
export const unrecordedDrop = (anchor: Pick<Head, "sequence">, isDropRecorded: boolean): Break | undefined =>
  anchor.sequence === 0 || isDropRecorded
    ? undefined
    : { sequence: anchor.sequence, reason: "was removed, and no record says that it was dropped" }

/** Verifies records that follow `before`, in order. Returns the head that was reached, and the first break, if any. */
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

/** The break of a trail that ends at `reached` and should end at `expected`. */
export const endFault = (reached: Head, expected: Pick<Head, "sequence" | "hash">): Break | undefined => {
  if (reached.sequence < expected.sequence) return { sequence: reached.sequence + 1, reason: "is missing" }
  if (reached.sequence > expected.sequence) return { sequence: expected.sequence + 1, reason: "was added" }
  return reached.hash === expected.hash
    ? undefined
    : { sequence: reached.sequence, reason: "is not the record that was last written" }
}
