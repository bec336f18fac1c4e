/**
 * Who carries the bag: the courier and its AWB number.
 */
import * as Result from "effect/Result"
import type { Shipment } from "../Shipment.ts"
import type { AssignAwb, AssignCourier } from "../ShipmentCommand.ts"
import type { ShipmentEvent } from "../ShipmentEvent.ts"
import type { Decision } from "./Decision.ts"
import { moved } from "./Evolve.ts"
import { permit } from "./Permit.ts"

export const assignCourier = (shipment: Shipment, command: AssignCourier, at: number): Decision =>
  permit(shipment, "assignCourier", { by: command.by }).pipe(
    Result.map(({ to }): ReadonlyArray<ShipmentEvent> => {
      const { courier } = command
      return courier === null ? [moved(to, at)] : [{ _tag: "CourierNamed", at, courier }, moved(to, at)]
    })
  )

/**
 * Stores the AWB and the courier in place of those known. A courier told by AWB has its name for a code.
 */
export const assignAwb = (shipment: Shipment, command: AssignAwb, at: number): Decision => {
  const { autoDispatch, awbNumber, by, courierName } = command
  return permit(shipment, autoDispatch ? "awbDispatch" : "awb", { by }).pipe(
    Result.map(({ to }): ReadonlyArray<ShipmentEvent> => {
      const courier = { name: courierName, code: courierName, awbNumbers: [awbNumber] }
      const named = { _tag: "CourierNamed", at, courier } as const
      return to === shipment.status ? [named] : [named, moved(to, at)]
    })
  )
}
