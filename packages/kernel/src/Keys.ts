/** The keys of stored rows, a company and its SKUs at locations, and their order. */
import * as Effect from "effect/Effect"
import * as Order from "effect/Order"
import * as Schema from "effect/Schema"
import type { StorageError } from "./StorageError.ts"
import * as Text from "./Text.ts"

/**
 * A seller's company: a positive integer. Every key of a storage begins with it.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { CompanyId } from "@crossdock/kernel"
 * import * as Schema from "effect/Schema"
 *
 * deepStrictEqual([1, 0, 1.5].map(Schema.is(CompanyId)), [true, false, false])
 * ```
 */
/** The id of a company, checked. */
export const CompanyId = Schema.Int.pipe(
  Schema.check(Schema.isGreaterThan(0)),
  Schema.brand("@crossdock/kernel/CompanyId")
)

export type CompanyId = typeof CompanyId.Type

/** The key of a price or a stock level within a company. */
export interface StockKey {
  readonly sku: string
  readonly location: string
}

/**
 * The key as text for maps and sets. It is JSON, since SKUs and locations may contain any separator.
 *
 * @example
 * ```ts
 * import { notStrictEqual } from "node:assert/strict"
 * import { stockKeyText } from "@crossdock/kernel"
 *
 * notStrictEqual(stockKeyText({ sku: "A B", location: "C" }), stockKeyText({ sku: "A", location: "B C" }))
 * ```
 */
export const stockKeyText = ({ location, sku }: StockKey): string => JSON.stringify([sku, location])

/** Ordered by SKU, then location, by code point. */
export const stockKeyOrder: Order.Order<StockKey> = /* @__PURE__ */ Order.combine(
  Order.mapInput(Text.order, ({ sku }) => sku),
  Order.mapInput(Text.order, ({ location }) => location)
)

/** Which rows to read: null `locations` means every location of the company, empty `skus` every SKU. */
export interface StockFilter {
  readonly locations: ReadonlyArray<string> | null
  readonly skus: ReadonlyArray<string>
}

/**
 * Lists stored rows of a company's existing SKUs and locations, with the epoch milliseconds of their last write. Rows follow
 * the key `after` (null: from the first), at most `limit`, ordered by SKU and then location, by code point. Locks nothing.
 */
export type StockRows<Row> = (
  company: CompanyId,
  filter: StockFilter,
  after: StockKey | null,
  limit: number
) => Effect.Effect<ReadonlyArray<StockKey & { readonly modifiedAt: number } & Row>, StorageError>

/** The first `count` rows, or all, of a list read page by page. */
export const firstRows = Effect.fnUntraced(function* <Row extends StockKey, E>(
  list: (after: StockKey | null, limit: number) => Effect.Effect<ReadonlyArray<Row>, E>,
  count = Number.POSITIVE_INFINITY
) {
  const found: Array<Row> = []
  while (found.length < count) {
    const limit = Math.min(1000, count - found.length)
    const part = yield* list(found.at(-1) ?? null, limit)
    found.push(...part)
    if (part.length < limit) break
  }
  return found
})
