/**
 * The shortest way from where a shipment is to what was asked of it.
 */
import * as Struct from "effect/Struct"
import { type OperationalStatus, operationalStatuses } from "../OperationalStatus.ts"
import { logistics, type Party, type Shipment } from "../Shipment.ts"
import { type Limits, type Operation, operations } from "../Transitions.ts"
import { may, rowOf } from "./Allowed.ts"

/**
 * What was asked: an operation, or the status operation with a target.
 */
export type Goal = { readonly operation: Operation } | { readonly target: string }

interface Step {
  readonly name: string
  /** Who may make it. */
  readonly by: Party
  readonly to: OperationalStatus
  /** It happens by itself as soon as it can. */
  readonly silent: boolean
  readonly reaches: boolean
  readonly opensReturn: boolean
}

/**
 * A courier is assigned by the port, or with the invoice when the seller is its own.
 */
const makers = (shipment: Shipment, operation: Operation): ReadonlyArray<Party> => {
  const ships = logistics(shipment)
  return operation === "assignCourier" ? (ships === "marketplace" ? [] : [ships]) : operations[operation].by
}

/**
 * The one who asks comes first among those who may.
 */
const maker = (shipment: Shipment, limits: Limits, parties: ReadonlyArray<Party>, asking: Party): Party | undefined =>
  [asking, ...parties].find((by) => parties.includes(by) && may(limits, shipment, { by }))

const stepsFrom = (shipment: Shipment, goal: Goal, asking: Party): ReadonlyArray<Step> => {
  const { status = {}, ...moves } = rowOf(shipment)
  const operated = Struct.keys(operations).flatMap((operation): ReadonlyArray<Step> => {
    const move = moves[operation]
    const by = move === undefined ? undefined : maker(shipment, move, makers(shipment, operation), asking)
    if (move === undefined || by === undefined) return []
    const reaches = "operation" in goal && goal.operation === operation
    const silent = operation === "assignCourier"
    return [{ name: operations[operation].name, by, to: move.to, silent, reaches, opensReturn: false }]
  })
  const reported = operationalStatuses.flatMap((to): ReadonlyArray<Step> => {
    const limits: Limits | undefined = status[to]
    const by = limits === undefined ? undefined : maker(shipment, limits, ["seller", "marketplace"], asking)
    if (limits === undefined || by === undefined) return []
    const reaches = "target" in goal && goal.target === to
    return [{ name: `status ${to}`, by, to, silent: false, reaches, opensReturn: limits.opensReturn === true }]
  })
  // Of ways that are equally long, the one by what was used for asking.
  return "target" in goal ? [...reported, ...operated] : [...operated, ...reported]
}

const told = (step: Step, asking: Party): string => (step.by === asking ? step.name : `${step.name} by the ${step.by}`)

/**
 * The steps in words, what was asked being the last; none when no way leads there. Steps that follow by themselves are
 * left out.
 */
export const wayTo = (shipment: Shipment, goal: Goal, asking: Party): ReadonlyArray<string> => {
  const ways: Array<{ readonly at: Shipment; readonly steps: ReadonlyArray<Step> }> = [{ at: shipment, steps: [] }]
  const seen = new Set([shipment.status])
  // The list grows while it is read: nearer statuses come before farther ones.
  for (const { at, steps } of ways) {
    const next = stepsFrom(at, goal, asking)
    const last = next.find(({ reaches }) => reaches)
    if (last !== undefined) {
      return [...steps, last].filter(({ silent }) => !silent).map((step) => told(step, asking))
    }
    for (const step of next) {
      if (seen.has(step.to) || step.opensReturn) continue
      seen.add(step.to)
      ways.push({ at: { ...at, status: step.to }, steps: [...steps, step] })
    }
  }
  return []
}
