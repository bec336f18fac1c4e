/**
 * Reads the table for a shipment as it is: what may be asked of it now?
 */
import * as Struct from "effect/Struct"
import { type Ask, type Guard, guards } from "../Guards.ts"
import { type OperationalStatus, operationalStatuses } from "../OperationalStatus.ts"
import type { Party, Shipment } from "../Shipment.ts"
import { type Limits, type Operation, operations, type Row, transitions } from "../Transitions.ts"

export const rowOf = (shipment: Shipment): Row => transitions[shipment.status]

/**
 * The first guard that does not hold.
 */
export const failing = (limits: Limits, shipment: Shipment, ask: Ask): Guard | undefined =>
  limits.guards?.map((id): Guard => guards[id]).find((guard) => !guard.holds(shipment, ask))

export const may = (limits: Limits | undefined, shipment: Shipment, ask: Ask): boolean =>
  limits !== undefined &&
  (limits.who === undefined || limits.who === ask.by) &&
  failing(limits, shipment, ask) === undefined

/**
 * The statuses that `by` may send to the shipment as it is.
 */
export const allowedTargets = (shipment: Shipment, by: Party): ReadonlyArray<OperationalStatus> =>
  shipment.locked ? [] : operationalStatuses.filter((target) => may(rowOf(shipment).status?.[target], shipment, { by }))

/**
 * Everything that `by` may ask of the shipment as it is, in words.
 */
export const allowedMoves = (shipment: Shipment, by: Party): ReadonlyArray<string> =>
  shipment.locked
    ? []
    : [
        ...Struct.keys(operations)
          .filter((name) => askers(name).includes(by) && may(rowOf(shipment)[name], shipment, { by }))
          .map((name) => operations[name].name),
        ...allowedTargets(shipment, by).map((target) => `status ${target}`)
      ]

const askers = (name: Operation): ReadonlyArray<Party> => operations[name].by
