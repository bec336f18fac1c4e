/**
 * The conditions that a move of the table can have beside its status. Their ids are stable.
 */

import { type Portion, returnableUnits, unitsByItem, unitsLeft, unitsUnsettled } from "@crossdock/returns"
import type { RejectionCase } from "./RejectionCodes.ts"
import { logistics, type Party, type Shipment } from "./Shipment.ts"
import type { ShipmentItem } from "./ShipmentItem.ts"

/**
 * Who asks, the units named (none yet when only the moves allowed are listed), and all returns of the shipment so far.
 */
export interface Ask {
  readonly by: Party
  readonly units?: ReadonlyArray<Portion>
  readonly returns?: ReadonlyArray<Shipment>
}

/**
 * `says` ends the sentence "rejected, because …".
 */
export interface Guard {
  readonly says: string
  readonly rejectedAs: RejectionCase
  readonly holds: (shipment: Shipment, ask: Ask) => boolean
}

/**
 * Holds for the units named of each line, 0 where it is not named.
 */
const perItem =
  (fits: (named: number, item: ShipmentItem) => boolean) =>
  (shipment: Shipment, { units }: Ask): boolean => {
    if (units === undefined) return true
    const named = unitsByItem(units)
    return shipment.items.every((item) => fits(named.get(item.id) ?? 0, item))
  }

/**
 * Units of each delivered line that no return has yet.
 */
export const unitsUnreturned = (shipment: Shipment, returns: ReadonlyArray<Shipment>): ReadonlyMap<string, number> =>
  returnableUnits(
    shipment.items,
    returns.flatMap(({ items }) => items)
  )

export const guards = {
  "item-not-cancelled": {
    says: "an item named is cancelled",
    rejectedAs: "cancelled",
    holds: perItem((units, item) => units === 0 || unitsLeft(item) > 0)
  },
  "all-that-is-left": {
    says: "the items named must be all that is left, with their quantities",
    rejectedAs: "quantity",
    holds: perItem((units, item) => units === unitsLeft(item))
  },
  "within-what-is-left": {
    says: "more units are named than are left",
    rejectedAs: "quantity",
    holds: perItem((units, item) => units <= unitsLeft(item))
  },
  "within-what-has-no-result": {
    says: "more units are named than are left without a result",
    rejectedAs: "quantity",
    holds: perItem((units, item) => units <= unitsUnsettled(item))
  },
  "within-what-is-not-returned": {
    says: "more units are named than are delivered and not yet returned",
    rejectedAs: "quantity",
    holds: (shipment, { returns = [], units = [] }) => {
      const unreturned = unitsUnreturned(shipment, returns)
      return [...unitsByItem(units)].every(([itemId, named]) => named <= (unreturned.get(itemId) ?? 0))
    }
  },
  "by-who-ships": {
    says: "someone else runs the logistics",
    rejectedAs: "notFitting",
    holds: (shipment, { by }) => logistics(shipment) === by
  },
  "marketplace-ships": {
    says: "the marketplace does not run the logistics",
    rejectedAs: "wrongStatus",
    holds: (shipment) => logistics(shipment) === "marketplace"
  },
  "seller-only-when-self-ship": {
    says: "the seller does not ship it itself",
    rejectedAs: "notFitting",
    holds: (shipment, { by }) => by !== "seller" || shipment.selfShip
  },
  "no-credit-note-yet": {
    says: "it has its credit note",
    rejectedAs: "repeated",
    holds: (shipment) => shipment.creditNote === null
  },
  "cancelled-after-invoicing": {
    says: "it was cancelled before it was invoiced",
    rejectedAs: "notFitting",
    holds: (shipment) => shipment.invoice !== null
  }
} as const satisfies Record<string, Guard>

export type GuardId = keyof typeof guards
