/**
 * From confirmation to dispatch: the seller confirms and packs, and the bag gets its courier and AWB number.
 */

import * as Result from "effect/Result"
import { type Shipment, storedAwb } from "../Shipment.ts"
import type { AssignAwb, AssignCourier, CommandResult, Confirm, Dispatch } from "../ShipmentCommand.ts"
import { moved, type ShipmentEvent } from "../ShipmentEvent.ts"
import { namedPortions, permitOperation } from "./Permit.ts"

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

export const assignCourier = (shipment: Shipment, command: AssignCourier, at: number): CommandResult =>
  permitOperation(shipment, "assignCourier", { by: command.by }).pipe(
    Result.map(({ to }): ReadonlyArray<ShipmentEvent> => {
      if (command.courier === null) return [moved(to, at)]
      const awbNumbers = [...new Set(command.courier.awbNumbers.map(storedAwb))]
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
      const courier = { name: courierName, code: courierName, awbNumbers: [storedAwb(awbNumber)] }
      const named = { _tag: "CourierNamed", at, courier } as const
      return to === shipment.status ? [named] : [named, moved(to, at)]
    })
  )
}
