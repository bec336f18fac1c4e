/**
 * The conditions that a move can have besides the shipment's status. Their ids never change. Source:
 * docs/reference/lifecycle.md#conditions.
 */

import { type Portion, returnableUnits, unitsByItem, unitsLeft, unitsUnsettled } from "@crossdock/returns"
import type { RejectionCase } from "./Rejection.ts"
import { logistics, type Party, type Shipment, type ShipmentItem } from "./Shipment.ts"

/**
 * What a guard is asked about: the asking party, the units named (absent when only the allowed moves are listed), and all
 * returns of the shipment so far.
 */
export interface GuardInput {
  readonly by: Party
  readonly units?: ReadonlyArray<Portion>
  readonly returns?: ReadonlyArray<Shipment>
}

/**
 * An item that keeps a guard from being met: how many of its units are requested, and of how many that are left for it.
 */
export interface QuantityMismatch {
  readonly item: string
  readonly requested: number
  readonly left: number
}

/**
 * `says` is why a move is rejected when the guard is not met; it ends the sentence "Can't confirm shipment 17: …".
 * `advice` is a sentence that says how to send it right.
 */
export type Guard = {
  readonly advice: string
  readonly rejectedAs: RejectionCase
} & (
  | { readonly says: string; readonly isMet: (shipment: Shipment, input: GuardInput) => boolean }
  | {
      readonly says: (mismatch: QuantityMismatch) => string
      /** The first item that keeps the guard from being met. */
      readonly mismatch: (shipment: Shipment, input: GuardInput) => QuantityMismatch | undefined
    }
)

/**
 * Every item of the shipment fits, 0 being requested of an item that is not named.
 */
const perItem =
  (leftOf: (item: ShipmentItem) => number, fits: (requested: number, left: number) => boolean) =>
  (shipment: Shipment, { units }: GuardInput): QuantityMismatch | undefined => {
    if (units === undefined) return undefined
    const named = unitsByItem(units)
    return shipment.items
      .map((item) => ({ item: item.id, requested: named.get(item.id) ?? 0, left: leftOf(item) }))
      .find(({ left, requested }) => !fits(requested, left))
  }

const isWithin = (requested: number, left: number) => requested <= left

const unitsLeftOf =
  (what: string) =>
  ({ item, left, requested }: QuantityMismatch) =>
    `item ${item} has ${left} unit${left === 1 ? "" : "s"} ${what}, not ${requested}`

/**
 * The guards by their ids, each with what a rejection says.
 */
export const guards = {
  "item-not-cancelled": {
    says: ({ item }) => `item ${item} is cancelled`,
    advice: "Leave it out.",
    rejectedAs: "cancelled",
    mismatch: perItem(unitsLeft, (requested, left) => requested === 0 || left > 0)
  },
  "all-that-is-left": {
    says: unitsLeftOf("left"),
    advice: "Send every item that is left, with its whole quantity.",
    rejectedAs: "quantity",
    mismatch: perItem(unitsLeft, (requested, left) => requested === left)
  },
  "within-what-is-left": {
    says: unitsLeftOf("left"),
    advice: "Send at most that many.",
    rejectedAs: "quantity",
    mismatch: perItem(unitsLeft, isWithin)
  },
  "within-what-has-no-result": {
    says: unitsLeftOf("still to be checked"),
    advice: "Send at most that many.",
    rejectedAs: "quantity",
    mismatch: perItem(unitsUnsettled, isWithin)
  },
  "within-what-is-not-returned": {
    says: unitsLeftOf("delivered and not yet returned"),
    advice: "Send at most that many.",
    rejectedAs: "quantity",
    mismatch: (shipment, { returns = [], units = [] }) => {
      const unreturned = returnableUnits(shipment.items, returns)
      return [...unitsByItem(units)]
        .map(([item, requested]) => ({ item, requested, left: unreturned.get(item) ?? 0 }))
        .find(({ left, requested }) => !isWithin(requested, left))
    }
  },
  "by-who-ships": {
    says: "another party ships it",
    advice: "The party that ships it assigns the courier.",
    rejectedAs: "notFitting",
    isMet: (shipment, { by }) => logistics(shipment) === by
  },
  "marketplace-ships": {
    says: "the marketplace does not ship it",
    advice: "The party that ships it assigns the courier.",
    rejectedAs: "wrongStatus",
    isMet: (shipment) => logistics(shipment) === "marketplace"
  },
  "seller-only-when-self-ship": {
    says: "the seller does not ship it",
    advice: "The party that ships it sends the AWB.",
    rejectedAs: "notFitting",
    isMet: (shipment, { by }) => by !== "seller" || shipment.selfShip
  },
  "no-credit-note-yet": {
    says: "it already has a credit note",
    advice: "A shipment gets only one.",
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
