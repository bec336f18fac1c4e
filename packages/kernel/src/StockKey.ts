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

const rejectKey = (code: keyof typeof keyFaults, key: StockKey, index: number): Result.Result<never, Rejection> => {
  const { field, message } = keyFaults[code]
  return Result.fail({ code, message: message(key), path: `/${index}${field}` })
}

/** A record of a bulk about a SKU at a location, and its index in the request. */
interface KeyedInput {
  readonly index: number
  readonly record: StockKey
}

/**
 * Decides the records of a bulk in their order. A second valid record for a SKU and location is rejected with
 * DUPLICATE_RECORD. `foundOf` is what is stored for the key, or a code if the company has no such SKU or location, or the
 * caller may not see the location. `invalid` rejects a record before its key is looked at. Source:
 * docs/reference/bulk.md#duplicates.
 */
export const decideEach = <I extends KeyedInput, K extends StockKey, A>(
  inputs: ReadonlyArray<I>,
  foundOf: (input: I) => K | "UNKNOWN_SKU" | "UNKNOWN_LOCATION",
  decide: (input: I, found: K) => Result.Result<A, Rejection>,
  invalid: (input: I) => Rejection | undefined = () => undefined
): ReadonlyArray<Result.Result<A, Rejection>> => {
  const decided = new Map<string, Set<string>>()
  return inputs.map((input) => {
    const rejection = invalid(input)
    if (rejection !== undefined) return Result.fail(rejection)
    const { index, record } = input
    const found = foundOf(input)
    if (typeof found === "string") return rejectKey(found, record, index)
    const skus = decided.get(found.location) ?? new Set()
    if (skus.has(found.sku)) return rejectKey("DUPLICATE_RECORD", record, index)
    const outcome = decide(input, found)
    if (Result.isSuccess(outcome)) decided.set(found.location, skus.add(found.sku))
    return outcome
  })
}
