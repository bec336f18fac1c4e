/**
 * Looks a move up in the table, with the units that it names: the rule to follow, or the rejection.
 */
import { type Portion, unitsByItem } from "@crossdock/returns"
import * as Result from "effect/Result"
import type { GuardInput } from "../Guards.ts"
import { isOperationalStatus, operationalStatuses } from "../OperationalStatus.ts"
import type { Rejection, RejectionCase } from "../Rejection.ts"
import { isCancelled, isOnTheWayBack, type Shipment } from "../Shipment.ts"
import type { Move, MoveRule, Operation } from "../Transitions.ts"
import { failedGuard, rowOf } from "./Allowed.ts"
import { type Reason, rejectOperation, rejectReport } from "./Reject.ts"

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

/**
 * Why the rule does not let `input` through, or undefined when it does.
 */
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

/**
 * The table's entry for an operation, when the asking party may make the move.
 */
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

/**
 * The table's entry for a status that is reported, when the asking party may report it.
 */
export const permitReport = (shipment: Shipment, target: string, input: GuardInput): Result.Result<Move, Rejection> => {
  const rejected = (reason: CaseReason) => Result.fail(rejectReport(shipment, target, input.by, reason))
  if (!isOperationalStatus(target)) return rejected({ as: "wrongStatus", because: noSuchStatus })
  const rule = rowOf(shipment).status?.[target]
  if (rule === undefined) return rejected({ as: "wrongStatus" })
  const reason = failedReason(rule, shipment, input)
  return reason === undefined ? Result.succeed({ ...rule, to: target }) : rejected(reason)
}

/**
 * The reason for an item that the shipment does not have.
 */
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
  const stranger = named.find(({ itemId }) => !own.has(itemId))
  if (stranger !== undefined) return rejected(unknownItem(stranger.itemId))
  const merged = mergePortions(shipment, named)
  return merged.length === 0
    ? rejected({ as: "invalidRecord", because: "the request has no units", advice: "Send at least one." })
    : Result.succeed(merged)
}

/**
 * One portion for each item that has any units in `named`, in the order of the shipment's items.
 */
export const mergePortions = (shipment: Shipment, named: ReadonlyArray<Portion>): ReadonlyArray<Portion> => {
  const units = unitsByItem(named)
  return shipment.items
    .map(({ id }) => ({ itemId: id, quantity: units.get(id) ?? 0 }))
    .filter(({ quantity }) => quantity > 0)
}
