/**
 * A write of products: a bulk whose outcome is kept under a trace id. Source: docs/reference/catalog.md#status.
 */
import type { Bulk, CompanyId } from "@crossdock/kernel"

/** A stored write. `failures` are the rejected products by ascending index; `at` is in epoch milliseconds. */
export interface CatalogWrite {
  readonly companyId: CompanyId
  readonly traceId: string
  readonly total: number
  readonly failures: ReadonlyArray<Bulk.Failure>
  readonly at: number
}

type Counted = Pick<CatalogWrite, "total" | "failures">

/** The number of products that were written: `succeeded + failures.length = total`. */
export const succeeded = ({ failures, total }: Counted): number => total - failures.length

/**
 * Whether all, some or none of the products succeeded.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { CatalogWrite } from "@crossdock/catalog"
 *
 * const failures = [{ index: 0, code: "SKU_TAKEN", message: "The SKU belongs to another product." }]
 * strictEqual(CatalogWrite.status({ total: 2, failures }), "PARTIAL_SUCCESS")
 * strictEqual(CatalogWrite.status({ total: 1, failures }), "FAILED")
 * ```
 */
export const status = (write: Counted): Bulk.Status => {
  if (write.failures.length === 0) return "SUCCESS"
  return succeeded(write) === 0 ? "FAILED" : "PARTIAL_SUCCESS"
}
