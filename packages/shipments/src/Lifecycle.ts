/**
 * The shipment's state machine: the table of moves, a pure `decide`, a pure `evolve`, and `move`, which puts them together
 * with what must follow. No clock, no ids, no storage: time and new ids come in as arguments. Source: contract, section 6.
 */
import * as Result from "effect/Result"
import { assignAwb, assignCourier } from "./internal/Couriers.ts"
import type { Context, Decision } from "./internal/Decision.ts"
import { evolve } from "./internal/Evolve.ts"
import { creditNote, invoiceSale } from "./internal/Invoicing.ts"
import { cancel, confirm, dispatch, pack } from "./internal/Packing.ts"
import { whileLocked } from "./internal/Reject.ts"
import { addressee, report } from "./internal/Reports.ts"
import { initiateReturn, qualityCheck } from "./internal/Returns.ts"
import type { Rejection } from "./Rejection.ts"
import type { Shipment } from "./Shipment.ts"
import type { ShipmentCommand } from "./ShipmentCommand.ts"
import type { ShipmentEvent } from "./ShipmentEvent.ts"
import { type StockEffect, stockOf } from "./StockEffect.ts"

export { type Guard, type GuardId, guards } from "./Guards.ts"
export { allowedMoves, allowedTargets } from "./internal/Allowed.ts"
export type { Context, Decision } from "./internal/Decision.ts"
export { evolve } from "./internal/Evolve.ts"
export { stockOnReaching } from "./StockEffect.ts"
export { type Limits, type Move, type Operation, operations, type Row, transitions } from "./Transitions.ts"

const noReturns: Context = { returns: [] }

/**
 * Turns a command into what it causes, or says why it may not happen. An empty list is a repeat: success without change.
 */
export const decide = (
  shipment: Shipment,
  command: ShipmentCommand,
  at: number,
  context: Context = noReturns
): Decision => {
  if (command._tag === "Lock" || command._tag === "Unlock") {
    const locked = command._tag === "Lock"
    return Result.succeed(shipment.locked === locked ? [] : [{ _tag: "LockChanged", at, locked }])
  }
  if (shipment.locked) return Result.fail(whileLocked(shipment))
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
    case "QualityCheck":
      return qualityCheck(shipment, command, at)
  }
}

/**
 * A move that was made. Write `shipment` on condition that the version read has not changed, insert `created` (a cancelled
 * part or a new return), apply `stock`: all in one transaction.
 */
export interface Moved {
  /** The shipment that changed: the one asked, or its one open return. */
  readonly shipment: Shipment
  readonly created: Shipment | null
  readonly events: ReadonlyArray<ShipmentEvent>
  readonly stock: ReadonlyArray<StockEffect>
  /** A repeat: nothing to write. */
  readonly unchanged: boolean
}

/**
 * Makes a move: what it causes, the shipments after it, and what must follow for the stock. Give all returns of a forward
 * shipment for `Report` and `InitiateReturn`; no other command looks at them.
 */
export const move = (
  shipment: Shipment,
  command: ShipmentCommand,
  at: number,
  context: Context = noReturns
): Result.Result<Moved, Rejection> => {
  const asked = addressee(shipment, command, context)
  const still: Moved = { shipment: asked, created: null, events: [], stock: [], unchanged: true }
  return decide(asked, command, at, context).pipe(Result.map((events) => events.reduce(follow, still)))
}

const follow = (moved: Moved, event: ShipmentEvent): Moved => ({
  shipment: evolve(moved.shipment, event),
  created: "created" in event ? event.created : moved.created,
  events: [...moved.events, event],
  stock: [...moved.stock, ...stockOf(moved.shipment, event)],
  unchanged: false
})
