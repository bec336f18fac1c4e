/** The codes and details of rejections. Source: docs/reference/lifecycle.md#codes-per-operation. */
import { type Bulk, frozen } from "@crossdock/kernel"
import type { Operation, OperationFamily } from "./Operations.ts"
import type { Shipment } from "./Shipment.ts"
import { type AnyStatus, isCancelled, isOnTheWayBack } from "./ShipmentStatus.ts"

/**
 * The reasons why an operation is rejected:
 * - `otherLocation`: the shipment is at another location of the company.
 * - `quantity`: the request has more units than are left, or not all units of an operation that requires all.
 * - `repeated`: the operation was already done.
 * - `notFitting`: the operation isn't for such shipments.
 * - `taken`: another shipment uses the number.
 */
export type RejectionCase =
  | "notFound"
  | "otherLocation"
  | "wrongStatus"
  | "cancelled"
  | "quantity"
  | "repeated"
  | "notFitting"
  | "taken"

type Codes = Readonly<Record<"notFound" | "otherLocation", string> & Partial<Record<RejectionCase, string>>>

/** The codes of each operation. `notFound` also applies to an item that the shipment doesn't have. */
export const rejectionCodes = /* @__PURE__ */ frozen({
  confirm: { notFound: "O404", otherLocation: "O422", wrongStatus: "O409", cancelled: "O400", quantity: "O409" },
  cancel: { notFound: "X404", otherLocation: "X422", wrongStatus: "X400", cancelled: "X400", quantity: "X409" },
  invoiceUpdate: {
    notFound: "IN400",
    otherLocation: "IN400",
    wrongStatus: "IN403",
    cancelled: "IN401",
    repeated: "IN453",
    notFitting: "IN422",
    taken: "IN422"
  },
  pack: { notFound: "CR404", otherLocation: "CR422", wrongStatus: "CR400", cancelled: "CR401" },
  courierDetails: { notFound: "C404", otherLocation: "C404" },
  labels: { notFound: "L400", otherLocation: "L400", wrongStatus: "L403" },
  invoice: { notFound: "IN400", otherLocation: "IN400", wrongStatus: "IN403" },
  dispatch: { notFound: "D404", otherLocation: "D422", wrongStatus: "D400", cancelled: "D401", quantity: "D400" },
  awb: {
    notFound: "A404",
    otherLocation: "A404",
    wrongStatus: "A400",
    cancelled: "A400",
    notFitting: "A422",
    taken: "A409"
  },
  status: { notFound: "S404", otherLocation: "S422", wrongStatus: "S400", cancelled: "S400", quantity: "S409" },
  lock: { notFound: "NOT_FOUND", otherLocation: "NOT_FOUND" },
  return: {
    notFound: "R404",
    otherLocation: "R422",
    wrongStatus: "R400",
    cancelled: "R400",
    quantity: "R409",
    repeated: "R409"
  }
} as const satisfies Record<OperationFamily, Codes>)

/** The rejection codes of an operation. */
export type RejectionCode<F extends OperationFamily> = Extract<
  (typeof rejectionCodes)[F][keyof (typeof rejectionCodes)[F]],
  string
>

/** The code of a move that is rejected because its shipment is locked. Source: docs/reference/shipments.md#locked. */
export const shipmentLocked = "SHIPMENT_LOCKED"

/** The code of a record that is malformed. Source: docs/reference/bulk.md#entries. */
export const invalidRecord = "INVALID_RECORD"

/**
 * The code of a rejection. If an operation has no code for the case, its code for a wrong status is used.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { rejectionCode } from "@crossdock/shipments"
 *
 * strictEqual(rejectionCode("pack", "cancelled"), "CR401")
 * ```
 */
export const rejectionCode = <F extends OperationFamily>(family: F, rejectedAs: RejectionCase): RejectionCode<F> => {
  const codes: Codes = rejectionCodes[family]
  return (codes[rejectedAs] ?? codes.wrongStatus ?? codes.notFound) as RejectionCode<F>
}

/** A rejection's details for clients. `steps` is the shortest path to the move. Reports also have `target` and `reason`. */
export type RejectionDetails = {
  readonly current: AnyStatus
  readonly allowed: ReadonlyArray<string>
  readonly steps?: ReadonlyArray<string>
  readonly target?: string
  readonly reason?: "INVALID_TRANSITION"
}

/** The item that caused a rejection, with the name that the command uses for it, and its faulty field. */
export interface ItemFault {
  readonly item: string
  readonly field: "item" | "quantity" | "imei"
}

/** The index of the item's largest portion, which is reported as faulty. It is the last of equal ones, or -1 without any. */
export const faultyPortion = <P extends { readonly quantity?: number | null | undefined }>(
  portions: ReadonlyArray<P>,
  isOfItem: (portion: P) => boolean
): number =>
  portions.reduce((found, portion, at) => {
    const isMore = (portion.quantity ?? 0) >= (portions[found]?.quantity ?? 0)
    return isOfItem(portion) && isMore ? at : found
  }, -1)

/** A field of a record that can cause its rejection and doesn't belong to an item. */
export type RecordField = "status" | "invoiceNumber" | "awb"

/** The reason why a shipment did not move. The shipment is unchanged. */
export interface Rejection extends Bulk.Rejection {
  readonly details: RejectionDetails
  readonly about?: ItemFault
}

/** The reason to reject a move. `because` ends the sentence "Can't confirm shipment 17: …". By default, it is the status. */
export interface RejectionReason {
  readonly as: RejectionCase | "invalidRecord"
  /** A code that replaces the case's code. */
  readonly code?: string | undefined
  readonly because?: string
  readonly advice?: string
  readonly about?: ItemFault | undefined
}

/** A reason with a case, which selects a code of the operation. If an unknown status was sent, `meant` is the likely one. */
export type CaseReason = RejectionReason & { readonly as: RejectionCase; readonly meant?: string | undefined }

/** The reasons besides the status. Source: docs/reference/shipments.md#where-two-codes-fit. */
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

/** The reason to reject an operation that the shipment's status doesn't have. */
export const absentReason = (shipment: Shipment, operation: Operation): CaseReason =>
  absentReasons[operation]?.(shipment) ?? { as: isCancelled(shipment) ? "cancelled" : "wrongStatus" }
