/**
 * What a line comes to, and how much of that is due to the seller.
 */
import type { ShipmentItem } from "./ShipmentItem.ts"

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
