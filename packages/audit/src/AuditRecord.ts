/**
 * One entry of the audit trail.
 */
import type { Caller, Principal, System } from "@crossdock/access"
import type { CompanyId } from "@crossdock/kernel"

/**
 * What was changed, in the trail's own words (document 3, Audit log record). Of a bulk that changed several, `id` is the
 * first and `ids` are all of them: the record is found under each.
 */
export interface AuditEntity {
  readonly type: string
  readonly id: string
  readonly action: string
  readonly ids?: ReadonlyArray<string>
}

/**
 * The principal of the token, which no caller can choose.
 */
export interface RecordedBy {
  readonly kind: (Principal | System)["kind"]
  readonly id: string
  readonly company_id?: number
}

/**
 * Values as JSON has them, kept as they were sent.
 */
export type FreeForm = Readonly<Record<string, unknown>>

/**
 * What a caller states of itself beside the change: kept as stated. `personal` is the JSON text of `Personal`.
 */
export interface Stated {
  readonly application: string | null
  /** What the user agent tells of itself. */
  readonly meta: FreeForm | null
  readonly personal: string | null
}

/**
 * The part of a record that names a person: kept beside the body, which holds only its digest, so that it can be erased
 * and the chain still holds. `salt` keeps anybody from guessing what was erased by its digest.
 */
export interface Personal {
  readonly salt: string
  readonly modifier?: FreeForm
  readonly device_info?: FreeForm
  readonly location?: FreeForm
  readonly sessions?: string
  /** The logs as sent, when some of their fields name a person; the body's then lack these fields' values. */
  readonly logs?: unknown
}

/**
 * What is kept. `sequence` counts from 1 within the company; `body` is the JSON text of `AuditBody` that `hash` covers
 * together with the hash before, so that a stored record is checked by the very bytes that were written.
 */
export interface AuditRecord {
  readonly companyId: CompanyId
  readonly sequence: number
  /** 24 hex characters, of which the first twelve are the sequence: ids sort in the order of commits. */
  readonly id: string
  /** Epoch milliseconds. */
  readonly at: number
  readonly entityType: string
  readonly entityId: string
  readonly action: string
  readonly body: string
  readonly hash: string
  /** JSON text of `Personal`; null when nothing in it names a person, or it was erased. */
  readonly personal: string | null
}

/**
 * What `body` holds.
 */
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

/**
 * A record as it is read: its body, and what is left of its personal part.
 */
export interface AuditView extends AuditBody {
  readonly personal: Personal | null
}

const sequenceDigits = 12

/**
 * The id of a company's nth record; `random` is 24 hex characters.
 */
export const idOf = (sequence: number, random: string): string =>
  sequence.toString(16).padStart(sequenceDigits, "0") + random.slice(sequenceDigits)

/**
 * The sequence that an id stands for; undefined when it is no id.
 */
export const sequenceOf = (id: string): number | undefined =>
  /^[0-9a-f]{24}$/.test(id) ? Number.parseInt(id.slice(0, sequenceDigits), 16) : undefined

export const viewOf = (record: AuditRecord): AuditView => {
  const body: AuditBody = JSON.parse(record.body)
  return { ...body, personal: record.personal === null ? null : JSON.parse(record.personal) }
}

/**
 * The logs as sent, or what is left of them once the person was erased.
 */
export const logsOf = (view: AuditView): unknown => view.personal?.logs ?? view.logs

/**
 * Who did it, as the trail shows it.
 */
export const recordedBy = ({ principal }: Caller): RecordedBy => ({
  kind: principal.kind,
  id: principal.id,
  ...("companyId" in principal ? { company_id: principal.companyId } : {})
})
