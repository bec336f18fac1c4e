/**
 * The parts of an order that its shipments show.
 */
import type { CouponOwner } from "./AmountDue.ts"

/**
 * An address as the marketplace sent it. Source: docs/reference/marketplace.md#order-address.
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
 * How an order is paid, in minor units: what is collected on delivery, and what was paid before. `lines` is the total of the
 * lines of all its shipments when it was placed, and `units` are their units. Source: docs/reference/orders.md#payment.
 */
export interface PaymentMethods {
  readonly cod: number
  readonly prepaid: number
  readonly lines: number
  readonly units: number
}

/**
 * What a shipment shows of its order.
 */
export interface ShipmentOrder {
  readonly shippingAddress: Address
  readonly billingAddress: Address
  readonly paymentMode: "COD" | "PREPAID"
  readonly methods: PaymentMethods
  /** The buyer's tax number: with it the order is business to business. */
  readonly gstin: string | null
  /** The party that bears the coupon's discount; null without a coupon. */
  readonly couponOwner: CouponOwner | null
  /** Whether every line of the order said that its tax is 0. */
  readonly taxExempt: boolean
}

/**
 * A shipment and what it shows of its order.
 */
export interface OrderedShipment<S> {
  readonly shipment: S
  readonly order: ShipmentOrder
}
