/**
 * Rows of the change feed: one a change, with all of its events.
 */
import { CompanyEvent } from "@crossdock/audit"
import { CompanyId, StoredBody } from "@crossdock/kernel"

export interface Row {
  readonly company_id: number
  readonly last: number
  readonly change_number: number
  readonly at: number
  readonly body: string
}

export const columns = {
  company_id: "integer",
  last: "integer",
  change_number: "integer",
  at: "integer",
  body: "text"
} as const

/** The stored events of a change. The payload of each has a version of its own. */
export const drafts = StoredBody.makeList<CompanyEvent.EventDraft>({
  name: "events of change",
  fields: { type: true, version: true }
})

export const rowOf = (batch: CompanyEvent.EventBatch) => [
  batch.companyId,
  CompanyEvent.lastOf(batch),
  batch.change,
  batch.at,
  drafts.write(batch.drafts)
]

export const batchOf = ({ at, body, change_number, company_id, last }: Row): CompanyEvent.EventBatch => {
  const found = drafts.read(body, `${change_number} of company ${company_id}`)
  return {
    companyId: CompanyId.make(company_id),
    first: last - found.length + 1,
    change: change_number,
    at,
    drafts: found
  }
}
