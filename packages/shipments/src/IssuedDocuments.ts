/** Facts stored with a document's number, so that all prints are equal. Source: docs/reference/documents.md#stored. */
import { type Company, Gstin, type Location } from "@crossdock/access"
import type { LabelFacts, Package, PaperSeller, Parcel, Shipment } from "./Shipment.ts"
import { type AnyStatus, isCancelled, isOperationalStatus, type OperationalStatus } from "./ShipmentStatus.ts"

/** The statuses before packing, and those that a shipment can reach without being packed. */
const beforePacking: ReadonlySet<AnyStatus> = new Set<OperationalStatus>([
  "placed",
  "bag_confirmed",
  "bag_invoiced",
  "dp_assigned",
  "cancelled_seller",
  "cancelled_customer"
])

/** Whether a shipment that has had this status must have been packed. The result is false for an added status. */
export const isPacked = (status: AnyStatus): boolean => isOperationalStatus(status) && !beforePacking.has(status)

/** Whether the shipment has a label. An added status doesn't change this. Source: docs/reference/documents.md#labels. */
export const hasLabel = (shipment: Pick<Shipment, "status" | "events">): boolean => {
  const status = isOperationalStatus(shipment.status)
    ? shipment.status
    : shipment.events.findLast((one) => isOperationalStatus(one.status))?.status
  return status !== undefined && !isCancelled(shipment) && isPacked(status) && status !== "return_initiated"
}

/** Whether a sale's invoice can be printed: it is recorded, and the shipment has been packed or has a credit note. */
export const hasSaleInvoice = ({ creditNote, events, invoice, journey }: Shipment): boolean =>
  journey === "forward" && invoice !== null && (creditNote !== null || events.some(({ status }) => isPacked(status)))

/** Whether there is an invoice to print: the sale's, or a credit note. Source: docs/reference/documents.md#invoices. */
export const hasInvoice = (shipment: Shipment): boolean => hasSaleInvoice(shipment) || shipment.creditNote !== null

/** The seller as documents show it now, by the code of the shipping location. An unregistered seller has no name or address. */
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

/** The stored facts of the current label. The result is undefined if the label got its number in an earlier release. */
export const labelOf = (shipment: Shipment): LabelFacts | undefined => {
  const number = labelNumber(shipment)
  return shipment.labels?.find((one) => one.number === number)
}

/** The number and weight of packages that a label shows. A label doesn't store the list of packages, which may be long. */
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

/** Whether a document gets its number in the change from `before` to `after`. `before` is null for a new shipment. */
export const isNumbered = (before: Shipment | null, after: Shipment): boolean =>
  Object.values(numbered(before, after)).includes(true)

/**
 * Returns `after` with the facts of the documents that got their numbers since `before`. `before` is null for a new shipment.
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
