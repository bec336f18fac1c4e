/**
 * Reads the table of moves: which moves a party may make with a shipment in its present state.
 */
import * as Struct from "effect/Struct"
import { type Ask, type Guard, guards } from "../Guards.ts"
import { type OperationalStatus, operationalStatuses } from "../OperationalStatus.ts"
import type { Party, Shipment } from "../Shipment.ts"
import { type MoveRule, type Operation, operations, type Row, transitions } from "../Transitions.ts"

export const rowOf = (shipment: Shipment): Row => transitions[shipment.status]

/**
 * The first guard of the rule that is not met.
 */
export const failedGuard = (rule: MoveRule, shipment: Shipment, ask: Ask): Guard | undefined =>
  rule.guards?.map((id): Guard => guards[id]).find((guard) => !guard.isMet(shipment, ask))

export const isPermitted = (rule: MoveRule | undefined, shipment: Shipment, ask: Ask): boolean =>
  rule !== undefined &&
  (rule.who === undefined || rule.who === ask.by) &&
  failedGuard(rule, shipment, ask) === undefined

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
        (name) => askers(name).includes(by) && isPermitted(rowOf(shipment)[name], shipment, { by })
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

const askers = (name: Operation): ReadonlyArray<Party> => operations[name].by
