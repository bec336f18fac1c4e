import type * as Result from "effect/Result"
import type { Rejection } from "../Rejection.ts"
import type { Shipment } from "../Shipment.ts"
import type { ShipmentEvent } from "../ShipmentEvent.ts"

/**
 * The events that a command causes, none when it is a repeat; or why it is rejected.
 */
export type CommandResult = Result.Result<ReadonlyArray<ShipmentEvent>, Rejection>

/**
 * What the rules need besides the shipment: all its returns so far, open or not, in the order they were opened.
 */
export interface Context {
  readonly returns: ReadonlyArray<Shipment>
}
