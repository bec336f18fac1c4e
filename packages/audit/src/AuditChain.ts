/**
 * The rule of the chain: each record's hash covers its body and the hash before; its columns say what its body says.
 */
import type { Head } from "./AuditLog.ts"
import type { AuditBody, AuditRecord } from "./AuditRecord.ts"

/**
 * Where a trail was tampered with, and how it shows.
 */
export interface Break {
  readonly sequence: number
  readonly reason: string
}

type Sha256 = (text: string) => string

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

/**
 * What is wrong with `record` as the one after `before`; undefined when it stands where it was written.
 */
export const fault = (before: Pick<Head, "sequence" | "hash">, record: AuditRecord, sha256: Sha256) => {
  const sequence = before.sequence + 1
  if (record.sequence !== sequence) {
    return { sequence, reason: record.sequence > sequence ? "is missing" : "stands where another belongs" }
  }
  if (record.hash !== sha256(before.hash + record.body)) return { sequence, reason: "has another body or hash" }
  const body = bodyOf(record.body)
  if (body === undefined || !columnsAgree(record, body)) return { sequence, reason: "says other things than its body" }
  if (record.personal !== null && body.personal_digest !== sha256(record.personal)) {
    return { sequence, reason: "has another personal part" }
  }
  return undefined
}

/**
 * The first break after `before` in records ascending by number, or the head that they lead to.
 */
export const follow = (
  before: Head,
  records: Iterable<AuditRecord>,
  sha256: Sha256
): { readonly head: Head; readonly broken: Break | undefined } => {
  let head = before
  for (const record of records) {
    const broken = fault(head, record, sha256)
    if (broken !== undefined) return { head, broken }
    head = { companyId: head.companyId, sequence: record.sequence, hash: record.hash }
  }
  return { head, broken: undefined }
}

/**
 * A trail that ends at `reached` must end where its company, or a checkpoint, says.
 */
export const ends = (reached: Head, said: Pick<Head, "sequence" | "hash">): Break | undefined => {
  if (reached.sequence < said.sequence) return { sequence: reached.sequence + 1, reason: "is missing" }
  if (reached.sequence > said.sequence) return { sequence: said.sequence + 1, reason: "was added" }
  return reached.hash === said.hash ? undefined : { sequence: reached.sequence, reason: "is not what was signed for" }
}
