/**
 * The rule of a bulk stock write.
 */

import type { StockPolicy } from "@crossdock/access"
import type { Bulk } from "@crossdock/kernel"
import * as Result from "effect/Result"
import * as Level from "./Level.ts"
import { stockKeyText } from "./StockKey.ts"

/**
 * `quantity` in whole units; `expected` makes the write a compare-and-set against the stock on hand.
 */
export interface StockRecord {
  readonly location: string
  readonly sku: string
  readonly quantity: number
  readonly expected: number | null
}

/**
 * A record with its index in the request and what the storage knows: null for a SKU or location that the caller's company
 * does not have, or that the caller may not see.
 */
export interface StockInput {
  readonly index: number
  readonly record: StockRecord
  readonly level: Level.Level | "UNKNOWN_SKU" | "UNKNOWN_LOCATION"
}

const reject = (code: string, message: string, path: string, details?: Bulk.Rejection["details"]) =>
  Result.fail({ code, message, path, ...(details === undefined ? {} : { details }) })

/**
 * Judges the records in order; the answers have the same order. The second accepted one for a SKU and location is a
 * duplicate, a rejected one before it does not count. Source: contract, Bulk writes and Price and inventory.
 */
export const judge = (
  policy: StockPolicy,
  inputs: ReadonlyArray<StockInput>
): ReadonlyArray<Result.Result<Level.LevelChange, Bulk.Rejection>> => {
  const accepted = new Set<string>()
  return inputs.map((input) => {
    const key = typeof input.level === "string" ? "" : stockKeyText(input.level)
    const verdict = judgeOne(policy, input, accepted.has(key))
    if (Result.isSuccess(verdict)) accepted.add(key)
    return verdict
  })
}

const judgeOne = (
  policy: StockPolicy,
  { index, level, record }: StockInput,
  isAgain: boolean
): Result.Result<Level.LevelChange, Bulk.Rejection> => {
  if (policy === "set" && record.quantity < 0) {
    return reject(
      "INVALID_RECORD",
      `A quantity is from 0 to ${Level.maximum}, not ${record.quantity}`,
      `/${index}/quantity`
    )
  }
  if (level === "UNKNOWN_SKU") return reject(level, `There is no SKU ${record.sku} in the catalog`, `/${index}/sku`)
  if (level === "UNKNOWN_LOCATION") {
    return reject(level, `There is no location ${record.location} that you may change`, `/${index}/location_id`)
  }
  if (isAgain) {
    return reject("DUPLICATE_RECORD", `${record.sku} at ${record.location} stands in this request before`, `/${index}`)
  }
  if (record.expected !== null && record.expected !== level.onHand) {
    return reject(
      "STALE_QUANTITY",
      `The stock on hand is ${level.onHand}, not ${record.expected}`,
      `/${index}/expected_quantity`,
      {
        current_quantity: level.onHand
      }
    )
  }
  const onHand = policy === "set" ? record.quantity : level.onHand + record.quantity
  if (onHand < 0) {
    return reject("NEGATIVE_STOCK", `The stock on hand would be ${onHand}; it is ${level.onHand}`, `/${index}/quantity`)
  }
  if (onHand > Level.maximum) {
    return reject(
      "INVALID_RECORD",
      `The stock on hand would be ${onHand}; at most ${Level.maximum}`,
      `/${index}/quantity`
    )
  }
  const difference = onHand - level.onHand
  const movement = { onHand: difference, reserved: 0, unsellable: 0, reason: policy, reference: null } as const
  return Result.succeed(difference === 0 ? Level.unchanged(level) : Level.move(Level.unchanged(level), movement))
}
