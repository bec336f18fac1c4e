/** Removes personal data from a shipment. Source: docs/reference/orders.md#erasure. */
import type { Invoice, Shipment } from "./Shipment.ts"

const unsigned = (invoice: Invoice | null): Invoice | null =>
  invoice === null ? null : { ...invoice, qrCode: null, signedInvoice: null }

/**
 * The shipment, as its next version, without free text (remarks, places on the way, return reasons, the courier's details)
 * and without the signed copies of its invoices, which name the buyer. Units, amounts and identifiers of papers and parcels
 * stay. `at` is in epoch milliseconds.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { erasedShipment } from "@crossdock/shipments"
 * import { placedShipment } from "@crossdock/shipments/testing"
 *
 * const before = { ...placedShipment(), additionalInfo: "ring at Asha's" }
 * const { additionalInfo, items, version } = erasedShipment(before, 9)
 * deepStrictEqual([additionalInfo, items, version], [null, before.items, before.version + 1])
 * ```
 */
export const erasedShipment = (shipment: Shipment, at: number): Shipment => ({
  ...shipment,
  version: shipment.version + 1,
  items: shipment.items.map((item) => ({ ...item, returnReason: null, unmappedReasons: [] })),
  additionalInfo: null,
  invoice: unsigned(shipment.invoice),
  creditNote: unsigned(shipment.creditNote),
  events: shipment.events.map((event) => ({ ...event, location: null, remark: null })),
  lastLocation: null,
  modifiedAt: at
})

/** Whether erasing the shipment would change nothing. */
export const isErased = (shipment: Shipment): boolean => {
  const { modifiedAt, version } = shipment
  return JSON.stringify({ ...erasedShipment(shipment, modifiedAt), version }) === JSON.stringify(shipment)
}
