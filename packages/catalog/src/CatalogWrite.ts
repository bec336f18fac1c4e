/**
 * A write of products: accepted at once, processed in the background, and found by its trace id. Source:
 * docs/reference/catalog.md#processing.
 */
import type { Caller, Integration } from "@crossdock/access"
import type { Bulk, CompanyId } from "@crossdock/kernel"
import type { Submitted } from "./ProductChanges.ts"
import type { Operation } from "./ProductRules.ts"

/**
 * The key of a write.
 */
export interface WriteKey {
  readonly companyId: CompanyId
  readonly traceId: string
}

/**
 * Accepted products that have not been processed yet.
 */
export type Accepted = ReadonlyArray<Submitted<unknown>>

/**
 * A stored write. `failures` are the rejected products by ascending index; times are in epoch milliseconds.
 */
export interface CatalogWrite extends WriteKey {
  readonly operation: Operation
  readonly template: string | undefined
  readonly caller: Caller<Integration>
  readonly total: number
  readonly failures: ReadonlyArray<Bulk.Failure>
  readonly stage: "RUNNING" | "COMPLETED"
  readonly createdAt: number
  readonly modifiedAt: number
}

type Counted = Pick<CatalogWrite, "total" | "failures">

/**
 * The number of products that were accepted or, once the write is completed, processed: `succeeded + failures.length = total`.
 */
export const succeeded = ({ failures, total }: Counted): number => total - failures.length

/**
 * Whether all, some or none of the products succeeded.
 */
export const outcome = (write: Counted): Bulk.Status => {
  if (write.failures.length === 0) return "SUCCESS"
  return succeeded(write) === 0 ? "FAILED" : "PARTIAL_SUCCESS"
}

/**
 * The status of a write: RUNNING until every product is processed. Source: docs/reference/catalog.md#status.
 */
export const status = (write: Counted & Pick<CatalogWrite, "stage">): Bulk.Status | "RUNNING" =>
  write.stage === "RUNNING" ? "RUNNING" : outcome(write)

/**
 * The write after processing; products that were rejected during processing join the failures.
 */
export const completed = (write: CatalogWrite, rejected: ReadonlyArray<Bulk.Failure>, at: number): CatalogWrite => ({
  ...write,
  failures: [...write.failures, ...rejected].sort((a, b) => a.index - b.index),
  stage: "COMPLETED",
  modifiedAt: at
})
