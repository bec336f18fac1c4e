/**
 * An order, as a marketplace sends it and as it was accepted. Amounts of a draft are decimal numbers of the order's
 * currency; instants are epoch milliseconds. Source: docs/reference/orders.md#create.
 */
import type { Address, CouponOwner } from "@crossdock/shipments"

/** A line of an order. Source: docs/reference/marketplace.md#order-line. */
export interface OrderLineDraft {
  readonly externalLineId: string | null
  readonly sku: string
  readonly quantity: number
  readonly mrp: number | null
  /** One unit's selling price including tax; the amounts below are for the whole line. */
  readonly esp: number
  readonly discount: number
  readonly couponDiscount: number
  readonly deliveryCharge: number
  readonly tax: { readonly rate: number; readonly amount: number } | null
}

/** A shipment of an order. Source: docs/reference/marketplace.md#order-shipment. */
export interface OrderShipmentDraft {
  readonly externalShipmentId: string
  /** The marketplace's own code for the location. */
  readonly location: string
  readonly fulfillment: "SELLER" | "MARKETPLACE"
  readonly selfShip: boolean
  readonly packAfter: number | null
  readonly packBy: number | null
  readonly dispatchBy: number | null
  readonly deliverBy: number | null
  readonly lines: ReadonlyArray<OrderLineDraft>
}

/** An order. Source: docs/reference/marketplace.md#order. */
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
  /** A charge's amount includes its tax. */
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

/** The fields of a draft that name a person: erased with the order, and never shown in what differs from it. */
export const personalFields = [
  "customer",
  "billingAddress",
  "shippingAddress",
  "meta"
] as const satisfies ReadonlyArray<keyof OrderDraft>

export type PersonalField = (typeof personalFields)[number]

/** An order that was accepted. `total` is in minor units; instants are epoch milliseconds. */
export interface Order {
  readonly id: string
  readonly marketplace: string
  readonly total: number
  readonly orderDate: number
  readonly createdAt: number
  readonly draft: OrderDraft
  /** When its personal data was erased; only an erased order has it. */
  readonly erasedAt?: number
  readonly shipments: ReadonlyArray<{ readonly externalShipmentId: string; readonly shipmentId: string }>
}
