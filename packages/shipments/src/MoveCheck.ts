/** Checks moves against the table. A rejection's message and details give the reason and the shortest path to the move. */
import { type Portion, unitsByItem } from "@crossdock/returns"
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import { type Guard, type GuardInput, guards, type OwnGuard, type QuantityMismatch } from "./Guards.ts"
import { type Move, type MoveRule, type Row, type Rules, standardRules } from "./LifecycleTable.ts"
import { type MoveName, type Operation, operations } from "./Operations.ts"
import type { CaseReason, ItemFault, Rejection, RejectionDetails, RejectionReason } from "./RejectionCodes.ts"
import { absentReason, invalidRecord, rejectionCode, shipmentLocked } from "./RejectionCodes.ts"
import { logistics, type Party, type Shipment } from "./Shipment.ts"
import { type AnyStatus, type OperationalStatus, orderStatuses } from "./ShipmentStatus.ts"

/** The party that requests a move, the named items, and the rules. */
export interface Asking extends GuardInput {
  readonly rules: Rules
}

const rowOf = ({ status }: Shipment, { lifecycle }: Rules): Row => lifecycle.rows[status] ?? {}

/** A guard that isn't met, with its reason. Only a host's guard has a `code`. */
interface UnmetGuard extends Pick<Guard, "advice" | "rejectedAs"> {
  readonly because: string
  readonly mismatch?: QuantityMismatch
  readonly code?: string
}

const unmetGuard = (guard: Guard, shipment: Shipment, input: GuardInput): UnmetGuard | undefined => {
  if ("isMet" in guard) return guard.isMet(shipment, input) ? undefined : { ...guard, because: guard.reason }
  const mismatch = guard.mismatch(shipment, input)
  return mismatch && { ...guard, because: guard.reason(mismatch), mismatch }
}

const isOwnMet = (guard: OwnGuard, shipment: Shipment, { rules: { at, facts }, ...input }: Asking): boolean =>
  guard.isMet(shipment, { ...input, at, facts: facts.get(guard) })

/** Finds the first guard that isn't met. Our guards are checked before the host's. */
const failedGuard = (
  { guards: ids = [] }: MoveRule,
  name: MoveName,
  shipment: Shipment,
  asking: Asking
): UnmetGuard | undefined => {
  for (const id of ids) {
    const unmet = unmetGuard(guards[id], shipment, asking)
    if (unmet !== undefined) return unmet
  }
  const own = asking.rules.lifecycle.guardsOf[name]?.find((one) => !isOwnMet(one, shipment, asking))
  return own && { because: own.says, advice: own.advice, code: own.code, rejectedAs: "wrongStatus" }
}

const isPermitted = (rule: MoveRule, name: MoveName, shipment: Shipment, asking: Asking): boolean =>
  (rule.who === undefined || rule.who === asking.by) && failedGuard(rule, name, shipment, asking) === undefined

/** The statuses that `by` may report of the shipment now. The list is empty while the shipment is locked. */
export const allowedTargets = (
  shipment: Shipment,
  by: Party,
  rules: Rules = standardRules
): ReadonlyArray<AnyStatus> => {
  const { status } = rowOf(shipment, rules)
  if (shipment.locked || status === undefined) return []
  const asking = { by, rules }
  return targetsOf(status)
    .filter(([to, rule]) => isPermitted(rule, `status ${to}`, shipment, asking))
    .map(([to]) => to)
}

const targetsOf = (status: NonNullable<Row["status"]>): ReadonlyArray<[to: AnyStatus, rule: MoveRule]> =>
  Object.entries(status)

const operationNames = Struct.keys(operations)

/** The operations that `by` may request now, besides reports. The list is empty while the shipment is locked. */
const allowedOperations = (shipment: Shipment, by: Party, rules: Rules): ReadonlyArray<Operation> => {
  if (shipment.locked) return []
  const row = rowOf(shipment, rules)
  const asking = { by, rules }
  return operationNames.filter((name) => {
    const move = row[name]
    return (
      move !== undefined && operations[name].by.some((one) => one === by) && isPermitted(move, name, shipment, asking)
    )
  })
}

