/** Removes personal data from a shipment. Source: docs/reference/orders.md#erasure. */
import type { CustomValues, Invoice, Shipment } from "./Shipment.ts"

const unsigned = (invoice: Invoice | null): Invoice | null =>
  invoice === null ? null : { ...invoice, qrCode: null, signedInvoice: null }

/** Selects the values of custom fields that identify no person. */
type Kept = (record: "order" | "shipment" | "item", values: CustomValues) => CustomValues

/** The record without those custom fields that `kept` doesn't select. */
export const withKept = <A extends { readonly customFields?: CustomValues }>(
  record: Parameters<Kept>[0],
  one: A,
  kept: Kept
): A => (one.customFields === undefined ? one : { ...one, customFields: kept(record, one.customFields) })

/**
 * The next version of the shipment without personal data: no free text, no signed copies of invoices, and only those custom
 * fields that `kept` selects. `at` is in epoch milliseconds.
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
export const erasedShipment = (shipment: Shipment, at: number, kept: Kept = () => ({})): Shipment => ({
  ...withKept("shipment", shipment, kept),
  ...(shipment.orderFields === undefined ? {} : { orderFields: kept("order", shipment.orderFields) }),
  ...(shipment.filters === undefined ? {} : { filters: [] }),
  version: shipment.version + 1,
  items: shipment.items.map((item) => ({ ...withKept("item", item, kept), returnReason: null, unmappedReasons: [] })),
  additionalInfo: null,
  invoice: unsigned(shipment.invoice),
  creditNote: unsigned(shipment.creditNote),
  events: shipment.events.map((event) => ({ ...event, location: null, remark: null })),
  lastLocation: null,
  modifiedAt: at
})

/** Whether the shipment is already erased, so that erasing it would change nothing. */
export const isErased = (shipment: Shipment, kept?: Kept): boolean => {
  const { modifiedAt, version } = shipment
  return JSON.stringify({ ...erasedShipment(shipment, modifiedAt, kept), version }) === JSON.stringify(shipment)
}
