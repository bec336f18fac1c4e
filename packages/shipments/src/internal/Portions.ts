/**
 * The units that a command names, merged and checked against the shipment's items.
 */

import { type Portion, unitsByItem } from "@crossdock/returns"
import * as Result from "effect/Result"
import type { Rejection } from "../Rejection.ts"
import type { Shipment } from "../Shipment.ts"
import type { Operation } from "../Transitions.ts"
import { type Reason, rejectOperation } from "./Reject.ts"

/**
 * The reason for an item that the shipment does not have.
 */
export const unknownItem = (itemId: string): Reason & { readonly as: "notFound" } => ({
  as: "notFound",
  because: `it has no item ${JSON.stringify(itemId)}`,
  advice: "Send items of this shipment.",
  about: { item: itemId, field: "item" }
})

/**
 * The units named for an operation of the seller: one portion an item, in the order of the shipment's items. Fails when an
 * item is not the shipment's, or when no units are named.
 */
export const namedPortions = (
  shipment: Shipment,
  operation: Operation,
  named: ReadonlyArray<Portion>
): Result.Result<ReadonlyArray<Portion>, Rejection> => {
  const rejected = (reason: Reason) => Result.fail(rejectOperation(shipment, operation, "seller", reason))
  const own = new Set(shipment.items.map(({ id }) => id))
  const stranger = named.find(({ itemId }) => !own.has(itemId))
  if (stranger !== undefined) return rejected(unknownItem(stranger.itemId))
  const merged = mergePortions(shipment, named)
  return merged.length === 0
    ? rejected({ as: "invalidRecord", because: "the request has no units", advice: "Send at least one." })
    : Result.succeed(merged)
}

/**
 * One portion for each item that has any units in `named`, in the order of the shipment's items.
 */
export const mergePortions = (shipment: Shipment, named: ReadonlyArray<Portion>): ReadonlyArray<Portion> => {
  const units = unitsByItem(named)
  return shipment.items
    .map(({ id }) => ({ itemId: id, quantity: units.get(id) ?? 0 }))
    .filter(({ quantity }) => quantity > 0)
}
