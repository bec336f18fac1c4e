/**
 * Looks a move up in the table, with the units that it names: the rule to follow, or the rejection. A rejection has a code, a
 * message that says what can't be done, why, and what to do instead, and the same as details for programs.
 */
import { type Portion, unitsByItem } from "@crossdock/returns"
import * as Result from "effect/Result"
import {
  allowedMoves,
  allowedOperations,
  allowedTargets,
  failedGuard,
  rowOf,
  type Step,
  stepName,
  stepPhrase,
  stepsTo
} from "./AllowedMoves.ts"
import type { GuardInput } from "./Guards.ts"
import {
  type ItemFault,
  invalidRecord,
  type Rejection,
  type RejectionCase,
  type RejectionDetails,
  rejectionCode,
  shipmentLocked
} from "./Rejection.ts"
import type { Party, Shipment } from "./Shipment.ts"
import { isCancelled, isOnTheWayBack, isOperationalStatus, operationalStatuses } from "./ShipmentStatus.ts"
import { type Move, type MoveRule, type Operation, operations } from "./Transitions.ts"

/**
 * Why a move is rejected. `because` ends the sentence "Can't confirm shipment 17: …"; without it the reason is the
 * shipment's status. `advice` says how to send it right. `invalidRecord` is a record that contradicts itself or the
 * shipment's items.
 */
export interface Reason {
  readonly as: RejectionCase | "invalidRecord"
  readonly because?: string
  readonly advice?: string
  readonly about?: ItemFault | undefined
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

/** "a", "a or b", "a, b or c". */
const anyOf = (texts: ReadonlyArray<string>): string =>
  texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} or ${texts.at(-1)}`

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`

const allowedSentence = (phrases: ReadonlyArray<string>): string =>
  phrases.length === 0 ? "You can't change it now." : `You can ${anyOf(phrases)}.`

const operationPhrases = (shipment: Shipment, by: Party): ReadonlyArray<string> =>
  allowedOperations(shipment, by).map((one) => operations[one].phrase("it"))

const stepsPhrase = (steps: ReadonlyArray<Step>, by: Party): string =>
  steps.map((step) => stepPhrase(step, by)).join(", then ")

const stepsDetail = (steps: ReadonlyArray<Step>, by: Party): Pick<RejectionDetails, "steps"> =>
  steps.length === 0 ? {} : { steps: steps.map((step) => stepName(step, by)) }

/** Every command but `Unlock` is rejected while the shipment is locked. */
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
  by: Party,
  { about, advice, as, because }: Reason
): Rejection => {
  const { id, status } = shipment
  const isInvalid = as === "invalidRecord"
  const steps = isInvalid || rowOf(shipment)[operation] !== undefined ? [] : stepsTo(shipment, { operation }, by)
  const { family, phrase } = operations[operation]
  const targets = allowedTargets(shipment, by)
  const instead =
    steps.length > 0
      ? sentence(stepsPhrase(steps, by))
      : because === undefined
        ? allowedSentence([
            ...operationPhrases(shipment, by),
            ...(targets.length === 0 ? [] : [`set its status to ${anyOf(targets)}`])
          ])
        : undefined
  return rejection(
    isInvalid ? invalidRecord : rejectionCode(family, as),
    [
      because === undefined
        ? `Can't ${phrase(`shipment ${id}`)}: its status is ${status}.`
        : `Can't ${phrase(`shipment ${id} (${status})`)}: ${because}.`,
      advice ?? instead
    ],
    shipment,
    { allowed: allowedMoves(shipment, by), ...stepsDetail(steps, by) },
    about
  )
}

/**
 * A rejection of the status operation. The message names both statuses and every status that is allowed instead. `advice`
 * says how to send the same status right; without it that status is not among the allowed ones. Source:
 * docs/reference/shipments.md#status.
 */
export const rejectReport = (
  shipment: Shipment,
  target: string,
  by: Party,
  { about, advice, as, because }: Reason & { readonly as: RejectionCase }
): Rejection => {
  const others = allowedTargets(shipment, by).filter((one) => one !== target)
  const allowed = advice === undefined ? others : allowedTargets(shipment, by)
  const isMoveOfRow = Object.hasOwn(rowOf(shipment).status ?? {}, target)
  const steps = isMoveOfRow ? [] : stepsTo(shipment, { target }, by)
  const shown = isOperationalStatus(target) ? target : JSON.stringify(target)
  return rejection(
    rejectionCode("status", as),
    [
      `Can't change the status of shipment ${shipment.id} from ${shipment.status} to ${shown}${
        because === undefined ? "" : `: ${because}`
      }.`,
      advice,
      advice !== undefined && others.length === 0
        ? undefined
        : allowedSentence(others.length === 0 ? operationPhrases(shipment, by) : [`change it to ${anyOf(others)}`]),
      steps.length === 0 ? undefined : `To get to ${shown}: ${stepsPhrase(steps, by)}.`
    ],
    shipment,
    {
      allowed,
      target,
      ...stepsDetail(steps, by),
      ...(as === "wrongStatus" ? { reason: "INVALID_TRANSITION" } : {})
    },
    about
  )
}

type CaseReason = Reason & { readonly as: RejectionCase }

