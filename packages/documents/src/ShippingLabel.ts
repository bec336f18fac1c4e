/**
 * The shipping label of a parcel. Source: docs/reference/documents.md#labels.
 */
import type { Company, Location } from "@crossdock/access"
import { unitsLeft } from "@crossdock/returns"
import type { OrderedShipment } from "@crossdock/shipments"
import { isCancelled, paymentOf, remaining, type Shipment } from "@crossdock/shipments"
import { customerParty, type DocumentParty, sellerParty } from "./DocumentParty.ts"
import { beforePacking } from "./ShipmentInvoice.ts"
import { lineOf } from "./TaxInvoice.ts"

/**
 * What a label shows: one page for each AWB number, or one page before any is assigned. `collect` is what the courier
 * collects from the receiver, in minor units; null when nothing is collected. Instants are epoch milliseconds. Source:
 * docs/reference/documents.md#cash.
 */
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
}

/**
 * Whether the shipment has a label: from packing on unless it is cancelled, and a return as soon as its courier is
 * assigned. Source: docs/reference/documents.md#labels.
 */
export const hasLabel = (shipment: Shipment): boolean =>
  !isCancelled(shipment) && !beforePacking.has(shipment.status) && shipment.status !== "return_initiated"

const sumOf = (weights: ReadonlyArray<number | null>): number | null =>
  weights.length === 0 || weights.includes(null) ? null : weights.reduce<number>((sum, one) => sum + (one ?? 0), 0)

/**
 * The weight of a parcel in grams: that of its packages when each has one, else that of its sizes; null when a size's
 * weight is unknown too. A sum of some packages would be less than the parcel weighs. `weightOf` returns the grams of one
 * unit of a SKU. Source: docs/reference/documents.md#weight.
 */
export const weightGrams = (shipment: Shipment, weightOf: (sku: string) => number | null): number | null => {
  const sizes = shipment.items
    .filter((item) => unitsLeft(item) > 0)
    .map((item) => {
      const grams = weightOf(item.sku)
      return grams === null ? null : grams * unitsLeft(item)
    })
  return sumOf(shipment.packages.map((one) => one.weightGrams)) ?? sumOf(sizes)
}

/**
 * The label of a shipment. `weight` is in grams.
 */
export const labelOf = (
  { order, shipment }: OrderedShipment<Shipment>,
  company: Company,
  location: Location,
  weight: number | null
): ShippingLabel => {
  const seller = sellerParty(company, location)
  const customer = customerParty(order.shippingAddress)
  const left = shipment.items.filter((item) => unitsLeft(item) > 0)
  const total = left.map((item) => lineOf(remaining(item), 0).total).reduce((sum, one) => sum + one, 0)
  const back = shipment.journey === "return"
  const { collect } = paymentOf(order, shipment.linesBefore, total)
  return {
    journey: shipment.journey,
    sender: back ? customer : seller,
    receiver: back ? seller : customer,
    courier: shipment.courier?.name ?? null,
    awbNumbers: shipment.courier?.awbNumbers ?? [],
    shipmentId: shipment.id,
    orderNumber: shipment.externalOrderId,
    orderDate: shipment.orderDate,
    weightGrams: weight,
    packages: Math.max(1, shipment.packages.length),
    currency: shipment.currency,
    collect: collect > 0 && !back ? collect : null,
    contents: left.map((item) => ({ quantity: unitsLeft(item), sku: item.sku, title: item.title }))
  }
}
