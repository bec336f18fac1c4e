/** The commands of a shipment, as plain objects. Decoders ensure that quantities are whole numbers from 1. */
import type { Portion } from "@crossdock/returns"
import type { Courier, Invoice, Package, Party, ReportMeta } from "./Shipment.ts"

/** Confirms the shipment. `items` must name all units that are left after cancellations. */
export interface Confirm {
  readonly _tag: "Confirm"
  readonly items: ReadonlyArray<Portion>
}

/** Cancels units. If some units are left, the cancelled ones become the shipment `partId`. Reasons are texts or codes. */
export interface Cancel {
  readonly _tag: "Cancel"
  readonly items: ReadonlyArray<Portion & { readonly reasonCode: string | null }>
  readonly partId: string
}

interface InvoiceUpdate {
  /** The invoice. If its `number` is empty, the host gives it a number. */
  readonly invoice: Omit<Invoice, "at" | "seller">
  /** The invoiced items. A `quantity` of null means all units of the item that are left. */
  readonly items: ReadonlyArray<{
    readonly itemId: string
    readonly quantity: number | null
    readonly imei: ReadonlyArray<string>
  }>
  /** Replaces the whole list of packages. Null leaves the list unchanged. */
  readonly packages: ReadonlyArray<Package> | null
}

/** Records the invoice of the sale. Interfaces call this invoiceUpdate with the invoiceType sale. */
export interface InvoiceSale extends InvoiceUpdate {
  readonly _tag: "InvoiceSale"
}

/** Records the credit note. Interfaces call this invoiceUpdate with the invoiceType return. */
export interface CreditNote extends InvoiceUpdate {
  readonly _tag: "CreditNote"
}

/** Assigns the courier. `by` is `logistics(shipment)`. If `courier` is null, only the status changes. */
export interface AssignCourier {
  readonly _tag: "AssignCourier"
  readonly by: Party
  readonly courier: Courier | null
}

export interface Pack {
  readonly _tag: "Pack"
}

/** Hands the bag to the courier. `items` must name all units that are left. Null means the same. */
export interface Dispatch {
  readonly _tag: "Dispatch"
  readonly items: ReadonlyArray<Portion> | null
}

/** Stores the AWB number and its courier. With `autoDispatch` it also dispatches the bag. */
export interface AssignAwb {
  readonly _tag: "AssignAwb"
  readonly by: "seller" | "marketplace"
  readonly awbNumber: string
  readonly courierName: string
  readonly autoDispatch: boolean
}

/** Reports a status. Make the command with `reportOrReturn` if the status may be `return_initiated`. */
export interface Report {
  readonly _tag: "Report"
  readonly by: "seller" | "marketplace"
  readonly status: string
  /** The marketplace's own id of the return that the report concerns. */
  readonly returnId?: string | null
  readonly meta: ReportMeta
}

/** An item of a return. It is named by our id, the marketplace's id, or both. */
export interface ReturnLine {
  readonly itemId: string | null
  readonly externalLineId: string | null
  readonly quantity: number
  readonly reason: string | null
}

/** Opens a return as the shipment `newShipmentId`. If `items` is null, it has all units that aren't returned yet. */
export interface InitiateReturn {
  readonly _tag: "InitiateReturn"
  readonly by: "seller" | "marketplace"
  readonly items: ReadonlyArray<ReturnLine> | null
  readonly returnId: string | null
  readonly newShipmentId: string
  readonly meta: ReportMeta
}

/** Records a quality check. An item's `bad` overrides the command's. If `items` is null, it covers all unchecked units. */
export interface CheckQuality {
  readonly _tag: "CheckQuality"
  readonly items: ReadonlyArray<
    Portion & { readonly reasonCode: number | string | null; readonly bad?: boolean }
  > | null
  readonly bad: boolean
}

/** Locks the shipment: every move is rejected until `Unlock`. */
export interface Lock {
  readonly _tag: "Lock"
}

/** Ends the lock of the shipment. */
export interface Unlock {
  readonly _tag: "Unlock"
}

/** Any command to change a shipment. */
export type ShipmentCommand =
  | Confirm
  | Cancel
  | InvoiceSale
  | CreditNote
  | AssignCourier
  | Pack
  | Dispatch
  | AssignAwb
  | Report
  | InitiateReturn
  | CheckQuality
  | Lock
  | Unlock

/**
 * Makes the command for one record of the status operation: a `Report`, or an `InitiateReturn`.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { noMeta, reportOrReturn } from "@crossdock/shipments"
 *
 * const record = { by: "marketplace", items: null, returnId: "R-1", newShipmentId: "18", meta: noMeta } as const
 * const statuses = ["delivery_done", "return_initiated"]
 * deepStrictEqual(
 *   statuses.map((status) => reportOrReturn({ ...record, status })._tag),
 *   ["Report", "InitiateReturn"]
 * )
 * ```
 */
export const reportOrReturn = (
  record: Omit<Report, "_tag"> & Omit<InitiateReturn, "_tag">
): Report | InitiateReturn => {
  const { by, items, meta, newShipmentId, returnId, status } = record
  return status === "return_initiated"
    ? { _tag: "InitiateReturn", by, items, returnId, newShipmentId, meta }
    : { _tag: "Report", by, status, returnId, meta }
}
