/**
 * The total of a line, the seller's part of it, and how it is paid. Source: docs/reference/orders.md#totals.
 */
import { cumulativeShare } from "@crossdock/kernel"
import type { ShipmentItem } from "./ShipmentItem.ts"
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
 * How a part of an order is paid, in minor units: what the courier collects, and what was prepaid. `before` is the total of
 * the order's lines before the part, `amount` that of the part. Each payment method is shared in proportion to the lines,
 * so that all shipments of an order together never collect more than its methods of mode COD. Source:
 * docs/reference/orders.md#payment.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { paymentOf } from "@crossdock/shipments"
 *
 * const methods = { cod: 300, prepaid: 700, lines: 1000 }
 * deepStrictEqual(paymentOf({ paymentMode: "COD", methods }, 0, 500), { collect: 150, prepaid: 350 })
 * ```
 */
export const paymentOf = (
  { methods, paymentMode }: Pick<ShipmentOrder, "methods" | "paymentMode">,
  before: number,
  amount: number
): { readonly collect: number; readonly prepaid: number } => {
  if (methods === null) {
    return paymentMode === "COD" ? { collect: amount, prepaid: 0 } : { collect: 0, prepaid: amount }
  }
  const { cod, lines, prepaid } = methods
  const between = (total: number) =>
    cumulativeShare(total, before + amount, lines) - cumulativeShare(total, before, lines)
  return { collect: between(cod), prepaid: between(prepaid) }
}