/**
 * The names of all moves that `by` may make now: operations first, then `status …` for each status that may be reported.
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
export const allowedMoves = (shipment: Shipment, by: Party, rules: Rules = standardRules): ReadonlyArray<string> => [
  ...allowedOperations(shipment, by, rules).map((name) => operations[name].name),
  ...allowedTargets(shipment, by, rules).map((target) => `status ${target}`)
]

type Goal = { readonly operation: Operation } | { readonly target: string }

interface Step {
  readonly move: Goal
  readonly by: Party
}

interface Edge extends Step {
  readonly to: AnyStatus
  readonly reachesGoal: boolean
  readonly opensReturn: boolean
}

/** The seller's courier is assigned with the invoice, and any other courier by the courier port. */
const partiesOf = (shipment: Shipment, operation: Operation): ReadonlyArray<Party> => {
  const ships = logistics(shipment)
  return operation === "assignCourier" ? (ships === "marketplace" ? [] : [ships]) : operations[operation].by
}

/** The party that makes a move: the requesting party if it may, otherwise the first party that may. */
const partyFor = (
  shipment: Shipment,
  rule: MoveRule,
  name: MoveName,
  parties: ReadonlyArray<Party>,
  { by: asking, rules }: Asking
): Party | undefined =>
  [asking, ...parties].find((by) => parties.includes(by) && isPermitted(rule, name, shipment, { by, rules }))

const edgesFrom = (shipment: Shipment, goal: Goal, asking: Asking): ReadonlyArray<Edge> => {
  const row = rowOf(shipment, asking.rules)
  const byOperation = operationNames.flatMap((operation): ReadonlyArray<Edge> => {
    const move = row[operation]
    if (move === undefined) return []
    const by = partyFor(shipment, move, operation, partiesOf(shipment, operation), asking)
    const reachesGoal = "operation" in goal && goal.operation === operation
    return by === undefined ? [] : [{ move: { operation }, by, to: move.to, reachesGoal, opensReturn: false }]
  })
  const byReport = targetsOf(row.status ?? {}).flatMap(([to, rule]): ReadonlyArray<Edge> => {
    const by = partyFor(shipment, rule, `status ${to}`, ["seller", "marketplace"], asking)
    const reachesGoal = "target" in goal && goal.target === to
    const opensReturn = rule.opensReturn === true
    return by === undefined ? [] : [{ move: { target: to }, by, to, reachesGoal, opensReturn }]
  })
  // Among paths of equal length, this order finds a path first that starts with a move of the goal's kind.
  return "target" in goal ? [...byReport, ...byOperation] : [...byOperation, ...byReport]
}

/** Whether a caller makes the move. No caller assigns a courier, since that follows from earlier moves. */
const isCallersMove = ({ move }: Step): boolean => !("operation" in move) || move.operation !== "assignCourier"

/** The shortest list of steps that ends with the goal. It is empty if no path leads to the goal. */
const stepsTo = (shipment: Shipment, goal: Goal, asking: Asking): ReadonlyArray<Step> => {
  const ways: Array<{ readonly at: Shipment; readonly steps: ReadonlyArray<Step> }> = [{ at: shipment, steps: [] }]
  const seen = new Set([shipment.status])
  // This is a breadth-first search: the loop appends to the list that it reads.
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

/** The name of a step in interfaces, such as `pack` or `status bag_picked by the marketplace`. */
const stepName = ({ by, move }: Step, asking: Party): string => {
  const name = "operation" in move ? operations[move.operation].name : `status ${move.target}`
  return by === asking ? name : `${name} by the ${by}`
}

const stepPhrase = ({ by, move }: Step, asking: Party): string => {
  const phrase = "operation" in move ? operations[move.operation].phrase("it") : `set its status to ${move.target}`
  return by === asking ? phrase : `have the ${by} ${phrase}`
}

const rejection = (
  code: string,
  sentences: ReadonlyArray<string | undefined>,
  shipment: Shipment,
  details: Omit<RejectionDetails, "current">,
  about?: ItemFault
): Rejection => ({
  ...(about === undefined ? {} : { about }),
  code,
  message: sentences.filter((one) => one !== undefined).join(" "),
  details: { current: shipment.status, ...details }
})

const anyOf = (texts: ReadonlyArray<string>): string =>
  texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} or ${texts.at(-1)}`

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`

const allowedSentence = (phrases: ReadonlyArray<string>): string =>
  phrases.length === 0 ? "You can't change it now." : `You can ${anyOf(phrases)}.`

