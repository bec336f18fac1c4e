/** A shipment's commands: one plain object per operation. Decoders ensure that quantities are whole and at least 1. */
import type { Portion } from "@crossdock/returns"
import type * as Result from "effect/Result"
import type { Facts } from "./Guards.ts"
import type { Table } from "./LifecycleTable.ts"
import type { Rejection } from "./RejectionCodes.ts"
import type { Courier, Invoice, Package, Party, ReportMeta, Shipment } from "./Shipment.ts"
import type { ShipmentEvent } from "./ShipmentEvent.ts"

/** Confirms the shipment. `items` must name all units left after cancellations. */
export interface Confirm {
  readonly _tag: "Confirm"
  readonly items: ReadonlyArray<Portion>
}

/** Cancels units. Unless they are all that is left, they become shipment `partId`. Reasons are the seller's texts or codes. */
export interface Cancel {
  readonly _tag: "Cancel"
  readonly items: ReadonlyArray<Portion & { readonly reasonCode: string | null }>
  readonly partId: string
}

interface InvoiceUpdate {
  /** An empty `number` waits for the host's. */
  readonly invoice: Omit<Invoice, "at" | "seller">
  /** `quantity` null means all that is left of the item. */
  readonly items: ReadonlyArray<{
    readonly itemId: string
    readonly quantity: number | null
    readonly imei: ReadonlyArray<string>
  }>
  /** Replaces the whole list; null leaves it unchanged. */
  readonly packages: ReadonlyArray<Package> | null
}

/** Records the sale's invoice: invoiceUpdate with invoiceType sale. */
export interface InvoiceSale extends InvoiceUpdate {
  readonly _tag: "InvoiceSale"
}

/** Records the credit note: invoiceUpdate with invoiceType return. */
export interface CreditNote extends InvoiceUpdate {
  readonly _tag: "CreditNote"
}

/**
 * Assigns the courier. `by` is the party that runs the logistics (`logistics(shipment)`). Services send it for the courier
 * port; a self-shipped shipment is assigned with its invoice, or when its return is opened.
 */
export interface AssignCourier {
  readonly _tag: "AssignCourier"
  readonly by: Party
  readonly courier: Courier | null
}

export interface Pack {
  readonly _tag: "Pack"
}

/** Hands the bag to the courier. `items` must name all units left; null means the same. */
export interface Dispatch {
  readonly _tag: "Dispatch"
  readonly items: ReadonlyArray<Portion> | null
}

/** Stores the AWB number and its courier, and with `autoDispatch` also dispatches the bag. */
export interface AssignAwb {
  readonly _tag: "AssignAwb"
  readonly by: "seller" | "marketplace"
  readonly awbNumber: string
  readonly courierName: string
  readonly autoDispatch: boolean
}

/** Reports a status. An unknown one is rejected like a forbidden move. `reportOrReturn` makes `return_initiated` a return. */
export interface Report {
  readonly _tag: "Report"
  readonly by: "seller" | "marketplace"
  readonly status: string
  /** The marketplace's own id of the return in question. */
  readonly returnId?: string | null
  readonly meta: ReportMeta
}

/** An item of a return, by our id, the marketplace's, or both. */
export interface ReturnLine {
  readonly itemId: string | null
  readonly externalLineId: string | null
  readonly quantity: number
  readonly reason: string | null
}

/** Opens a delivered shipment's return as `newShipmentId` (status return_initiated). Null `items`: all not yet returned. */
export interface InitiateReturn {
  readonly _tag: "InitiateReturn"
  readonly by: "seller" | "marketplace"
  readonly items: ReadonlyArray<ReturnLine> | null
  readonly returnId: string | null
  readonly newShipmentId: string
  readonly meta: ReportMeta
}

/** A quality check: units are bad or good. An item's `bad` overrides the command's. Null `items`: all without a result. */
export interface CheckQuality {
  readonly _tag: "CheckQuality"
  readonly items: ReadonlyArray<
    Portion & { readonly reasonCode: number | string | null; readonly bad?: boolean }
  > | null
  readonly bad: boolean
}

/** Rejects every move until `Unlock`. */
export interface Lock {
  readonly _tag: "Lock"
}

/** Ends a lock. */
export interface Unlock {
  readonly _tag: "Unlock"
}

/** A request to change a shipment. */
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
 * The command for one record of the status operation.
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

/** A command's events, none for a repeat; or its rejection. */
export type Decision = Result.Result<ReadonlyArray<ShipmentEvent>, Rejection>

/** The rules' input besides the shipment: all its returns, in opening order. `lifecycle` is ours by default. */
export interface Context {
  readonly returns: ReadonlyArray<Shipment>
  readonly lifecycle?: Table
  readonly facts?: Facts
}
