/**
 * The events of a company's change feed: what each change did, as typed facts. Source: docs/reference/events.md.
 */
import type { CompanyId } from "@crossdock/kernel"

/**
 * An event before it has its number. `data` is plain JSON with ids, codes, quantities, statuses and amounts; it never has
 * personal data, so that nothing needs to be erased from a feed.
 */
export interface EventDraft {
  /** Such as `shipment.moved`. */
  readonly type: string
  /** The version of `data`. Within a version fields are only added. */
  readonly version: number
  readonly data: unknown
}

/**
 * An event. A company's events are numbered 1, 2, 3 … in the order of commits; company and number identify it for ever.
 * `change` is the number of the company's change, which is that of its audit record, and `at` its time in epoch
 * milliseconds.
 */
export interface CompanyEvent extends EventDraft {
  readonly companyId: CompanyId
  readonly number: number
  readonly change: number
  readonly at: number
}

/**
 * The events of one change, as they are stored. `first` is the number of the first one.
 */
export interface EventBatch {
  readonly companyId: CompanyId
  readonly first: number
  readonly change: number
  readonly at: number
  readonly drafts: ReadonlyArray<EventDraft>
}

/**
 * The number of a batch's last event.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { CompanyEvent } from "@crossdock/audit"
 * import { CompanyId } from "@crossdock/kernel"
 *
 * const drafts = [{ type: "price.changed", version: 1, data: { sku: "85123A" } }]
 * strictEqual(CompanyEvent.lastOf({ companyId: CompanyId.make(1), first: 8, change: 5, at: 0, drafts }), 8)
 * ```
 */
export const lastOf = ({ drafts, first }: EventBatch): number => first + drafts.length - 1

/**
 * Those events of a batch that have a number above `after`.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { CompanyEvent } from "@crossdock/audit"
 * import { CompanyId } from "@crossdock/kernel"
 *
 * const drafts = ["SKU-1", "SKU-2"].map((sku) => ({ type: "price.changed", version: 1, data: { sku } }))
 * const batch = { companyId: CompanyId.make(1), first: 8, change: 5, at: 0, drafts }
 * deepStrictEqual(CompanyEvent.eventsAfter(batch, 8), [
 *   { companyId: 1, number: 9, change: 5, at: 0, type: "price.changed", version: 1, data: { sku: "SKU-2" } }
 * ])
 * ```
 */
export const eventsAfter = (
  { at, change, companyId, drafts, first }: EventBatch,
  after: number
): ReadonlyArray<CompanyEvent> => {
  const passed = Math.max(0, after - first + 1)
  return drafts.slice(passed).map(({ data, type, version }, at_) => ({
    companyId,
    number: first + passed + at_,
    change,
    at,
    type,
    version,
    data
  }))
}
