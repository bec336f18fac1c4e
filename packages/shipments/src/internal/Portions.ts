/**
 * The units that a record names, and whether the shipment has such items.
 */
import * as Either from "effect/Either"
import type { Refusal } from "../Refusal.ts"
import type { Shipment } from "../Shipment.ts"
import type { Portion } from "../ShipmentItem.ts"
import type { Operation } from "../Transitions.ts"
import { refuseOperation, refuseRecord } from "./Refuse.ts"

/**
 * The units named for an operation, one portion a line, in the order of the shipment's lines. An item that is not of the
 * shipment is refused as not found.
 */
export const portions = (
  shipment: Shipment,
  operation: Operation,
  named: ReadonlyArray<Portion>
): Either.Either<ReadonlyArray<Portion>, Refusal> => {
  const stranger = named.find(({ itemId }) => !shipment.items.some(({ id }) => id === itemId))
  if (stranger !== undefined) {
    const because = `${JSON.stringify(stranger.itemId)} is no item of it`
    return Either.left(refuseOperation(shipment, operation, "seller", "notFound", because))
  }
  const merged = merge(shipment, named)
  return merged.length === 0
    ? Either.left(refuseRecord(shipment, "seller", "no units are named"))
    : Either.right(merged)
}

/**
 * One portion for each line that has any.
 */
export const merge = (shipment: Shipment, named: ReadonlyArray<Portion>): ReadonlyArray<Portion> =>
  shipment.items
    .map(({ id }) => ({
      itemId: id,
      quantity: named.filter(({ itemId }) => itemId === id).reduce((sum, { quantity }) => sum + quantity, 0)
    }))
    .filter(({ quantity }) => quantity > 0)
