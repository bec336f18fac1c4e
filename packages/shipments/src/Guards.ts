/** Conditions of a move besides the status. Sources: docs/guides/extend.md#guards, docs/reference/lifecycle.md#conditions. */
import { Eventual, frozen } from "@crossdock/kernel"
import { type Portion, returnableUnits, unitsByItem, unitsLeft, unitsUnsettled } from "@crossdock/returns"
import * as Effect from "effect/Effect"
import type { MoveName } from "./Operations.ts"
import type { RejectionCase } from "./RejectionCodes.ts"
import { logistics, type Party, type Shipment, type ShipmentItem } from "./Shipment.ts"

/** The input of a guard, with all returns of the shipment. The units are absent if moves are only listed. */
export interface GuardInput {
  readonly by: Party
  readonly units?: ReadonlyArray<Portion>
  readonly returns?: ReadonlyArray<Shipment>
}

/** An item that fails a guard, with the number of requested units and the number of units left. */
export interface QuantityMismatch {
  readonly item: string
  readonly requested: number
  readonly left: number
}

/** A guard's texts and check. `reason` ends the rejection's sentence "Can't confirm shipment 17: …". */
export type Guard = { readonly advice: string; readonly rejectedAs: RejectionCase } & (
  | { readonly reason: string; readonly isMet: (shipment: Shipment, input: GuardInput) => boolean }
  | {
      readonly reason: (mismatch: QuantityMismatch) => string
      /** Finds the first item that fails the guard. */
      readonly mismatch: (shipment: Shipment, input: GuardInput) => QuantityMismatch | undefined
    }
)

/** A check that every item of the shipment `fits`. If an item isn't named, 0 of its units are requested. */
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

/** The guards by id, each with the texts of its rejection. */
export const guards = /* @__PURE__ */ frozen({
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
} as const satisfies Record<string, Guard>)

export type GuardId = keyof typeof guards

/** The input of a host's guard. `facts` are those that the guard loaded for the bulk. `at` is in epoch milliseconds. */
export interface OwnInput<F = unknown> extends GuardInput {
  readonly at: number
  readonly facts: F
}

/**
 * A host's condition of a move. The condition also applies when allowed moves, or the steps to a move, are listed.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { extendLifecycle, Lifecycle } from "@crossdock/shipments"
 * import { placedShipment } from "@crossdock/shipments/testing"
 * import { Result } from "effect"
 *
 * const notOnSundays: Lifecycle.OwnGuard = {
 *   on: ["confirm", "dispatch"],
 *   isMet: (_, { at }) => new Date(at).getUTCDay() !== 0,
 *   says: "the warehouse rests on Sundays",
 *   advice: "Send it on Monday.",
 *   code: "SUNDAY"
 * }
 * const lifecycle = Result.getOrThrow(extendLifecycle({ guards: [notOnSundays] }))
 *
 * const sunday = Date.UTC(2026, 10, 29)
 * const confirm = { _tag: "Confirm", items: [{ itemId: "1", quantity: 1 }] } as const
 * const { code, details } = Result.getOrThrow(
 *   Result.flip(Lifecycle.move(placedShipment(), confirm, sunday, { returns: [], lifecycle }))
 * )
 * deepStrictEqual([code, details.allowed], ["SUNDAY", ["cancel a part", "cancel everything"]])
 * ```
 */
export interface OwnGuard<F = unknown> {
  readonly on: MoveName | ReadonlyArray<MoveName>
  /** Whether the move is allowed. The function must be pure: the same input always has the same answer. */
  isMet(shipment: Shipment, input: OwnInput<F>): boolean
  /** The reason of the rejection. It ends the sentence "Can't dispatch shipment 17: …". */
  readonly says: string
  /** A sentence that says what to do next. */
  readonly advice: string
  /** The code of the rejection. It consists of capital letters, digits and underscores, and differs from all our codes. */
  readonly code: string
  /** Loads the facts for `isMet` once per bulk, in its transaction. It may read the database, but must not call a network. */
  readonly facts?: (shipments: ReadonlyArray<Shipment>) => Effect.Effect<F> | Promise<F>
}

/** Gives a guard the type of its facts. */
export const guard = <F>(one: OwnGuard<F>): OwnGuard => one as OwnGuard

/** The loaded facts of each guard that has a `facts` function. */
export type Facts = ReadonlyMap<OwnGuard, unknown>

export const noFacts: Facts = new Map()

/** The time limit for loading facts. The bulk's rows are locked meanwhile. */
const factsTimeout = "5 seconds"

export const loadFacts = (guards: ReadonlyArray<OwnGuard>, shipments: ReadonlyArray<Shipment>): Effect.Effect<Facts> =>
  Effect.map(
    Effect.forEach(guards, (guard) => {
      const loaded = Eventual.of(() => guard.facts?.(shipments))
      const late = Effect.die(new Error(`The facts of the guard ${guard.code} took longer than ${factsTimeout}`))
      const bounded = Effect.timeoutOrElse(loaded, { duration: factsTimeout, orElse: () => late })
      return Effect.map(bounded, (facts) => [guard, facts] as const)
    }),
    (all) => new Map(all)
  )
