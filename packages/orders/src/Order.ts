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
  /** When its personal data was erased; only an erased order has it. */
  readonly erasedAt?: number
  readonly shipments: ReadonlyArray<{ readonly externalShipmentId: string; readonly shipmentId: string }>
}

/**
 * The parts of the order that its shipments show.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { shipmentOrderOf } from "@crossdock/orders"
 * import { orderDraft } from "@crossdock/orders/testing"
 *
 * const draft = orderDraft({ payment: { mode: "COD", methods: [{ mode: "COD", name: "Cash", amount: 100 }] } })
 * const order = { id: "o1", marketplace: "bazaar", total: 10_000, orderDate: 0, createdAt: 0, draft, shipments: [] }
 * const { methods, paymentMode } = shipmentOrderOf(order)
 * deepStrictEqual([paymentMode, methods], ["COD", { cod: 10_000, prepaid: 0, lines: 10_000, units: 1 }])
 * ```
 */
export const shipmentOrderOf = ({ draft }: Order): ShipmentOrder => ({
  shippingAddress: draft.shippingAddress,
  billingAddress: draft.billingAddress,
  paymentMode: draft.payment.mode,
  methods: methodsOf(draft),
  gstin: draft.gstin,
  couponOwner: draft.coupon?.ownership ?? null,
  taxExempt: draft.shipments.every(({ lines }) => lines.every(({ tax }) => tax?.rate === 0 && tax.amount === 0))
})