const operationPhrases = (shipment: Shipment, { by, rules }: Asking): ReadonlyArray<string> =>
  allowedOperations(shipment, by, rules).map((one) => operations[one].phrase("it"))

const stepsPhrase = (steps: ReadonlyArray<Step>, by: Party): string =>
  steps.map((step) => stepPhrase(step, by)).join(", then ")

const stepsDetail = (steps: ReadonlyArray<Step>, by: Party): Pick<RejectionDetails, "steps"> =>
  steps.length === 0 ? {} : { steps: steps.map((step) => stepName(step, by)) }

/** The rejection of a command while the shipment is locked. Every command but `Unlock` is rejected. */
export const rejectLocked = (shipment: Shipment): Rejection =>
  rejection(
    shipmentLocked,
    [
      `Can't change shipment ${shipment.id} (${shipment.status}): it is locked.`,
      "Try again when its lockStatus is false."
    ],
    shipment,
    { allowed: [] }
  )

export const rejectOperation = (
  shipment: Shipment,
  operation: Operation,
  { by, rules }: Asking,
  { about, advice, as, because, code }: RejectionReason
): Rejection => {
  const { id, status } = shipment
  const asking: Asking = { by, rules }
  const isInvalid = as === "invalidRecord"
  const isMoveOfRow = rowOf(shipment, rules)[operation] !== undefined
  const steps = isInvalid || isMoveOfRow ? [] : stepsTo(shipment, { operation }, asking)
  const { family, phrase } = operations[operation]
  const targets = allowedTargets(shipment, by, rules)
  const instead =
    steps.length > 0
      ? sentence(stepsPhrase(steps, by))
      : because === undefined
        ? allowedSentence([
            ...operationPhrases(shipment, asking),
            ...(targets.length === 0 ? [] : [`set its status to ${anyOf(targets)}`])
          ])
        : undefined
  return rejection(
    isInvalid ? invalidRecord : (code ?? rejectionCode(family, as)),
    [
      because === undefined
        ? `Can't ${phrase(`shipment ${id}`)}: its status is ${status}.`
        : `Can't ${phrase(`shipment ${id} (${status})`)}: ${because}.`,
      advice ?? instead
    ],
    shipment,
    { allowed: allowedMoves(shipment, by, rules), ...stepsDetail(steps, by) },
    about
  )
}

/** Rejects a reported status. `advice` says how to send it correctly. Source: docs/reference/shipments.md#status. */
export const rejectReport = (
  shipment: Shipment,
  target: string,
  { by, rules }: Asking,
  { about, advice, as, because, code, meant = target }: CaseReason
): Rejection => {
  const asking: Asking = { by, rules }
  const permitted = allowedTargets(shipment, by, rules)
  const others = permitted.filter((one) => one !== target)
  const allowed = advice === undefined ? others : permitted
  const isMoveOfRow = Object.hasOwn(rowOf(shipment, rules).status ?? {}, meant)
  const steps = isMoveOfRow ? [] : stepsTo(shipment, { target: meant }, asking)
  const shown = isStatus(rules, target) ? target : JSON.stringify(target)
  return rejection(
    code ?? rejectionCode("status", as),
    [
      `Can't change the status of shipment ${shipment.id} from ${shipment.status} to ${shown}${
        because === undefined ? "" : `: ${because}`
      }.`,
      advice,
      advice !== undefined && others.length === 0
        ? undefined
        : allowedSentence(others.length === 0 ? operationPhrases(shipment, asking) : [`change it to ${anyOf(others)}`]),
      steps.length === 0 ? undefined : `To get to ${meant}: ${stepsPhrase(steps, by)}.`
    ],
    shipment,
    {
      allowed,
      target,
      ...stepsDetail(steps, by),
      ...(as === "wrongStatus" && code === undefined ? { reason: "INVALID_TRANSITION" } : {})
    },
    about
  )
}

const failedReason = (rule: MoveRule, name: MoveName, shipment: Shipment, asking: Asking): CaseReason | undefined => {
  if (rule.who !== undefined && rule.who !== asking.by)
    return { as: "wrongStatus", because: `only the ${rule.who} can do this` }
  const guard = failedGuard(rule, name, shipment, asking)
  if (guard === undefined) return undefined
  const { advice, because, code, mismatch, rejectedAs } = guard
  const field = rejectedAs === "quantity" ? "quantity" : "item"
  return { as: rejectedAs, code, because, advice, about: mismatch && { item: mismatch.item, field } }
}

