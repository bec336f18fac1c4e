/** The keys of stored rows and their order. A key is a company, a SKU and a location. */
import * as Effect from "effect/Effect"
import * as Order from "effect/Order"
import * as Schema from "effect/Schema"
import type { Stored } from "./StorageError.ts"
import * as Text from "./Text.ts"

/**
 * The id of a seller's company: a positive integer. Every key of a storage begins with a company's id.
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
 * The key as text, for use in maps and sets. The text is JSON, since SKUs and locations may contain any separator.
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

/** Sorts keys by SKU and then by location, both in code point order. */
export const stockKeyOrder: Order.Order<StockKey> = /* @__PURE__ */ Order.combine(
  Order.mapInput(Text.order, ({ sku }) => sku),
  Order.mapInput(Text.order, ({ location }) => location)
)

/** Selects rows. If `locations` is null, all locations of the company are read. If `skus` is empty, all SKUs are read. */
export interface StockFilter {
  readonly locations: ReadonlyArray<string> | null
  readonly skus: ReadonlyArray<string>
}

/**
 * Lists at most `limit` rows of a company's existing SKUs and locations after the key `after`. `modifiedAt` is a row's last
 * write in epoch milliseconds. Rows are sorted by SKU and then location, in code point order. The read takes no locks.
 */
export type StockRows<Row> = (
  company: CompanyId,
  filter: StockFilter,
  after: StockKey | null,
  limit: number
) => Stored<ReadonlyArray<StockKey & { readonly modifiedAt: number } & Row>>

/** Reads a list page by page and returns its first `count` rows, or all rows. */
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
