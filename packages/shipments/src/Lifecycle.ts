/**
 * The shipment's state machine: the table of moves, `decide`, `evolve`, and `move`, which combines them with the changes to
 * stock. All are pure: time and new ids are arguments. Source: docs/reference/lifecycle.md.
 */
import * as Result from "effect/Result"
import { cancel } from "./internal/Cancel.ts"
import { assignAwb, assignCourier, confirm, dispatch, pack } from "./internal/Dispatch.ts"
import { creditNote, invoiceSale } from "./internal/Invoice.ts"
import { rejectLocked } from "./internal/Reject.ts"
import { addressedShipment, initiateReturn, qualityCheck, report } from "./internal/Return.ts"
import type { Rejection } from "./Rejection.ts"
import type { Shipment } from "./Shipment.ts"
import type { CommandResult, Context, ShipmentCommand } from "./ShipmentCommand.ts"
import { evolve, type ShipmentEvent } from "./ShipmentEvent.ts"
import { type StockEffect, stockOfEvent } from "./StockEffect.ts"

export { type Guard, type GuardId, guards } from "./Guards.ts"
export { allowedMoves, allowedTargets } from "./internal/Allowed.ts"
export type { CommandResult, Context } from "./ShipmentCommand.ts"
export { evolve } from "./ShipmentEvent.ts"
export { stockOnReaching } from "./StockEffect.ts"
export { type Move, type MoveRule, type Operation, operations, type Row, transitions } from "./Transitions.ts"

const noReturns: Context = { returns: [] }

/**
 * The events that a command causes, or why it is rejected. No events is a repeat, which succeeds and changes nothing. `at`
 * is the time in epoch milliseconds.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { Lifecycle } from "@crossdock/shipments"
 * import { placedShipment } from "@crossdock/shipments/testing"
 * import * as Result from "effect/Result"
 *
 * const confirm = { _tag: "Confirm", items: [{ itemId: "1", quantity: 1 }] } as const
 * const events = Result.getOrThrow(Lifecycle.decide(placedShipment(), confirm, 0))
 * const confirmed = events.reduce(Lifecycle.evolve, placedShipment())
 *
 * deepStrictEqual([confirmed.status, confirmed.version], ["bag_confirmed", 2])
 * deepStrictEqual(Lifecycle.decide(confirmed, { _tag: "Unlock" }, 0), Result.succeed([]))
 * ```
 */
export const decide = (
  shipment: Shipment,
  command: ShipmentCommand,
  at: number,
  context: Context = noReturns
): CommandResult => {
  if (command._tag === "Lock" || command._tag === "Unlock") {
    const locked = command._tag === "Lock"
    return Result.succeed(shipment.locked === locked ? [] : [{ _tag: "LockChanged", at, locked }])
  }
  if (shipment.locked) return Result.fail(rejectLocked(shipment))
  switch (command._tag) {
    case "Confirm":
      return confirm(shipment, command, at)
    case "Cancel":
      return cancel(shipment, command, at)
    case "InvoiceSale":
      return invoiceSale(shipment, command, at)
    case "CreditNote":
      return creditNote(shipment, command, at)
    case "AssignCourier":
      return assignCourier(shipment, command, at)
    case "Pack":
      return pack(shipment, at)
    case "Dispatch":
      return dispatch(shipment, command, at)
    case "AssignAwb":
      return assignAwb(shipment, command, at)
    case "Report":
      return report(shipment, command, at)
    case "InitiateReturn":
      return initiateReturn(shipment, command, at, context)
    case "CheckQuality":
      return qualityCheck(shipment, command, at)
  }
}

/**
 * A move that was made. In one transaction, write `shipment` on condition that its version is still the one that was read,
 * insert `created`, and apply `stock`.
 */
export interface MadeMove {
  /** The shipment that changed: the one asked, or its one open return. */
  readonly shipment: Shipment
  /** A cancelled part or a new return. */
  readonly created: Shipment | null
  readonly events: ReadonlyArray<ShipmentEvent>
  readonly stock: ReadonlyArray<StockEffect>
  /** A repeat: nothing to write. */
  readonly unchanged: boolean
}

/**
 * Makes a move: its events, the shipments after it, and what happens to the stock. `at` is the time in epoch milliseconds.
 * `context` must have all returns of a forward shipment for `Report` and `InitiateReturn`; other commands don't need them.
 * Source: docs/reference/lifecycle.md#moves.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { Lifecycle } from "@crossdock/shipments"
 * import { placedShipment } from "@crossdock/shipments/testing"
 * import { Result } from "effect"
 *
 * const rejected = Result.flip(Lifecycle.move(placedShipment(), { _tag: "Pack" }, 0))
 * strictEqual(Result.getOrThrow(rejected).code, "CR400")
 * ```
 */
export const move = (
  shipment: Shipment,
  command: ShipmentCommand,
  at: number,
  context: Context = noReturns
): Result.Result<MadeMove, Rejection> => {
  const asked = addressedShipment(shipment, command, context)
  const unmoved: MadeMove = { shipment: asked, created: null, events: [], stock: [], unchanged: true }
  return decide(asked, command, at, context).pipe(Result.map((events) => events.reduce(follow, unmoved)))
}

const follow = (moved: MadeMove, event: ShipmentEvent): MadeMove => ({
  shipment: evolve(moved.shipment, event),
  created: "created" in event ? event.created : moved.created,
  events: [...moved.events, event],
  stock: [...moved.stock, ...stockOfEvent(moved.shipment, event)],
  unchanged: false
})
