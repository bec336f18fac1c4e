/**
 * What a shipment shows of the order it belongs to.
 */
import type { CouponOwner } from "./AmountDue.ts"

/**
 * As the marketplace sent it (contract, Marketplace).
 */
export interface Address {
  readonly name: string
  readonly phone: string
  readonly email: string | null
  readonly address1: string
  readonly address2: string | null
  readonly landmark: string | null
  readonly city: string
  readonly state: string
  readonly pincode: string
  readonly country: string
}

/**
 * What an order's payment methods come to, in minor units: those collected on delivery and all others. `lines` is what the
 * lines of all its shipments came to when it was placed.
 */
export interface PaymentMethods {
  readonly cod: number
  readonly prepaid: number
  readonly lines: number
}

export interface ShipmentOrder {
  readonly shippingAddress: Address
  readonly billingAddress: Address
  readonly paymentMode: "COD" | "PREPAID"
  /** Null when the order names no methods. */
  readonly methods: PaymentMethods | null
  /** The buyer's tax number: with it the order is business to business. */
  readonly gstin: string | null
  /** Who bears the coupon's discount; null without a coupon. */
  readonly couponOwner: CouponOwner | null
}

/**
 * A shipment and what it shows of its order.
 */
export interface OrderedShipment<S> {
  readonly shipment: S
  readonly order: ShipmentOrder
}
