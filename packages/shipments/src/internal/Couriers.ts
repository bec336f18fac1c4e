/**
 * Assigns the courier that carries the bag, and its AWB number.
 */
import * as Result from "effect/Result"
import type { Shipment } from "../Shipment.ts"
import type { AssignAwb, AssignCourier } from "../ShipmentCommand.ts"
import type { ShipmentEvent } from "../ShipmentEvent.ts"
import * as AwbNumber from "./AwbNumber.ts"
import type { CommandResult } from "./CommandResult.ts"
import { moved } from "./Evolve.ts"
import { permitOperation } from "./Permit.ts"

export const assignCourier = (shipment: Shipment, command: AssignCourier, at: number): CommandResult =>
  permitOperation(shipment, "assignCourier", { by: command.by }).pipe(
    Result.map(({ to }): ReadonlyArray<ShipmentEvent> => {
      if (command.courier === null) return [moved(to, at)]
      const awbNumbers = [...new Set(command.courier.awbNumbers.map(AwbNumber.stored))]
      return [{ _tag: "CourierNamed", at, courier: { ...command.courier, awbNumbers } }, moved(to, at)]
    })
  )

/**
 * Replaces the courier and its AWB. A courier that is named with an AWB has its name as its code. Source:
 * docs/reference/shipments.md#awb.
 */
export const assignAwb = (shipment: Shipment, command: AssignAwb, at: number): CommandResult => {
  const { autoDispatch, awbNumber, by, courierName } = command
  return permitOperation(shipment, autoDispatch ? "awbDispatch" : "awb", { by }).pipe(
    Result.map(({ to }): ReadonlyArray<ShipmentEvent> => {
      const courier = { name: courierName, code: courierName, awbNumbers: [AwbNumber.stored(awbNumber)] }
      const named = { _tag: "CourierNamed", at, courier } as const
      return to === shipment.status ? [named] : [named, moved(to, at)]
    })
  )
}
