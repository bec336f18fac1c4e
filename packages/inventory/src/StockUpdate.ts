/** The rule of a bulk stock write. */
import type { Integration } from "@crossdock/access"
import { Bulk, type StockKey } from "@crossdock/kernel"
import * as Result from "effect/Result"
import * as Level from "./Level.ts"

/** Whether a quantity is the stock on hand (`set`) or a difference (`adjust`). Source: docs/reference/stock.md#policy. */
export type StockPolicy = Integration["stockPolicy"]

/** A record in whole units. The stock on hand must equal a non-null `expected`. Source: docs/reference/stock.md#record. */
export interface StockRecord extends StockKey {
  readonly quantity: number
  readonly expected: number | null
}

/** A record, its index in the request, and its level, or a code if the level is unknown or hidden from the caller. */
export interface StockInput extends Bulk.Indexed<StockRecord> {
  readonly level: Level.Level | "UNKNOWN_SKU" | "UNKNOWN_LOCATION"
}

const reject = (code: string, message: string, path: string, details?: Bulk.Rejection["details"]) =>
  Result.fail({ code, message, path, ...(details === undefined ? {} : { details }) })

/**
 * Applies the records in order, and returns each level's change or a rejection: `INVALID_RECORD`, `UNKNOWN_SKU`,
 * `UNKNOWN_LOCATION`, `DUPLICATE_RECORD`, `STALE_QUANTITY` or `NEGATIVE_STOCK`. Source: docs/reference/stock.md#record,
 * docs/reference/bulk.md#duplicates.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { StockUpdate } from "@crossdock/inventory"
 * import { stockLevel } from "@crossdock/inventory/testing"
 * import * as Result from "effect/Result"
 *
 * const level = stockLevel({ sku: "85123A", location: "BLR1", onHand: 5 })
 * const record = { sku: "85123A", location: "BLR1", quantity: -6, expected: null }
 * const [outcome] = StockUpdate.applyUpdates("adjust", [{ index: 0, record, level }])
 * deepStrictEqual(outcome && Result.isFailure(outcome) && outcome.failure.code, "NEGATIVE_STOCK")
 * ```
 */
export const applyUpdates = (
  policy: StockPolicy,
  inputs: ReadonlyArray<StockInput>
): ReadonlyArray<Result.Result<Level.LevelChange, Bulk.Rejection>> =>
  Bulk.decideEach(
    inputs,
    ({ level }) => level,
    (input, level) => applyUpdate(policy, input, level),
    ({ index, record: { quantity } }) =>
      policy === "adjust" || quantity >= 0
        ? undefined
        : {
            code: "INVALID_RECORD",
            message: `The stock on hand can't be set to ${quantity}. Send a whole number from 0 to ${Level.maxUnits}.`,
            path: `/${index}/quantity`
          }
  )

const applyUpdate = (policy: StockPolicy, { index, record }: StockInput, level: Level.Level) => {
  if (record.expected !== null && record.expected !== level.onHand)
    return reject(
      "STALE_QUANTITY",
      `The stock on hand is ${level.onHand}, not the expected ${record.expected}. Read it again and send the new quantity.`,
      `/${index}/expected_quantity`,
      { current_quantity: level.onHand }
    )
  const onHand = policy === "set" ? record.quantity : level.onHand + record.quantity
  if (onHand < 0)
    return reject(
      "NEGATIVE_STOCK",
      `The stock on hand is ${level.onHand}, so the adjustment by ${record.quantity} would make it negative. Check the adjustment.`,
      `/${index}/quantity`
    )
  if (onHand > Level.maxUnits)
    return reject(
      "INVALID_RECORD",
      `The stock on hand would be ${onHand}, above the maximum of ${Level.maxUnits}. Send a smaller quantity.`,
      `/${index}/quantity`
    )
  const difference = onHand - level.onHand
  const movement = { onHand: difference, reserved: 0, unsellable: 0, reason: policy, reference: null } as const
  return Result.succeed(difference === 0 ? Level.unchanged(level) : Level.move(Level.unchanged(level), movement))
}
