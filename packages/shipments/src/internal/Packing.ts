/**
 * What the seller does before the bag leaves: confirm, pack, dispatch.
 */

import * as Result from "effect/Result"
import type { Shipment } from "../Shipment.ts"
import type { Confirm, Dispatch } from "../ShipmentCommand.ts"
import type { CommandResult } from "./CommandResult.ts"
import { moved } from "./Evolve.ts"
import { permitOperation } from "./Permit.ts"
import { namedPortions } from "./Portions.ts"

const by = "seller"

export const confirm = (shipment: Shipment, command: Confirm, at: number): CommandResult =>
  Result.gen(function* () {
    const units = yield* namedPortions(shipment, "confirm", command.items)
    const { to } = yield* permitOperation(shipment, "confirm", { by, units })
    return [moved(to, at)]
  })

export const pack = (shipment: Shipment, at: number): CommandResult =>
  permitOperation(shipment, "pack", { by }).pipe(Result.map(({ to }) => [moved(to, at)]))

export const dispatch = (shipment: Shipment, command: Dispatch, at: number): CommandResult =>
  Result.gen(function* () {
    const units = command.items === null ? undefined : yield* namedPortions(shipment, "dispatch", command.items)
    const { to } = yield* permitOperation(shipment, "dispatch", units === undefined ? { by } : { by, units })
    return [moved(to, at)]
  })
