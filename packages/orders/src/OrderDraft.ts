/**
 * An order as a marketplace sends it. Amounts are decimal numbers of the order's currency; instants epoch milliseconds.
 * Source: contract, Marketplace.
 */
import type { Address, CouponOwner } from "@crossdock/shipments"

export interface OrderLineDraft {
  readonly externalLineId: string | null
  readonly sku: string
  readonly quantity: number
  readonly mrp: number | null
  /** One unit's selling price with tax in it; the amounts below are the whole line's. */
  readonly esp: number
  readonly discount: number
  readonly couponDiscount: number
  readonly deliveryCharge: number
  readonly tax: { readonly rate: number; readonly amount: number } | null
}

export interface OrderShipmentDraft {
  readonly externalShipmentId: string
  /** The marketplace's own code of the location. */
  readonly location: string
  readonly fulfillment: "SELLER" | "MARKETPLACE"
  readonly selfShip: boolean
  readonly packAfter: number | null
  readonly packBy: number | null
  readonly dispatchBy: number | null
  readonly deliverBy: number | null
  readonly lines: ReadonlyArray<OrderLineDraft>
}

export interface OrderDraft {
  readonly externalOrderId: string
  /** ISO 4217. */
  readonly currency: string
  readonly orderDate: number | null
  readonly payment: {
    readonly mode: "COD" | "PREPAID"
    readonly methods: ReadonlyArray<{ readonly mode: string; readonly name: string; readonly amount: number }>
  }
  readonly customer: { readonly name: string; readonly phone: string | null; readonly email: string | null } | null
  readonly billingAddress: Address
  readonly shippingAddress: Address
  readonly coupon: {
    readonly code: string
    readonly amount: number
    readonly ownership: CouponOwner
  } | null
  /** A charge's tax is in its amount. */
  readonly charges: ReadonlyArray<{
    readonly name: string
    readonly type: string
    readonly amount: number
    readonly tax: { readonly rate: number; readonly amount: number } | null
  }>
  readonly gstin: string | null
  readonly totalAmount: number | null
  readonly shipments: ReadonlyArray<OrderShipmentDraft>
  readonly meta: Readonly<Record<string, unknown>> | null
}
