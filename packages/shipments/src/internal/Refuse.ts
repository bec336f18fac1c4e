/**
 * Words a refusal: its code from the table of codes, the present status and what may be asked instead.
 */
import type { Refusal, RefusalDetails } from "../Refusal.ts"
import { invalidRecord, type RefusalCase, refusalCode, shipmentLocked } from "../RefusalCodes.ts"
import type { Party, Shipment } from "../Shipment.ts"
import { type Operation, operations } from "../Transitions.ts"
import { allowedMoves, allowedTargets } from "./Allowed.ts"

const refuse = (
  code: string,
  because: string,
  shipment: Shipment,
  details: Omit<RefusalDetails, "current">
): Refusal => ({
  code,
  message: `Shipment ${shipment.id} is ${shipment.status}${
    details.target === undefined ? "" : ` and does not move to ${JSON.stringify(details.target)}`
  }: refused, because ${because}. Allowed now: ${details.allowed.length === 0 ? "nothing" : details.allowed.join(", ")}`,
  details: { current: shipment.status, ...details }
})

/**
 * Everything but `Unlock` is refused while the shipment is locked.
 */
export const whileLocked = (shipment: Shipment): Refusal =>
  refuse(shipmentLocked, "it is locked", shipment, { allowed: [] })

export const refuseOperation = (
  shipment: Shipment,
  operation: Operation,
  by: Party,
  refusedAs: RefusalCase,
  because: string
): Refusal =>
  refuse(refusalCode(operations[operation].family, refusedAs), because, shipment, {
    allowed: allowedMoves(shipment, by)
  })

/**
 * A refusal of the status operation.
 */
export const refuseReport = (
  shipment: Shipment,
  target: string,
  by: Party,
  refusedAs: RefusalCase,
  because: string
): Refusal =>
  refuse(refusalCode("status", refusedAs), because, shipment, {
    allowed: allowedTargets(shipment, by),
    target,
    ...(refusedAs === "wrongStatus" ? { reason: "INVALID_TRANSITION" } : {})
  })

/**
 * What a record names is no sound demand.
 */
export const refuseRecord = (shipment: Shipment, by: Party, because: string): Refusal =>
  refuse(invalidRecord, because, shipment, { allowed: allowedMoves(shipment, by) })
