/**
 * The events of a shipment. A move has one or several, in order; `at` is in epoch milliseconds.
 */

import type { Portion, QcReason } from "@crossdock/returns"
import type { OperationalStatus } from "./OperationalStatus.ts"
import type { Courier, Invoice, Package, ReportMeta, Shipment } from "./Shipment.ts"

/**
 * The shipment reached a status, which is one entry of its history.
 */
export interface Moved {
  readonly _tag: "Moved"
  readonly at: number
  readonly to: OperationalStatus
  readonly meta: ReportMeta
}

/**
 * Some units were cancelled and are now the shipment `created`.
 */
export interface PartCancelled {
  readonly _tag: "PartCancelled"
  readonly at: number
  readonly created: Shipment
}

/**
 * The sale's invoice or the credit note was recorded.
 */
export interface InvoiceRecorded {
  readonly _tag: "InvoiceRecorded"
  readonly at: number
  readonly kind: "sale" | "return"
  readonly invoice: Invoice
  readonly imei: ReadonlyArray<{ readonly itemId: string; readonly imei: ReadonlyArray<string> }>
  readonly packages: ReadonlyArray<Package> | null
}

/**
 * The shipment has a courier, in place of the one before.
 */
export interface CourierNamed {
  readonly _tag: "CourierNamed"
  readonly at: number
  readonly courier: Courier
}

/**
 * The customer returns units of this delivered shipment, as the shipment `created`.
 */
export interface ReturnOpened {
  readonly _tag: "ReturnOpened"
  readonly at: number
  readonly created: Shipment
}

/**
 * Units that came back were checked. `unmapped` are reason codes that are not in the table, as they were sent.
 */
export interface QualityChecked {
  readonly _tag: "QualityChecked"
  readonly at: number
  readonly bad: boolean
  readonly items: ReadonlyArray<
    Portion & { readonly reasons: ReadonlyArray<QcReason>; readonly unmapped: ReadonlyArray<string> }
  >
}

/**
 * The shipment was locked or unlocked.
 */
export interface LockChanged {
  readonly _tag: "LockChanged"
  readonly at: number
  readonly locked: boolean
}

/**
 * Everything that can happen to a shipment.
 */
export type ShipmentEvent =
  | Moved
  | PartCancelled
  | InvoiceRecorded
  | CourierNamed
  | ReturnOpened
  | QualityChecked
  | LockChanged
