/**
 * An accepted order.
 */
import type { ShipmentOrder } from "@crossdock/shipments"
import type { OrderDraft } from "./OrderDraft.ts"
import { methodsOf } from "./OrderPricing.ts"

/**
 * `total` in whole minor units.
 */
export interface Order {
  readonly id: string
  readonly marketplace: string
  readonly total: number
  readonly orderDate: number
  readonly createdAt: number
  readonly draft: OrderDraft
  readonly shipments: ReadonlyArray<{ readonly externalShipmentId: string; readonly shipmentId: string }>
}

/**
 * What the order's shipments show of it.
 */
export const factsOf = ({ draft }: Order): ShipmentOrder => ({
  shippingAddress: draft.shippingAddress,
  billingAddress: draft.billingAddress,
  paymentMode: draft.payment.mode,
  methods: methodsOf(draft),
  gstin: draft.gstin,
  couponOwner: draft.coupon?.ownership ?? null
})
