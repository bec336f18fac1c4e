/** The amount due to the seller for a line, and how a shipment is paid. Source: docs/reference/orders.md#totals. */
import { Money } from "@crossdock/kernel"
import { type Amounts, type CouponOwner, lineTotal, type Shipment, type ShipmentOrder } from "./Shipment.ts"
import { remaining } from "./ShipmentPart.ts"

/**
 * The amount due to the seller for the line, in minor units: the total, plus the coupon discount if the marketplace bears
 * it. A coupon discount without a coupon is the seller's. Source: docs/reference/orders.md#coupon-ownership.
 */
export const dueToSeller = (item: Amounts, owner: CouponOwner | null): number =>
  lineTotal(item) + (owner === "MARKETPLACE" ? item.couponDiscount : 0)

/**
 * The payment of a shipment, in minor units: the amount that the courier collects, and the prepaid one. Both are shared in
 * proportion to the order's lines, or to their units if the lines are 0 and only charges are paid. The shares of an order's
 * shipments add up to the order's amounts. Source: docs/reference/orders.md#payment.
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
