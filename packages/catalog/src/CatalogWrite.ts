/**
 * A write of products as it is kept: accepted at once, processed in the background, told by its trace id.
 */
import type { Caller, Integration } from "@crossdock/access"
import type { Bulk, CompanyId } from "@crossdock/kernel"
import type { Submitted } from "./ProductFacts.ts"
import type { Operation } from "./ProductRules.ts"

export interface WriteKey {
  readonly companyId: CompanyId
  readonly traceId: string
}

/**
 * Inputs that were accepted and are to be processed.
 */
export type Accepted = ReadonlyArray<Submitted<unknown>>

/**
 * `failures` are of products that were rejected, by rising index. Times in epoch milliseconds.
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
 * Products accepted, or processed once the write is completed; `succeeded + failures.length = total`, always.
 */
export const succeeded = ({ failures, total }: Counted): number => total - failures.length

/**
 * SUCCESS means all, FAILED none, PARTIAL_SUCCESS some.
 */
export const outcome = (write: Counted): Bulk.Status => {
  if (write.failures.length === 0) return "SUCCESS"
  return succeeded(write) === 0 ? "FAILED" : "PARTIAL_SUCCESS"
}

/**
 * What the status read tells: never an outcome while a product is open.
 */
export const status = (write: Counted & Pick<CatalogWrite, "stage">): Bulk.Status | "RUNNING" =>
  write.stage === "RUNNING" ? "RUNNING" : outcome(write)

/**
 * The write when all of its products are done: those that were rejected at last join the failures.
 */
export const completed = (write: CatalogWrite, rejected: ReadonlyArray<Bulk.Failure>, at: number): CatalogWrite => ({
  ...write,
  failures: [...write.failures, ...rejected].sort((a, b) => a.index - b.index),
  stage: "COMPLETED",
  modifiedAt: at
})
