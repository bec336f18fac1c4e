/**
 * The label and the seller on labels, invoices and credit notes, stored with a document's number so that it always prints the
 * same. A document's other facts never change. Source: docs/reference/documents.md#stored.
 */
import { type Company, Gstin, type Location } from "@crossdock/access"
import type { LabelFacts, Package, PaperSeller, Parcel, Shipment } from "./Shipment.ts"
import { type AnyStatus, isCancelled, isOperationalStatus, type OperationalStatus } from "./ShipmentStatus.ts"

/** Statuses that precede packing, or are possible without it. */
const beforePacking: ReadonlySet<AnyStatus> = new Set<OperationalStatus>([
  "placed",
  "bag_confirmed",
  "bag_invoiced",
  "dp_assigned",
  "cancelled_seller",
  "cancelled_customer"
])

/** Whether a shipment that has had this status was packed. False for an added status. */
export const isPacked = (status: AnyStatus): boolean => isOperationalStatus(status) && !beforePacking.has(status)

/**
 * Whether the shipment has a label: from packing on unless cancelled, and a return once its courier is assigned. An added
 * status keeps the earlier answer. Source: docs/reference/documents.md#labels.
 */
export const hasLabel = (shipment: Pick<Shipment, "status" | "events">): boolean => {
  const status = isOperationalStatus(shipment.status)
    ? shipment.status
    : shipment.events.findLast((one) => isOperationalStatus(one.status))?.status
  return status !== undefined && !isCancelled(shipment) && isPacked(status) && status !== "return_initiated"
}

/** The seller on documents now, by the shipping location's code. Unregistered sellers have no name or address. */
export const sellers = (company: Company | undefined, locations: ReadonlyArray<Location>) => {
  const byCode = new Map(locations.map((one) => [one.code, one]))
  return (code: string): PaperSeller => {
    const { address, name } = byCode.get(code) ?? { name: code, address: null }
    return {
      legalName: company?.legalName ?? "",
      name,
      address: address === null ? null : { ...address, gstin: Gstin.normalized(address.gstin) }
    }
  }
}

const labelNumber = (shipment: Shipment): string => {
  const awbs = shipment.courier?.awbNumbers ?? []
  return awbs.length > 0 ? awbs.join(" ") : hasLabel(shipment) ? shipment.id : ""
}

/** The stored facts of the current label; undefined when an earlier release numbered it. */
export const labelOf = (shipment: Shipment): LabelFacts | undefined => {
  const number = labelNumber(shipment)
  return shipment.labels?.find((one) => one.number === number)
}

/** The packages as a label shows them. A label stores no list of them, which may be long. */
export const parcelOf = (packages: ReadonlyArray<Package>): Parcel => {
  const weights = packages.flatMap(({ weightGrams }) => weightGrams ?? [])
  const isWeighed = packages.length > 0 && weights.length === packages.length
  return { packages: packages.length, weightGrams: isWeighed ? weights.reduce((sum, one) => sum + one, 0) : null }
}

const numbered = (before: Shipment | null, after: Shipment) => ({
  invoice: after.invoice !== null && after.invoice.number !== before?.invoice?.number,
  creditNote: after.creditNote !== null && after.creditNote.number !== before?.creditNote?.number,
  label: labelNumber(after) !== "" && labelOf(after) === undefined
})

/** Whether a document gets its number between `before` (null for a new shipment) and `after`. */
export const isNumbered = (before: Shipment | null, after: Shipment): boolean =>
  Object.values(numbered(before, after)).includes(true)

/**
 * `after` with the facts of documents numbered since `before`, which is null for a new shipment.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { IssuedDocuments } from "@crossdock/shipments"
 * import { placedShipment } from "@crossdock/shipments/testing"
 *
 * const seller = { legalName: "Acme Retail Private Limited", name: "Bengaluru 1", address: null }
 * const none = { irn: null, qrCode: null, signedInvoice: null, ackNumber: null, ackDate: null }
 * const before = placedShipment()
 * const invoiced = IssuedDocuments.stored(before, { ...before, invoice: { number: "A-1", at: 0, ...none } }, seller)
 * // the seller is called otherwise when the shipment is moved again
 * const later = IssuedDocuments.stored(invoiced, { ...invoiced, status: "dp_assigned" }, { ...seller, legalName: "Acme" })
 * deepStrictEqual(later.invoice?.seller?.legalName, "Acme Retail Private Limited")
 * ```
 */
export const stored = (before: Shipment | null, after: Shipment, seller: PaperSeller): Shipment => {
  const isNew = numbered(before, after)
  const label: LabelFacts = { number: labelNumber(after), seller, parcel: parcelOf(after.packages) }
  return {
    ...after,
    ...(after.invoice !== null && isNew.invoice ? { invoice: { ...after.invoice, seller } } : {}),
    ...(after.creditNote !== null && isNew.creditNote ? { creditNote: { ...after.creditNote, seller } } : {}),
    ...(isNew.label ? { labels: [...(after.labels ?? []), label] } : {})
  }
}
