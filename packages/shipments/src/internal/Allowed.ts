/**
 * Reads the table of moves: which moves a party may make with a shipment in its present state.
 */
import * as Struct from "effect/Struct"
import { type Guard, type GuardInput, guards, type QuantityMismatch } from "../Guards.ts"
import { type OperationalStatus, operationalStatuses } from "../OperationalStatus.ts"
import type { Party, Shipment } from "../Shipment.ts"
import { type MoveRule, type Operation, operations, type Row, transitions } from "../Transitions.ts"

export const rowOf = (shipment: Shipment): Row => transitions[shipment.status]

/**
 * A guard that is not met, and why.
 */
interface UnmetGuard extends Pick<Guard, "advice" | "rejectedAs"> {
  readonly because: string
  readonly mismatch?: QuantityMismatch
}

const unmetGuards = (guard: Guard, shipment: Shipment, input: GuardInput): ReadonlyArray<UnmetGuard> => {
  if ("isMet" in guard) return guard.isMet(shipment, input) ? [] : [{ ...guard, because: guard.says }]
  const mismatch = guard.mismatch(shipment, input)
  return mismatch === undefined ? [] : [{ ...guard, because: guard.says(mismatch), mismatch }]
}

/**
 * The first guard of the rule that is not met.
 */
export const failedGuard = (
  { guards: ids = [] }: MoveRule,
  shipment: Shipment,
  input: GuardInput
): UnmetGuard | undefined => ids.flatMap((id) => unmetGuards(guards[id], shipment, input))[0]

export const isPermitted = (rule: MoveRule | undefined, shipment: Shipment, input: GuardInput): boolean =>
  rule !== undefined &&
  (rule.who === undefined || rule.who === input.by) &&
  failedGuard(rule, shipment, input) === undefined

/**
 * The statuses that `by` may report of the shipment now; none while it is locked.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { Lifecycle } from "@crossdock/shipments"
 * import { placedShipment } from "@crossdock/shipments/testing"
 *
 * deepStrictEqual(Lifecycle.allowedTargets(placedShipment(), "marketplace"), ["cancelled_customer"])
 * deepStrictEqual(Lifecycle.allowedTargets(placedShipment(), "seller"), [])
 * ```
 */
export const allowedTargets = (shipment: Shipment, by: Party): ReadonlyArray<OperationalStatus> =>
  shipment.locked
    ? []
    : operationalStatuses.filter((target) => isPermitted(rowOf(shipment).status?.[target], shipment, { by }))

/**
 * The operations that `by` may ask of the shipment now, besides reporting a status; none while it is locked.
 */
export const allowedOperations = (shipment: Shipment, by: Party): ReadonlyArray<Operation> =>
  shipment.locked
    ? []
    : Struct.keys(operations).filter(
        (name) => operations[name].by.some((one) => one === by) && isPermitted(rowOf(shipment)[name], shipment, { by })
      )

/**
 * The names of all moves that `by` may make with the shipment now: operations first, then `status …` for each status that
 * it may report.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { Lifecycle } from "@crossdock/shipments"
 * import { placedShipment } from "@crossdock/shipments/testing"
 *
 * const placed = placedShipment()
 * deepStrictEqual(Lifecycle.allowedMoves(placed, "seller"), ["confirm", "cancel a part", "cancel everything"])
 * deepStrictEqual(Lifecycle.allowedMoves({ ...placed, locked: true }, "seller"), [])
 * ```
 */
export const allowedMoves = (shipment: Shipment, by: Party): ReadonlyArray<string> => [
  ...allowedOperations(shipment, by).map((name) => operations[name].name),
  ...allowedTargets(shipment, by).map((target) => `status ${target}`)
]