/** The table's entry for an operation, if the requesting party may make the move. */
export const permitOperation = (
  shipment: Shipment,
  operation: Operation,
  asking: Asking
): Result.Result<Move, Rejection> => {
  const move = rowOf(shipment, asking.rules)[operation]
  const reason =
    move === undefined ? absentReason(shipment, operation) : failedReason(move, operation, shipment, asking)
  return move !== undefined && reason === undefined
    ? Result.succeed(move)
    : Result.fail(rejectOperation(shipment, operation, asking, reason ?? { as: "wrongStatus" }))
}

const isStatus = ({ lifecycle }: Rules, target: string): boolean => Object.hasOwn(lifecycle.rows, target)

/** A reason that lists all statuses, and the likely ones among those that the shipment can reach. */
const noSuchStatus = (shipment: Shipment, target: string, asking: Asking): CaseReason => {
  const { statuses } = asking.rules.lifecycle
  const shown = statuses.filter((one) => orderStatuses[one as OperationalStatus] === target.toUpperCase())
  const alike = shown.length > 0 ? shown : statuses.filter((one) => one.startsWith(target.slice(0, 6).toLowerCase()))
  const near = alike.filter((one) => one !== shipment.status && stepsTo(shipment, { target: one }, asking).length > 0)
  const [meant] = near.length === 1 ? near : []
  return {
    as: "wrongStatus",
    because: `this is not an operational status${near.length === 0 ? "" : ` (did you mean ${near.join(" or ")}?)`}, and an order status such as DELIVERED can't be set. Operational statuses are ${statuses.join(", ")}`,
    meant
  }
}

/** The table's entry for a reported status, if the requesting party may report it. */
export const permitReport = (shipment: Shipment, target: string, asking: Asking): Result.Result<Move, Rejection> => {
  const { rules } = asking
  const rejected = (reason: CaseReason) => Result.fail(rejectReport(shipment, target, asking, reason))
  if (!isStatus(rules, target)) return rejected(noSuchStatus(shipment, target, asking))
  const rule = rowOf(shipment, rules).status?.[target]
  if (rule === undefined) return rejected({ as: "wrongStatus" })
  const reason = failedReason(rule, `status ${target}`, shipment, asking)
  return reason === undefined ? Result.succeed({ ...rule, to: target }) : rejected(reason)
}

const mostItems = 10

/** The reason to reject an unknown item. `own` are names of the shipment's items, of the same kind as the sent name. */
export const unknownItem = (
  sent: string,
  own: ReadonlyArray<string>
): RejectionReason & { readonly as: "notFound" } => ({
  as: "notFound",
  because: `it has no item ${JSON.stringify(sent)}`,
  advice: `Its items are ${own.slice(0, mostItems).join(", ")}${own.length > mostItems ? ", …" : ""}.`,
  about: { item: sent, field: "item" }
})

/** One portion per item, in the shipment's order. Fails if the shipment lacks a named item, or if no units are named. */
export const namedPortions = (
  shipment: Shipment,
  operation: Operation,
  named: ReadonlyArray<Portion>,
  rules: Rules
): Result.Result<ReadonlyArray<Portion>, Rejection> => {
  const rejected = (reason: RejectionReason) =>
    Result.fail(rejectOperation(shipment, operation, { by: "seller", rules }, reason))
  const own = new Set(shipment.items.map(({ id }) => id))
  const unknown = named.find(({ itemId }) => !own.has(itemId))
  if (unknown !== undefined) return rejected(unknownItem(unknown.itemId, [...own]))
  const merged = mergePortions(shipment, named)
  return merged.length === 0
    ? rejected({ as: "invalidRecord", because: "the request has no units", advice: "Send at least one." })
    : Result.succeed(merged)
}

/** One portion for each item that has units in `named`, in the shipment's order. */
export const mergePortions = (shipment: Shipment, named: ReadonlyArray<Portion>): ReadonlyArray<Portion> => {
  const units = unitsByItem(named)
  return shipment.items
    .map(({ id }) => ({ itemId: id, quantity: units.get(id) ?? 0 }))
    .filter(({ quantity }) => quantity > 0)
}
