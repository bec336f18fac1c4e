/**
 * Which moves a party may make with a shipment now, read from the table of moves; and the shortest way to a move that its status
 * does not allow.
 */
import * as Struct from "effect/Struct"
import { type Guard, type GuardInput, guards, type QuantityMismatch } from "./Guards.ts"
import { logistics, type Party, type Shipment } from "./Shipment.ts"
import { type OperationalStatus, operationalStatuses } from "./ShipmentStatus.ts"
import { type MoveRule, type Operation, operations, type Row, transitions } from "./Transitions.ts"

export const rowOf = (shipment: Shipment): Row => transitions[shipment.status]

/** A guard that is not met, and why. */
interface UnmetGuard extends Pick<Guard, "advice" | "rejectedAs"> {
  readonly because: string
  readonly mismatch?: QuantityMismatch
}

const unmetGuards = (guard: Guard, shipment: Shipment, input: GuardInput): ReadonlyArray<UnmetGuard> => {
  if ("isMet" in guard) return guard.isMet(shipment, input) ? [] : [{ ...guard, because: guard.reason }]
  const mismatch = guard.mismatch(shipment, input)
  return mismatch === undefined ? [] : [{ ...guard, because: guard.reason(mismatch), mismatch }]
}

/** The first guard of the rule that is not met. */
export const failedGuard = (
  { guards: ids = [] }: MoveRule,
  shipment: Shipment,
  input: GuardInput
): UnmetGuard | undefined => ids.flatMap((id) => unmetGuards(guards[id], shipment, input))[0]

export const isPermitted = (rule: MoveRule | undefined, shipment: Shipment, input: GuardInput): boolean =>
  rule !== undefined &&
  (rule.who === undefined || rule.who === input.by) &&
  failedGuard(rule, shipment, input) === undefined

/** The statuses that `by` may report of the shipment now; none while it is locked. */
export const allowedTargets = (shipment: Shipment, by: Party): ReadonlyArray<OperationalStatus> =>
  shipment.locked
    ? []
    : operationalStatuses.filter((target) => isPermitted(rowOf(shipment).status?.[target], shipment, { by }))

/** The operations that `by` may ask of the shipment now, besides reporting a status; none while it is locked. */
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

/** A move as it is asked: an operation, or the status operation with a target. */
type Goal = { readonly operation: Operation } | { readonly target: string }

/** One move on the way, and the party that makes it. */
export interface Step {
  readonly move: Goal
  readonly by: Party
}

interface Edge extends Step {
  readonly to: OperationalStatus
  readonly reachesGoal: boolean
  readonly opensReturn: boolean
}

/**
 * The parties that may make an operation. A courier is assigned by the port, or with the invoice when the seller is its
 * own courier.
 */
const partiesOf = (shipment: Shipment, operation: Operation): ReadonlyArray<Party> => {
  const ships = logistics(shipment)
  return operation === "assignCourier" ? (ships === "marketplace" ? [] : [ships]) : operations[operation].by
}

/** The party that makes a move: the asking one if it may, else the first that may. */
const partyFor = (
  shipment: Shipment,
  rule: MoveRule,
  parties: ReadonlyArray<Party>,
  asking: Party
): Party | undefined => [asking, ...parties].find((by) => parties.includes(by) && isPermitted(rule, shipment, { by }))

const edgesFrom = (shipment: Shipment, goal: Goal, asking: Party): ReadonlyArray<Edge> => {
  const { status = {}, ...moves } = rowOf(shipment)
  const byOperation = Struct.keys(operations).flatMap((operation): ReadonlyArray<Edge> => {
    const move = moves[operation]
    const by = move === undefined ? undefined : partyFor(shipment, move, partiesOf(shipment, operation), asking)
    if (move === undefined || by === undefined) return []
    const reachesGoal = "operation" in goal && goal.operation === operation
    return [{ move: { operation }, by, to: move.to, reachesGoal, opensReturn: false }]
  })
  const byReport = operationalStatuses.flatMap((to): ReadonlyArray<Edge> => {
    const rule: MoveRule | undefined = status[to]
    const by = rule === undefined ? undefined : partyFor(shipment, rule, ["seller", "marketplace"], asking)
    if (rule === undefined || by === undefined) return []
    const reachesGoal = "target" in goal && goal.target === to
    return [{ move: { target: to }, by, to, reachesGoal, opensReturn: rule.opensReturn === true }]
  })
  // Of two ways of the same length, the one that starts like the goal is found first.
  return "target" in goal ? [...byReport, ...byOperation] : [...byOperation, ...byReport]
}

/** Assigning a courier is no step for a caller: it follows from the moves before it. */
const isCallersMove = ({ move }: Step): boolean => !("operation" in move) || move.operation !== "assignCourier"

/** The steps to the goal, the goal itself being the last; empty when no way leads there. */
export const stepsTo = (shipment: Shipment, goal: Goal, asking: Party): ReadonlyArray<Step> => {
  const ways: Array<{ readonly at: Shipment; readonly steps: ReadonlyArray<Step> }> = [{ at: shipment, steps: [] }]
  const seen = new Set([shipment.status])
  // A breadth-first search: the list grows while it is read.
  for (const { at, steps } of ways) {
    const edges = edgesFrom(at, goal, asking)
    const last = edges.find(({ reachesGoal }) => reachesGoal)
    if (last !== undefined) return [...steps, last].filter(isCallersMove)
    for (const edge of edges) {
      if (seen.has(edge.to) || edge.opensReturn) continue
      seen.add(edge.to)
      ways.push({ at: { ...at, status: edge.to }, steps: [...steps, edge] })
    }
  }
  return []
}

/** A step by the names that interfaces use: `pack`, `status bag_picked by the marketplace`. */
export const stepName = ({ by, move }: Step, asking: Party): string => {
  const name = "operation" in move ? operations[move.operation].name : `status ${move.target}`
  return by === asking ? name : `${name} by the ${by}`
}

/** A step as an imperative: "pack it", "have the marketplace set its status to bag_picked". */
export const stepPhrase = ({ by, move }: Step, asking: Party): string => {
  const phrase = "operation" in move ? operations[move.operation].phrase("it") : `set its status to ${move.target}`
  return by === asking ? phrase : `have the ${by} ${phrase}`
}
