/**
 * A write of products: accepted at once, processed in the background, and found by its trace id. Source:
 * docs/reference/catalog.md#processing.
 *
 * @example
 * ```ts
 * import { deepStrictEqual, strictEqual } from "node:assert/strict"
 * import { CatalogWrite } from "@crossdock/catalog"
 *
 * const failures = [{ index: 1, code: "SKU_TAKEN", message: "The SKU belongs to another product." }]
 * strictEqual(CatalogWrite.succeeded({ total: 3, failures }), 2)
 * const unknown = { index: 1, code: "UNKNOWN_PRODUCT", message: "No product has this item code." }
 * const reserved = { index: 0, code: "RESERVED_STOCK", message: "The SKU has reserved stock." }
 * const write = { total: 2, failures: [unknown], stage: "RUNNING", modifiedAt: 0 } as const
 * const completed = CatalogWrite.completed(write, [reserved], 5)
 * deepStrictEqual([completed.failures, CatalogWrite.status(completed)], [[reserved, unknown], "FAILED"])
 * ```
 */
import type { Caller, Integration } from "@crossdock/access"
import type { Bulk, CompanyId } from "@crossdock/kernel"
import type { Submitted } from "./ProductChanges.ts"
import type { Operation } from "./ProductRules.ts"

/** The key of a write. */
export interface WriteKey {
  readonly companyId: CompanyId
  readonly traceId: string
}

/** Accepted products that have not been processed yet. */
export type Accepted = ReadonlyArray<Submitted<unknown>>

/** A stored write. `failures` are the rejected products by ascending index; times are in epoch milliseconds. */
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
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { CatalogWrite } from "@crossdock/catalog"
 *
 * const failures = [{ index: 0, code: "SKU_TAKEN", message: "The SKU belongs to another product." }]
 * strictEqual(CatalogWrite.outcome({ total: 2, failures }), "PARTIAL_SUCCESS")
 * strictEqual(CatalogWrite.outcome({ total: 1, failures }), "FAILED")
 * ```
 */
export const outcome = (write: Counted): Bulk.Status => {
  if (write.failures.length === 0) return "SUCCESS"
  return succeeded(write) === 0 ? "FAILED" : "PARTIAL_SUCCESS"
}

/**
 * The status of a write: RUNNING until every product is processed. Source: docs/reference/catalog.md#status.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { CatalogWrite } from "@crossdock/catalog"
 *
 * // A product was already rejected, but the others are still being processed.
 * const failures = [{ index: 0, code: "SKU_TAKEN", message: "The SKU belongs to another product." }]
 * const stages = ["RUNNING", "COMPLETED"] as const
 * deepStrictEqual(
 *   stages.map((stage) => CatalogWrite.status({ total: 2, failures, stage })),
 *   ["RUNNING", "PARTIAL_SUCCESS"]
 * )
 * ```
 */
export const status = (write: Counted & Pick<CatalogWrite, "stage">): Bulk.Status | "RUNNING" =>
  write.stage === "RUNNING" ? "RUNNING" : outcome(write)

/** The write after processing; products that were rejected during processing join the failures. */
export const completed = <W extends Pick<CatalogWrite, "failures" | "stage" | "modifiedAt">>(
  write: W,
  rejected: ReadonlyArray<Bulk.Failure>,
  at: number
): Omit<W, "stage"> & Pick<CatalogWrite, "stage"> => ({
  ...write,
  failures: [...write.failures, ...rejected].sort((a, b) => a.index - b.index),
  stage: "COMPLETED",
  modifiedAt: at
})
