/**
 * What is printed on a parcel.
 */
import type { Company, Location } from "@crossdock/access"
import { unitsLeft } from "@crossdock/returns"
import type { OrderedShipment } from "@crossdock/shipments"
import { isCancelled, paymentOf, remaining, type Shipment } from "@crossdock/shipments"
import { customerParty, type DocumentParty, sellerParty } from "./DocumentParty.ts"
import { beforePacking } from "./ShipmentInvoice.ts"
import { lineOf } from "./TaxInvoice.ts"

/**
 * One page for each AWB number, or one page when there is none yet. `collect` in minor units is what the courier takes
 * from the receiver, null when the order is prepaid or the parcel comes back. Instants are epoch milliseconds.
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
 * Labels are for what is packed and not cancelled; a return's is there as soon as its courier is assigned. Source:
 * document 2, rule 5; contract, section 6, L403.
 */
export const hasLabel = (shipment: Shipment): boolean =>
  !isCancelled(shipment) && !beforePacking.has(shipment.status) && shipment.status !== "return_initiated"

const sumOf = (weights: ReadonlyArray<number | null>): number | null =>
  weights.length === 0 || weights.includes(null) ? null : weights.reduce<number>((sum, one) => sum + (one ?? 0), 0)

/**
 * The packages' weight when each of them has one, else that of the sizes; null when one of those is not known either. A
 * sum of some packages would be less than the parcel weighs. Source: contract, section 6.
 *
 * @param weightOf grams of one unit of a SKU
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
