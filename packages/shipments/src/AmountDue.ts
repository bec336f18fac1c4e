/**
 * The total of a line, the seller's part of it, and how it is paid. Source: docs/reference/orders.md#totals.
 */
import { Money } from "@crossdock/kernel"
import type { Shipment } from "./Shipment.ts"
import { remaining, type ShipmentItem } from "./ShipmentItem.ts"
import type { ShipmentOrder } from "./ShipmentOrder.ts"

/**
 * The party that bears a coupon's discount. Source: docs/reference/orders.md#coupon-ownership.
 */
export type CouponOwner = "SELLER" | "MARKETPLACE"

type Amounts = Pick<ShipmentItem, "ordered" | "esp" | "discount" | "couponDiscount" | "deliveryCharge">

/**
 * What the customer pays for the line, in minor units: esp × quantity − discount − coupon discount + delivery charge.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { lineTotal } from "@crossdock/shipments"
 * import { shipmentItem } from "@crossdock/shipments/testing"
 *
 * strictEqual(lineTotal(shipmentItem({ ordered: 2 })), 20_000)
 * ```
 */
export const lineTotal = ({ couponDiscount, deliveryCharge, discount, esp, ordered }: Amounts): number =>
  esp * ordered - discount - couponDiscount + deliveryCharge

/**
 * What the seller gets for the line, in minor units: the total, plus the coupon discount when the marketplace bears it. A
 * coupon discount without a coupon is the seller's. Source: docs/reference/orders.md#coupon-ownership.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { Money } from "@crossdock/kernel"
 * import { dueToSeller } from "@crossdock/shipments"
 * import { shipmentItem } from "@crossdock/shipments/testing"
 *
 * const coupon = { ordered: 2, esp: Money.minorUnits(100), couponDiscount: Money.minorUnits(30) }
 * strictEqual(dueToSeller(shipmentItem(coupon), "SELLER"), 170)
 * strictEqual(dueToSeller(shipmentItem(coupon), "MARKETPLACE"), 200)
 * ```
 */
export const dueToSeller = (item: Amounts, owner: CouponOwner | null): number =>
  lineTotal(item) + (owner === "MARKETPLACE" ? item.couponDiscount : 0)

/**
 * How a shipment is paid, in minor units: what the courier collects, and what was prepaid. Both are shared in
 * proportion to the order's lines, or to their units when the lines come to 0 and only charges are paid. All shipments of
 * an order together have exactly what it has. Source: docs/reference/orders.md#payment.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { paymentOf } from "@crossdock/shipments"
 * import { placedShipment, shipmentItem } from "@crossdock/shipments/testing"
 *
 * // half of the order's lines, so half of each method
 * const methods = { cod: 300, prepaid: 700, lines: 20_000, units: 2 }
 * const shipment = placedShipment({ items: [shipmentItem()] })
 * deepStrictEqual(paymentOf({ methods }, shipment), { collect: 150, prepaid: 350 })
 * ```
 */
export const paymentOf = (
  { methods }: Pick<ShipmentOrder, "methods">,
  { items, linesBefore, unitsBefore = 0 }: Pick<Shipment, "items" | "linesBefore" | "unitsBefore">
): { readonly collect: number; readonly prepaid: number } => {
  const left = items.map(remaining)
  const amount = left.reduce((sum, one) => sum + lineTotal(one), 0)
  const { cod, lines, prepaid, units } = methods
  const [before, part, whole] =
    lines > 0 ? [linesBefore, amount, lines] : [unitsBefore, left.reduce((sum, one) => sum + one.ordered, 0), units]
  const between = (total: number) =>
    Money.cumulativeShare(total, before + part, whole) - Money.cumulativeShare(total, before, whole)
  return { collect: between(cod), prepaid: between(prepaid) }
}

/**
 * Where a part of a shipment is among the order's lines: after the lines before the shipment, and after `items` of it. The
 * parts of a shipment follow each other without a gap, so that their shares of a payment add up to the shipment's.
 */
export const placeAfter = (
  { linesBefore, unitsBefore = 0 }: Shipment,
  items: ReadonlyArray<ShipmentItem>
): Required<Pick<Shipment, "linesBefore" | "unitsBefore">> => ({
  linesBefore: items.reduce((sum, one) => sum + lineTotal(one), linesBefore),
  unitsBefore: items.reduce((sum, one) => sum + one.ordered, unitsBefore)
})
