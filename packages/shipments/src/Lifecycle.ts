/**
 * The shipment's state machine: the table of moves, `decide`, `evolve`, and `move`, which combines them with the changes to
 * stock. All are pure: time and new ids are arguments. Source: docs/reference/lifecycle.md.
 *
 * A new operation is a command (`ShipmentCommand`), rows of the tables (`Transitions`), the codes of its rejections (`Rejection`)
 * and its decision (`Decide`).
 */
import * as Result from "effect/Result"
import { decide } from "./Decide.ts"
import type { Rejection } from "./Rejection.ts"
import { targetShipment } from "./ReturnShipment.ts"
import type { Shipment } from "./Shipment.ts"
import type { Context, ShipmentCommand } from "./ShipmentCommand.ts"
import { evolve, type ShipmentEvent } from "./ShipmentEvent.ts"
import { type StockEffect, stockEffects } from "./StockMoves.ts"

export { allowedMoves, allowedTargets } from "./AllowedMoves.ts"
export { decide } from "./Decide.ts"
export { type Guard, type GuardId, guards } from "./Guards.ts"
export type { Context, Decision } from "./ShipmentCommand.ts"
export { evolve } from "./ShipmentEvent.ts"
export { stockOnReaching } from "./StockMoves.ts"
export { type Move, type MoveRule, type Operation, operations, type Row, transitions } from "./Transitions.ts"

/**
 * A move that was made. In one transaction, write `shipment` on condition that its version is still the one that was read,
 * insert `created`, and apply `stock`.
 */
export interface MoveResult {
  /** The shipment that changed: the one addressed, or its one open return. */
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
  context: Context = { returns: [] }
): Result.Result<MoveResult, Rejection> => {
  const target = targetShipment(shipment, command, context)
  const unmoved: MoveResult = { shipment: target, created: null, events: [], stock: [], unchanged: true }
  return decide(target, command, at, context).pipe(Result.map((events) => events.reduce(follow, unmoved)))
}

const follow = (moved: MoveResult, event: ShipmentEvent): MoveResult => ({
  shipment: evolve(moved.shipment, event),
  created: "created" in event ? event.created : moved.created,
  events: [...moved.events, event],
  stock: [...moved.stock, ...stockEffects(moved.shipment, event)],
  unchanged: false
})
