/** A SKU at a location: the key of a price or a stock level within a company. */
import * as Result from "effect/Result"
import type { Rejection } from "./Bulk.ts"

/** A SKU at a location. */
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

const keyFaults = {
  UNKNOWN_SKU: {
    field: "/sku",
    message: ({ sku }: StockKey) => `SKU ${sku} isn't in the catalog. Create its product first, or correct the SKU.`
  },
  UNKNOWN_LOCATION: {
    field: "/location_id",
    message: ({ location }: StockKey) =>
      `Location ${location} doesn't exist, or your token may not change it. Send one of your own locations.`
  },
  DUPLICATE_RECORD: {
    field: "",
    message: ({ location, sku }: StockKey) =>
      `${sku} at ${location} is in an earlier record of this request, which was accepted; this one was not. Send each SKU and location once.`
  }
} as const

/** Rejects the record of a bulk for its SKU or location. Source: docs/reference/bulk.md#duplicates. */
export const rejectKey = (
  code: keyof typeof keyFaults,
  key: StockKey,
  index: number
): Result.Result<never, Rejection> => {
  const { field, message } = keyFaults[code]
  return Result.fail({ code, message: message(key), path: `/${index}${field}` })
}
