/**
 * What a line comes to, and how much of that is due to the seller.
 */
import { cumulativeShare } from "@crossdock/kernel"
import type { ShipmentItem } from "./ShipmentItem.ts"
import type { ShipmentOrder } from "./ShipmentOrder.ts"

/**
 * Who bears a coupon's discount (document 3, order creation: coupon ownership).
 */
export type CouponOwner = "SELLER" | "MARKETPLACE"

type Amounts = Pick<ShipmentItem, "ordered" | "esp" | "discount" | "couponDiscount" | "deliveryCharge">

/**
 * What the customer pays for the line, in minor units: esp × quantity − discount − coupon discount + delivery charge.
 */
export const lineTotal = ({ couponDiscount, deliveryCharge, discount, esp, ordered }: Amounts): number =>
  esp * ordered - discount - couponDiscount + deliveryCharge

/**
 * What the seller gets for the line, in minor units: a coupon of the marketplace's does not reduce it. A coupon discount
 * without a coupon is the seller's, like any other discount.
 */
export const dueToSeller = (item: Amounts, owner: CouponOwner | null): number =>
  lineTotal(item) + (owner === "MARKETPLACE" ? item.couponDiscount : 0)

/**
 * How so much of an order's lines is paid for, in minor units: what the courier collects, and what was prepaid. `before`
 * is what the order's lines before these come to. An order that names its methods has each of them shared in proportion
 * to its lines, so that all of its shipments together never collect more than the methods of mode COD come to. Source:
 * contract, Marketplace.
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
