/**
 * An accepted order.
 */
import type { ShipmentOrder } from "@crossdock/shipments"
import type { OrderDraft } from "./OrderDraft.ts"
import { methodsOf } from "./OrderPricing.ts"

/**
 * An order that was accepted. `total` is in minor units; instants are epoch milliseconds.
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
 * The parts of the order that its shipments show.
 */
export const shipmentOrderOf = ({ draft }: Order): ShipmentOrder => ({
  shippingAddress: draft.shippingAddress,
  billingAddress: draft.billingAddress,
  paymentMode: draft.payment.mode,
  methods: methodsOf(draft),
  gstin: draft.gstin,
  couponOwner: draft.coupon?.ownership ?? null
})
