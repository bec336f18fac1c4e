/**
 * Words a rejection: its code from the table of codes, the present status and what may be asked instead.
 */
import type { Rejection, RejectionDetails } from "../Rejection.ts"
import { invalidRecord, type RejectionCase, rejectionCode, shipmentLocked } from "../RejectionCodes.ts"
import type { Party, Shipment } from "../Shipment.ts"
import { type Operation, operations } from "../Transitions.ts"
import { allowedMoves, allowedTargets, rowOf } from "./Allowed.ts"
import { type Goal, wayTo } from "./Way.ts"

const reject = (
  code: string,
  because: string,
  shipment: Shipment,
  details: Omit<RejectionDetails, "current">
): Rejection => {
  const { allowed, steps, target } = details
  const moves = target === undefined ? "" : ` and does not move to ${JSON.stringify(target)}`
  const way = steps === undefined ? "" : `. The way there: ${steps.join(", ")}`
  return {
    code,
    message: `Shipment ${shipment.id} is ${shipment.status}${moves}: rejected, because ${because}. Allowed now: ${
      allowed.length === 0 ? "nothing" : allowed.join(", ")
    }${way}`,
    details: { current: shipment.status, ...details }
  }
}

/**
 * The way to what this status does not allow, when there is one.
 */
const way = (
  shipment: Shipment,
  isAllowed: boolean,
  goal: Goal,
  by: Party
): { readonly steps?: ReadonlyArray<string> } => {
  const steps = isAllowed ? [] : wayTo(shipment, goal, by)
  return steps.length === 0 ? {} : { steps }
}

/**
 * Everything but `Unlock` is rejected while the shipment is locked.
 */
export const whileLocked = (shipment: Shipment): Rejection =>
  reject(shipmentLocked, "it is locked", shipment, { allowed: [] })

export const rejectOperation = (
  shipment: Shipment,
  operation: Operation,
  by: Party,
  rejectedAs: RejectionCase,
  because: string
): Rejection =>
  reject(rejectionCode(operations[operation].family, rejectedAs), because, shipment, {
    allowed: allowedMoves(shipment, by),
    ...way(shipment, rowOf(shipment)[operation] !== undefined, { operation }, by)
  })

/**
 * A rejection of the status operation.
 */
export const rejectReport = (
  shipment: Shipment,
  target: string,
  by: Party,
  rejectedAs: RejectionCase,
  because: string
): Rejection =>
  reject(rejectionCode("status", rejectedAs), because, shipment, {
    allowed: allowedTargets(shipment, by),
    target,
    ...way(shipment, Object.hasOwn(rowOf(shipment).status ?? {}, target), { target }, by),
    ...(rejectedAs === "wrongStatus" ? { reason: "INVALID_TRANSITION" } : {})
  })

/**
 * What a record names is no sound demand.
 */
export const rejectRecord = (shipment: Shipment, by: Party, because: string): Rejection =>
  reject(invalidRecord, because, shipment, { allowed: allowedMoves(shipment, by) })
