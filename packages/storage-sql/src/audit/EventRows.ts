/**
 * Rows of the change feed: one a change, with all of its events.
 */
import { CompanyEvent } from "@crossdock/audit"
import { CompanyId } from "@crossdock/kernel"

export interface Row {
  readonly company_id: number
  readonly last: number
  readonly change_number: number
  readonly at: number
  /** A JSON array with type, version and data of each event. */
  readonly body: string
}

export const rowOf = (batch: CompanyEvent.EventBatch) => ({
  company_id: batch.companyId,
  last: CompanyEvent.lastOf(batch),
  change_number: batch.change,
  at: batch.at,
  body: JSON.stringify(batch.drafts.map(({ data, type, version }) => [type, version, data]))
})

export const batchOf = ({ at, body, change_number, company_id, last }: Row): CompanyEvent.EventBatch => {
  const drafts = JSON.parse(body) as ReadonlyArray<readonly [type: string, version: number, data: unknown]>
  return {
    companyId: CompanyId.make(company_id),
    first: last - drafts.length + 1,
    change: change_number,
    at,
    drafts: drafts.map(([type, version, data]) => ({ type, version, data }))
  }
}
