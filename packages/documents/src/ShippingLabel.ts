/** The shipping label of a parcel. Source: docs/reference/documents.md#labels. */
import { unitsLeft } from "@crossdock/returns"
import type { CustomValues, LabelFacts, OrderedShipment, PaperSeller, Parcel, Shipment } from "@crossdock/shipments"
import { IssuedDocuments, paymentOf } from "@crossdock/shipments"
import { customerParty, type DocumentParty, sellerParty } from "./DocumentParty.ts"

/** A shipping label. `collect` is the cash to collect in minor units, or null for none. Times are in epoch milliseconds. */
export interface ShippingLabel {
  readonly journey: "forward" | "return"
  readonly sender: DocumentParty
  readonly receiver: DocumentParty
  readonly courier: string | null
  readonly awbNumbers: ReadonlyArray<string>
  readonly shipmentId: string
  readonly orderNumber: string
  readonly orderDate: number
  readonly weightGrams: number | null
  readonly packages: number
  readonly currency: string
  readonly collect: number | null
  readonly contents: ReadonlyArray<{ readonly quantity: number; readonly sku: string; readonly title: string }>
  /** Custom fields of the shipment, and in `orderFields` those of its order. They are for the host's own labels. */
  readonly customFields?: CustomValues
  readonly orderFields?: CustomValues
}

/** The scannable codes, one a page: the AWB numbers, or the shipment's id if it has none. */
export const codesOf = ({ awbNumbers, shipmentId }: ShippingLabel) =>
  awbNumbers.length === 0
    ? [{ name: "SHIPMENT (NO AWB YET)", text: shipmentId }]
    : awbNumbers.map((text) => ({ name: "AWB", text }))

/** The custom fields that documents contain. */
export const paperFields = ({ customFields, orderFields }: Shipment) => ({
  ...(customFields === undefined ? {} : { customFields }),
  ...(orderFields === undefined ? {} : { orderFields })
})

const sumOf = (weights: ReadonlyArray<number | null>): number | null =>
  weights.length === 0 || weights.includes(null) ? null : weights.reduce<number>((sum, one) => sum + (one ?? 0), 0)

/**
 * A parcel's weight in grams: that of its packages if all are known, or else of its units when ordered, or null if one isn't
 * known. `weightOf` gives a unit's grams for items that don't record them. Source: docs/reference/documents.md#weight.
 */
export const weightGrams = (
  shipment: Pick<Shipment, "items" | "packages">,
  weightOf: (sku: string) => number | null,
  parcel: Parcel = IssuedDocuments.parcelOf(shipment.packages)
): number | null => {
  const sizes = shipment.items
    .filter((item) => unitsLeft(item) > 0)
    .map((item) => {
      const grams = item.weight === undefined ? weightOf(item.sku) : item.weight
      return grams === null ? null : grams * unitsLeft(item)
    })
  return parcel.weightGrams ?? sumOf(sizes)
}

/**
 * The label of a shipment, with its share of the order's cash on delivery. A return collects no cash.
 * `present` is the current seller, which only labels of earlier releases need.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { labelOf } from "@crossdock/documents"
 * import { placedShipment, shipmentItem } from "@crossdock/shipments/testing"
 *
 * const seller = { legalName: "Acme Retail Private Limited", name: "BLR1", address: null }
 * const contact = { name: "A Customer", phone: "+919876543210", email: null }
 * const place = { address1: "12 Dock Road", address2: null, landmark: null, city: "Mumbai", state: "Maharashtra" }
 * const address = { ...contact, ...place, pincode: "400001", country: "India" }
 * const payment = { paymentMode: "COD", methods: { cod: 6_000, prepaid: 4_000, lines: 20_000, units: 2 } } as const
 * const facts = { gstin: null, couponOwner: null, taxExempt: false, ...payment }
 * const order = { shippingAddress: address, billingAddress: address, ...facts }
 * // half of the order's lines, so half of its cash
 * const label = labelOf({ order, shipment: placedShipment({ items: [shipmentItem()] }) }, seller, () => 250)
 * deepStrictEqual([label.collect, label.receiver.name], [3_000, "A Customer"])
 * ```
 */
export const labelOf = (
  { order, shipment }: OrderedShipment,
  present: PaperSeller,
  weightOf: (sku: string) => number | null
): ShippingLabel => {
  const facts: Partial<LabelFacts> = IssuedDocuments.labelOf(shipment) ?? {}
  const parcel = facts.parcel ?? IssuedDocuments.parcelOf(facts.packages ?? shipment.packages)
  const seller = sellerParty(facts.seller ?? present)
  const customer = customerParty(order.shippingAddress)
  const left = shipment.items.filter((item) => unitsLeft(item) > 0)
  const back = shipment.journey === "return"
  const { collect } = paymentOf(order, shipment)
  return {
    journey: shipment.journey,
    sender: back ? customer : seller,
    receiver: back ? seller : customer,
    courier: shipment.courier?.name ?? null,
    awbNumbers: shipment.courier?.awbNumbers ?? [],
    shipmentId: shipment.id,
    orderNumber: shipment.externalOrderId,
    orderDate: shipment.orderDate,
    weightGrams: weightGrams(shipment, weightOf, parcel),
    packages: Math.max(1, parcel.packages),
    currency: shipment.currency,
    collect: collect > 0 && !back ? collect : null,
    contents: left.map((item) => ({ quantity: unitsLeft(item), sku: item.sku, title: item.title })),
    ...paperFields(shipment)
  }
}
