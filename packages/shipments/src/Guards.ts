/**
 * The conditions that a move can have besides the shipment's status. Their ids never change. Source:
 * docs/reference/lifecycle.md#conditions.
 */

import { type Portion, returnableUnits, unitsByItem, unitsLeft, unitsUnsettled } from "@crossdock/returns"
import type { RejectionCase } from "./Rejection.ts"
import { logistics, type Party, type Shipment, type ShipmentItem } from "./Shipment.ts"

/**
 * The input of a guard: the asking party, the units named (absent when only the allowed moves are listed), and all returns
 * of the shipment so far.
 */
export interface GuardInput {
  readonly by: Party
  readonly units?: ReadonlyArray<Portion>
  readonly returns?: ReadonlyArray<Shipment>
}

/**
 * An item that keeps a guard from being met: the units of it that are requested, and those that are left.
 */
export interface QuantityMismatch {
  readonly item: string
  readonly requested: number
  readonly left: number
}

/**
 * `reason` is why a move is rejected when the guard is not met; it ends the sentence "Can't confirm shipment 17: …".
 * `advice` is a sentence that says how to correct the request.
 */
export type Guard = {
  readonly advice: string
  readonly rejectedAs: RejectionCase
} & (
  | { readonly reason: string; readonly isMet: (shipment: Shipment, input: GuardInput) => boolean }
  | {
      readonly reason: (mismatch: QuantityMismatch) => string
      /** The first item that keeps the guard from being met. */
      readonly mismatch: (shipment: Shipment, input: GuardInput) => QuantityMismatch | undefined
    }
)

/** Every item of the shipment fits, 0 being requested of an item that is not named. */
const perItem =
  (leftOf: (item: ShipmentItem) => number, fits: (requested: number, left: number) => boolean) =>
  (shipment: Shipment, { units }: GuardInput): QuantityMismatch | undefined => {
    if (units === undefined) return undefined
    const named = unitsByItem(units)
    return shipment.items
      .map((item) => ({ item: item.id, requested: named.get(item.id) ?? 0, left: leftOf(item) }))
      .find(({ left, requested }) => !fits(requested, left))
  }

const isAtMost = (requested: number, left: number) => requested <= left

const quantityReason =
  (what: string) =>
  ({ item, left, requested }: QuantityMismatch) =>
    `item ${item} has ${left} unit${left === 1 ? "" : "s"} ${what}, not ${requested}`

/** The guards by their ids, each with the text of its rejection. */
export const guards = {
  "item-not-cancelled": {
    reason: ({ item }) => `item ${item} is cancelled`,
    advice: "Leave it out.",
    rejectedAs: "cancelled",
    mismatch: perItem(unitsLeft, (requested, left) => requested === 0 || left > 0)
  },
  "all-that-is-left": {
    reason: quantityReason("left"),
    advice: "Send every item that is left, with its whole quantity.",
    rejectedAs: "quantity",
    mismatch: perItem(unitsLeft, (requested, left) => requested === left)
  },
  "within-what-is-left": {
    reason: quantityReason("left"),
    advice: "Send at most that many.",
    rejectedAs: "quantity",
    mismatch: perItem(unitsLeft, isAtMost)
  },
  "within-what-has-no-result": {
    reason: quantityReason("still to be checked"),
    advice: "Send at most that many.",
    rejectedAs: "quantity",
    mismatch: perItem(unitsUnsettled, isAtMost)
  },
  "within-what-is-not-returned": {
    reason: quantityReason("delivered and not yet returned"),
    advice: "Send at most that many.",
    rejectedAs: "quantity",
    mismatch: (shipment, { returns = [], units = [] }) => {
      const unreturned = returnableUnits(shipment.items, returns)
      return [...unitsByItem(units)]
        .map(([item, requested]) => ({ item, requested, left: unreturned.get(item) ?? 0 }))
        .find(({ left, requested }) => !isAtMost(requested, left))
    }
  },
  "by-who-ships": {
    reason: "another party ships it",
    advice: "The party that ships it assigns the courier.",
    rejectedAs: "notFitting",
    isMet: (shipment, { by }) => logistics(shipment) === by
  },
  "marketplace-ships": {
    reason: "the marketplace does not ship it",
    advice: "The party that ships it assigns the courier.",
    rejectedAs: "wrongStatus",
    isMet: (shipment) => logistics(shipment) === "marketplace"
  },
  "seller-only-when-self-ship": {
    reason: "the seller does not ship it",
    advice: "The party that ships it sends the AWB.",
    rejectedAs: "notFitting",
    isMet: (shipment, { by }) => by !== "seller" || shipment.selfShip
  },
  "no-credit-note-yet": {
    reason: "it already has a credit note",
    advice: "A shipment gets only one.",
    rejectedAs: "repeated",
    isMet: (shipment) => shipment.creditNote === null
  },
  "cancelled-after-invoicing": {
    reason: "it was cancelled before it was invoiced",
    advice: "Without an invoice there is nothing to credit.",
    rejectedAs: "notFitting",
    isMet: (shipment) => shipment.invoice !== null
  }
} as const satisfies Record<string, Guard>

/** The id of a guard. */
export type GuardId = keyof typeof guards
