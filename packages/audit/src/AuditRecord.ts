/**
 * One entry of the audit trail.
 */
import type { Caller, Principal, System } from "@crossdock/access"
import type { CompanyId } from "@crossdock/kernel"

/**
 * What was changed, in the trail's own words (document 3, Audit log record).
 */
export interface AuditEntity {
  readonly type: string
  readonly id: string
  readonly action: string
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
 * What a service says of its change. `logs` must hold no secret and no personal field.
 */
export interface AuditEntry {
  readonly companyId: CompanyId
  readonly entity: AuditEntity
  readonly logs: {
    readonly request: unknown
    readonly response: unknown
    readonly before?: unknown
    readonly after?: unknown
  }
}

/**
 * What is kept. `sequence` counts from 1 within the company; `body` is the JSON text that `hash` covers together with
 * the hash before, so that a stored record is checked by the very bytes that were written.
 */
export interface AuditRecord {
  readonly companyId: CompanyId
  readonly sequence: number
  readonly id: string
  /** Epoch milliseconds. */
  readonly at: number
  readonly entityType: string
  readonly entityId: string
  readonly action: string
  readonly body: string
  readonly hash: string
}

/**
 * Who did it, as the trail shows it.
 */
export const recordedBy = ({ principal }: Caller): RecordedBy => ({
  kind: principal.kind,
  id: principal.id,
  ...("companyId" in principal ? { company_id: principal.companyId } : {})
})
