import type * as Result from "effect/Result"
import type { Rejection } from "../Rejection.ts"
import type { Shipment } from "../Shipment.ts"
import type { ShipmentEvent } from "../ShipmentEvent.ts"

/**
 * What a command causes; nothing at all when it repeats what has happened.
 */
export type Decision = Result.Result<ReadonlyArray<ShipmentEvent>, Rejection>

/**
 * What the rules need to know beside the shipment: all its returns so far, open or not, in the order they were opened.
 */
export interface Context {
  readonly returns: ReadonlyArray<Shipment>
}
