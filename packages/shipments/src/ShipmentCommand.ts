/**
 * What may be asked of a shipment: one plain object per operation. Decoders see to it that quantities are whole and at
 * least 1.
 */

import type { Portion } from "@crossdock/returns"
import type { Courier, Invoice, Package, Party, ReportMeta } from "./Shipment.ts"

/**
 * Finalizes the shipment after the cancellations that were needed: names all that is left.
 */
export interface Confirm {
  readonly _tag: "Confirm"
  readonly items: ReadonlyArray<Portion>
}

/**
 * Cancels the units named. When that is not all that is left, they become the shipment `partId`.
 */
export interface Cancel {
  readonly _tag: "Cancel"
  readonly items: ReadonlyArray<Portion & { readonly reasonCode: string | null }>
  readonly partId: string
}

interface InvoiceUpdate {
  readonly invoice: Omit<Invoice, "at">
  /** `quantity` null stands for all that is left of the line. */
  readonly items: ReadonlyArray<{
    readonly itemId: string
    readonly quantity: number | null
    readonly imei: ReadonlyArray<string>
  }>
  /** Replaces the whole list; null leaves it. */
  readonly packages: ReadonlyArray<Package> | null
}

/**
 * invoiceUpdate with invoiceType sale.
 */
export interface InvoiceSale extends InvoiceUpdate {
  readonly _tag: "InvoiceSale"
}

/**
 * invoiceUpdate with invoiceType return.
 */
export interface CreditNote extends InvoiceUpdate {
  readonly _tag: "CreditNote"
}

/**
 * Whoever runs the logistics (`logistics(shipment)`) has named its courier. Sent by services for the courier port; a
 * shipment that the seller ships itself is assigned by its invoice or by its return's beginning.
 */
export interface AssignCourier {
  readonly _tag: "AssignCourier"
  readonly by: Party
  readonly courier: Courier | null
}

export interface Pack {
  readonly _tag: "Pack"
}

/**
 * Hands the bag to the courier. `items` null stands for all that is left, which is also all that may be named.
 */
export interface Dispatch {
  readonly _tag: "Dispatch"
  readonly items: ReadonlyArray<Portion> | null
}

export interface AssignAwb {
  readonly _tag: "AssignAwb"
  readonly by: "seller" | "marketplace"
  readonly awbNumber: string
  readonly courierName: string
  readonly autoDispatch: boolean
}

/**
 * The status operation. `status` is any text: what is no status is rejected like a move that is not allowed.
 * `return_initiated` is asked by `InitiateReturn`; see `reportOrReturn`.
 */
export interface Report {
  readonly _tag: "Report"
  readonly by: "seller" | "marketplace"
  readonly status: string
  readonly meta: ReportMeta
}

/**
 * A line of a return, named by our id or by the marketplace's.
 */
export interface ReturnLine {
  readonly itemId: string | null
  readonly externalLineId: string | null
  readonly quantity: number
  readonly reason: string | null
}

/**
 * The status operation with return_initiated, sent to a delivered shipment: opens the return `newShipmentId`. `items` null
 * stands for all units not yet returned.
 */
export interface InitiateReturn {
  readonly _tag: "InitiateReturn"
  readonly by: "seller" | "marketplace"
  readonly items: ReadonlyArray<ReturnLine> | null
  readonly returnId: string | null
  readonly newShipmentId: string
  readonly meta: ReportMeta
}

/**
 * The return operation: so many units were looked at and are all good or all bad. `items` null stands for all units
 * without a result.
 */
export interface QualityCheck {
  readonly _tag: "QualityCheck"
  readonly items: ReadonlyArray<Portion & { readonly reasonCode: number | string | null }> | null
  readonly bad: boolean
}

/**
 * Rejects every move until `Unlock`.
 */
export interface Lock {
  readonly _tag: "Lock"
}

export interface Unlock {
  readonly _tag: "Unlock"
}

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
  | QualityCheck
  | Lock
  | Unlock

/**
 * The command of one record of the status operation.
 */
export const reportOrReturn = (
  record: Omit<Report, "_tag"> & Omit<InitiateReturn, "_tag">
): Report | InitiateReturn => {
  const { by, items, meta, newShipmentId, returnId, status } = record
  return status === "return_initiated"
    ? { _tag: "InitiateReturn", by, items, returnId, newShipmentId, meta }
    : { _tag: "Report", by, status, meta }
}