/**
 * Why an operation is rejected that the status does not have, where the status alone is not the reason. Source:
 * docs/reference/shipments.md#where-two-codes-fit.
 */
const absentReasons: { readonly [O in Operation]?: (shipment: Shipment) => CaseReason } = {
  invoiceSale: (shipment) =>
    isCancelled(shipment)
      ? { as: "cancelled" }
      : isOnTheWayBack(shipment)
        ? {
            as: "notFitting",
            because: "it is on its way back, and only a shipment on its way out is invoiced",
            advice: "For a credit note send invoiceType return."
          }
        : shipment.invoice !== null
          ? { as: "repeated", because: "it already has an invoice" }
          : { as: "wrongStatus" },
  creditNote: (shipment) =>
    shipment.creditNote !== null
      ? { as: "repeated", because: "it already has a credit note" }
      : isOnTheWayBack(shipment) && shipment.status !== "deadstock" && shipment.status !== "bag_lost"
        ? { as: "wrongStatus" }
        : {
            as: "notFitting",
            because: "only an accepted return and a shipment cancelled after invoicing get a credit note",
            advice: "For a sale send invoiceType sale."
          },
  return: ({ status }) =>
    status === "return_accepted" || status === "credit_note_generated"
      ? { as: "repeated", because: "all its units have been checked" }
      : { as: "wrongStatus" }
}

const absentReason = (shipment: Shipment, operation: Operation): CaseReason =>
  absentReasons[operation]?.(shipment) ?? { as: isCancelled(shipment) ? "cancelled" : "wrongStatus" }

/** Why the rule does not let `input` through, or undefined when it does. */
const failedReason = (rule: MoveRule, shipment: Shipment, input: GuardInput): CaseReason | undefined => {
  if (rule.who !== undefined && rule.who !== input.by) {
    return { as: "wrongStatus", because: `only the ${rule.who} can do this` }
  }
  const guard = failedGuard(rule, shipment, input)
  if (guard === undefined) return undefined
  const { advice, because, mismatch, rejectedAs } = guard
  const field = rejectedAs === "quantity" ? "quantity" : "item"
  return { as: rejectedAs, because, advice, about: mismatch && { item: mismatch.item, field } }
}

/** The table's entry for an operation, when the asking party may make the move. */
export const permitOperation = (
  shipment: Shipment,
  operation: Operation,
  input: GuardInput
): Result.Result<Move, Rejection> => {
  const move = rowOf(shipment)[operation]
  if (move === undefined) {
    return Result.fail(rejectOperation(shipment, operation, input.by, absentReason(shipment, operation)))
  }
  const reason = failedReason(move, shipment, input)
  return reason === undefined
    ? Result.succeed(move)
    : Result.fail(rejectOperation(shipment, operation, input.by, reason))
}

const noSuchStatus = `this is not an operational status, and an order status such as DELIVERED can't be set. Operational statuses are ${operationalStatuses.join(", ")}`

/** The table's entry for a status that is reported, when the asking party may report it. */
export const permitReport = (shipment: Shipment, target: string, input: GuardInput): Result.Result<Move, Rejection> => {
  const rejected = (reason: CaseReason) => Result.fail(rejectReport(shipment, target, input.by, reason))
  if (!isOperationalStatus(target)) return rejected({ as: "wrongStatus", because: noSuchStatus })
  const rule = rowOf(shipment).status?.[target]
  if (rule === undefined) return rejected({ as: "wrongStatus" })
  const reason = failedReason(rule, shipment, input)
  return reason === undefined ? Result.succeed({ ...rule, to: target }) : rejected(reason)
}

/** The reason for an item that the shipment does not have. */
export const unknownItem = (itemId: string): Reason & { readonly as: "notFound" } => ({
  as: "notFound",
  because: `it has no item ${JSON.stringify(itemId)}`,
  advice: "Send items of this shipment.",
  about: { item: itemId, field: "item" }
})

/**
 * The units named for an operation of the seller: one portion an item, in the order of the shipment's items. Fails when an
 * item is not the shipment's, or when no units are named.
 */
export const namedPortions = (
  shipment: Shipment,
  operation: Operation,
  named: ReadonlyArray<Portion>
): Result.Result<ReadonlyArray<Portion>, Rejection> => {
  const rejected = (reason: Reason) => Result.fail(rejectOperation(shipment, operation, "seller", reason))
  const own = new Set(shipment.items.map(({ id }) => id))
  const unknown = named.find(({ itemId }) => !own.has(itemId))
  if (unknown !== undefined) return rejected(unknownItem(unknown.itemId))
  const merged = mergePortions(shipment, named)
  return merged.length === 0
    ? rejected({ as: "invalidRecord", because: "the request has no units", advice: "Send at least one." })
    : Result.succeed(merged)
}

/** One portion for each item that has any units in `named`, in the order of the shipment's items. */
export const mergePortions = (shipment: Shipment, named: ReadonlyArray<Portion>): ReadonlyArray<Portion> => {
  const units = unitsByItem(named)
  return shipment.items
    .map(({ id }) => ({ itemId: id, quantity: units.get(id) ?? 0 }))
    .filter(({ quantity }) => quantity > 0)
}
