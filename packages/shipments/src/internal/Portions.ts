/**
 * The units that a record names, and whether the shipment has such items.
 */

import { type Portion, unitsByItem } from "@crossdock/returns"
import * as Result from "effect/Result"
import type { Rejection } from "../Rejection.ts"
import type { Shipment } from "../Shipment.ts"
import type { Operation } from "../Transitions.ts"
import { rejectOperation, rejectRecord } from "./Reject.ts"

/**
 * The units named for an operation, one portion a line, in the order of the shipment's lines. An item that is not of the
 * shipment is rejected as not found.
 */
export const portions = (
  shipment: Shipment,
  operation: Operation,
  named: ReadonlyArray<Portion>
): Result.Result<ReadonlyArray<Portion>, Rejection> => {
  const own = new Set(shipment.items.map(({ id }) => id))
  const stranger = named.find(({ itemId }) => !own.has(itemId))
  if (stranger !== undefined) {
    const because = `${JSON.stringify(stranger.itemId)} is no item of it`
    return Result.fail(rejectOperation(shipment, operation, "seller", "notFound", because))
  }
  const merged = merge(shipment, named)
  return merged.length === 0
    ? Result.fail(rejectRecord(shipment, "seller", "no units are named"))
    : Result.succeed(merged)
}

/**
 * One portion for each line that has any.
 */
export const merge = (shipment: Shipment, named: ReadonlyArray<Portion>): ReadonlyArray<Portion> => {
  const units = unitsByItem(named)
  return shipment.items
    .map(({ id }) => ({ itemId: id, quantity: units.get(id) ?? 0 }))
    .filter(({ quantity }) => quantity > 0)
}
