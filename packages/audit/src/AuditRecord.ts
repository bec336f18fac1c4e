/**
 * One entry of the audit trail.
 */
import type { Principal, System } from "@crossdock/access"
import { type CompanyId, StoredBody } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type { EventDraft } from "./CompanyEvent.ts"

/**
 * The entity that was changed, and the action. For a bulk that changed several entities, `id` is the first and `ids` are all
 * of them; the record is found under each. Source: docs/reference/audit.md#records.
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

/** A JSON object, kept as it was sent. */
export type FreeForm = Readonly<Record<string, unknown>>

/**
 * What a caller states about itself in addition to the change, kept as stated. `personal` is the JSON text of `Personal`.
 */
export interface Stated {
  readonly application: string | null
  /** The description of the user agent. */
  readonly meta: FreeForm | null
  readonly personal: string | null
}

/**
 * The part of a record that identifies a person. It is kept outside the body, which only contains its digest, so that it
 * can be erased without breaking the chain. Because of `salt`, what was erased can't be guessed from the digest.
 */
export interface Personal {
  readonly salt: string
  readonly modifier?: FreeForm
  readonly device_info?: FreeForm
  readonly location?: FreeForm
  readonly sessions?: string
  /** The logs as sent, if any of their fields identifies a person; the body's logs then lack the values of these fields. */
  readonly logs?: unknown
}

/**
 * A stored record. `sequence` counts from 1 within the company: the change number. `body` is the JSON text of an `AuditBody`; `hash` covers it
 * and the previous record's hash, so that a record is verified by the exact bytes that were written.
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
  /** JSON text of `Personal`; null when the record identifies no person or this part was erased. */
  readonly personal: string | null
}

/** The next record of a company's trail, before it has its number, and the events of its change. */
export interface NextRecord
  extends Pick<AuditRecord, "companyId" | "at" | "entityType" | "entityId" | "action" | "personal"> {
  /** 24 hex characters, of which the record's id ends with the last twelve. */
  readonly random: string
  /** The JSON text of the record's body from `at` on, after the fields that have the number. */
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

/** A record as it is read: its body and its personal part, which is null once it was erased. */
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

/** The personal part of a stored record; null when it has none or it was erased. */
export const personalIn = ({ id, personal }: Pick<AuditRecord, "id" | "personal">): Personal | null =>
  personal === null ? null : personals.read(personal, id)

/**
 * A stored record as it is read. One that can't be read is a defect that names it (`StoredBody`); `AuditTrail.verify` finds
 * all that were changed.
 */
export const viewOf = (record: AuditRecord): AuditView => ({
  ...bodies.read(record.body, record.id),
  personal: personalIn(record)
})

/** The logs as sent; without personal values once the personal part was erased. */
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

/** The sequence that is encoded in a record's id; undefined when the text isn't an id. */
export const recordSequence = (id: string): number | undefined =>
  /^[0-9a-f]{24}$/.test(id) ? Number.parseInt(id.slice(0, sequenceDigits), 16) : undefined
