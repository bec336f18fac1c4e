/**
 * The conditions that a move can have besides the shipment's status. Their ids never change. Source:
 * docs/reference/lifecycle.md#conditions.
 */

import { type Portion, unitsByItem, unitsLeft, unitsUnsettled } from "@crossdock/returns"
import { unitsUnreturned } from "./internal/UnitsUnreturned.ts"
import type { RejectionCase } from "./RejectionCodes.ts"
import { logistics, type Party, type Shipment } from "./Shipment.ts"
import type { ShipmentItem } from "./ShipmentItem.ts"

/**
 * What a guard is asked about: the asking party, the units named (absent when only the allowed moves are listed), and all
 * returns of the shipment so far.
 */
export interface Ask {
  readonly by: Party
  readonly units?: ReadonlyArray<Portion>
  readonly returns?: ReadonlyArray<Shipment>
}

/**
 * `says` is why a move is rejected when the guard is not met; it ends the sentence "Can't confirm shipment 17: …".
 * `advice` is a sentence that says how to send it right. `misfit` is the id of an item that keeps the guard from being met.
 */
export interface Guard {
  readonly says: string
  readonly advice: string
  readonly rejectedAs: RejectionCase
  readonly isMet: (shipment: Shipment, ask: Ask) => boolean
  readonly misfit?: (shipment: Shipment, ask: Ask) => string | undefined
}

const itemwise = (misfit: (shipment: Shipment, ask: Ask) => string | undefined) => ({
  misfit,
  isMet: (shipment: Shipment, ask: Ask): boolean => misfit(shipment, ask) === undefined
})

/**
 * Met when every item of the shipment fits the number of its units that are named, 0 when it is not named.
 */
const perItem = (fits: (named: number, item: ShipmentItem) => boolean) =>
  itemwise((shipment, { units }) => {
    if (units === undefined) return undefined
    const named = unitsByItem(units)
    return shipment.items.find((item) => !fits(named.get(item.id) ?? 0, item))?.id
  })

/**
 * The guards by their ids, each with what a rejection says.
 */
export const guards = {
  "item-not-cancelled": {
    says: "an item named is cancelled",
    advice: "Leave cancelled items out.",
    rejectedAs: "cancelled",
    ...perItem((units, item) => units === 0 || unitsLeft(item) > 0)
  },
  "all-that-is-left": {
    says: "the items named are not all that is left",
    advice: "Name every item that is left, with its whole quantity.",
    rejectedAs: "quantity",
    ...perItem((units, item) => units === unitsLeft(item))
  },
  "within-what-is-left": {
    says: "more units are named than are left",
    advice: "Name at most the units that are left.",
    rejectedAs: "quantity",
    ...perItem((units, item) => units <= unitsLeft(item))
  },
  "within-what-has-no-result": {
    says: "more units are named than are still to be checked",
    advice: "Name only units that have no result yet.",
    rejectedAs: "quantity",
    ...perItem((units, item) => units <= unitsUnsettled(item))
  },
  "within-what-is-not-returned": {
    says: "more units are named than are delivered and not yet returned",
    advice: "Name at most the units that are not yet returned.",
    rejectedAs: "quantity",
    ...itemwise((shipment, { returns = [], units = [] }) => {
      const unreturned = unitsUnreturned(shipment, returns)
      return [...unitsByItem(units)].find(([itemId, named]) => named > (unreturned.get(itemId) ?? 0))?.[0]
    })
  },
  "by-who-ships": {
    says: "someone else runs its logistics",
    advice: "Only the party that runs the logistics assigns the courier.",
    rejectedAs: "notFitting",
    isMet: (shipment, { by }) => logistics(shipment) === by
  },
  "marketplace-ships": {
    says: "the marketplace does not run its logistics",
    advice: "Its courier is assigned by the party that does.",
    rejectedAs: "wrongStatus",
    isMet: (shipment) => logistics(shipment) === "marketplace"
  },
  "seller-only-when-self-ship": {
    says: "the seller does not ship it",
    advice: "Only a seller that does its own shipping sends an AWB.",
    rejectedAs: "notFitting",
    isMet: (shipment, { by }) => by !== "seller" || shipment.selfShip
  },
  "no-credit-note-yet": {
    says: "it already has a credit note",
    advice: "A shipment gets one credit note.",
    rejectedAs: "repeated",
    isMet: (shipment) => shipment.creditNote === null
  },
  "cancelled-after-invoicing": {
    says: "it was cancelled before it was invoiced",
    advice: "Without an invoice there is nothing to credit.",
    rejectedAs: "notFitting",
    isMet: (shipment) => shipment.invoice !== null
  }
} as const satisfies Record<string, Guard>

/**
 * The id of a guard.
 */
export type GuardId = keyof typeof guards
