/**
 * Words a refusal: its code from the table of codes, the present status and what may be asked instead.
 */
import type { Refusal, RefusalDetails } from "../Refusal.ts"
import { invalidRecord, type RefusalCase, refusalCode, shipmentLocked } from "../RefusalCodes.ts"
import type { Party, Shipment } from "../Shipment.ts"
import { type Operation, operations } from "../Transitions.ts"
import { allowedMoves, allowedTargets, rowOf } from "./Allowed.ts"
import { type Goal, wayTo } from "./Way.ts"

const refuse = (
  code: string,
  because: string,
  shipment: Shipment,
  details: Omit<RefusalDetails, "current">
): Refusal => {
  const { allowed, steps, target } = details
  const moves = target === undefined ? "" : ` and does not move to ${JSON.stringify(target)}`
  const way = steps === undefined ? "" : `. The way there: ${steps.join(", ")}`
  return {
    code,
    message: `Shipment ${shipment.id} is ${shipment.status}${moves}: refused, because ${because}. Allowed now: ${
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
    allowed: allowedMoves(shipment, by),
    ...way(shipment, rowOf(shipment)[operation] !== undefined, { operation }, by)
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
    ...way(shipment, Object.hasOwn(rowOf(shipment).status ?? {}, target), { target }, by),
    ...(refusedAs === "wrongStatus" ? { reason: "INVALID_TRANSITION" } : {})
  })

/**
 * What a record names is no sound demand.
 */
export const refuseRecord = (shipment: Shipment, by: Party, because: string): Refusal =>
  refuse(invalidRecord, because, shipment, { allowed: allowedMoves(shipment, by) })
