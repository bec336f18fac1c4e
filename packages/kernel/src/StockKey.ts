/** A SKU at a location: the key of a price or a stock level within a company. */
export interface StockKey {
  readonly sku: string
  readonly location: string
}

/**
 * The key as text for maps and sets. It is JSON, since SKUs and locations may contain any character: with a separator, ("A
 * B", "C") and ("A", "B C") could be the same text.
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
