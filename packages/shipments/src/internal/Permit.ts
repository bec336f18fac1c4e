/**
 * Asks the table: may this move be made, and if not, what is the answer?
 */
import * as Result from "effect/Result"
import type { Ask } from "../Guards.ts"
import { isOperationalStatus } from "../OperationalStatus.ts"
import type { Rejection } from "../Rejection.ts"
import type { RejectionCase } from "../RejectionCodes.ts"
import { isCancelled, isOnTheWayBack, type Shipment } from "../Shipment.ts"
import { type Limits, type Move, type Operation, operations } from "../Transitions.ts"
import { failing, rowOf } from "./Allowed.ts"
import { rejectOperation, rejectReport } from "./Reject.ts"

/**
 * How an operation that the status does not have is rejected, where that is not by the status alone.
 */
const absentAs: { readonly [O in Operation]?: (shipment: Shipment) => RejectionCase } = {
  invoiceSale: (shipment) =>
    isCancelled(shipment)
      ? "cancelled"
      : isOnTheWayBack(shipment)
        ? "notFitting"
        : shipment.invoice !== null
          ? "repeated"
          : "wrongStatus",
  creditNote: (shipment) =>
    shipment.creditNote !== null
      ? "repeated"
      : isOnTheWayBack(shipment) && shipment.status !== "deadstock" && shipment.status !== "bag_lost"
        ? "wrongStatus"
        : "notFitting",
  return: ({ status }) =>
    status === "return_accepted" || status === "credit_note_generated" ? "repeated" : "wrongStatus"
}

const judge = <L extends Limits>(
  limits: L | undefined,
  shipment: Shipment,
  ask: Ask,
  absent: () => Rejection,
  rejected: (rejectedAs: RejectionCase, because: string) => Rejection
): Result.Result<L, Rejection> => {
  if (limits === undefined) return Result.fail(absent())
  if (limits.who !== undefined && limits.who !== ask.by) {
    return Result.fail(rejected("wrongStatus", `only the ${limits.who} may do this`))
  }
  const guard = failing(limits, shipment, ask)
  return guard === undefined ? Result.succeed(limits) : Result.fail(rejected(guard.rejectedAs, guard.says))
}

/**
 * The table's entry for an operation, when the one who asks may make the move.
 */
export const permit = (shipment: Shipment, operation: Operation, ask: Ask): Result.Result<Move, Rejection> => {
  const rejected = (rejectedAs: RejectionCase, because: string) =>
    rejectOperation(shipment, operation, ask.by, rejectedAs, because)
  return judge(
    rowOf(shipment)[operation],
    shipment,
    ask,
    () => {
      const rejectedAs = absentAs[operation] ?? (() => (isCancelled(shipment) ? "cancelled" : "wrongStatus"))
      return rejected(rejectedAs(shipment), `this status does not allow ${operations[operation].name}`)
    },
    rejected
  )
}

/**
 * The same for the status operation.
 */
export const permitReport = (shipment: Shipment, target: string, ask: Ask): Result.Result<Move, Rejection> => {
  const rejected = (rejectedAs: RejectionCase, because: string) =>
    rejectReport(shipment, target, ask.by, rejectedAs, because)
  if (!isOperationalStatus(target)) return Result.fail(rejected("wrongStatus", "that is no status"))
  return judge(
    rowOf(shipment).status?.[target],
    shipment,
    ask,
    () => rejected("wrongStatus", "this status does not lead there"),
    rejected
  ).pipe(Result.map((limits): Move => ({ ...limits, to: target })))
}
