/**
 * An order as its marketplace reads it: prices, payment, taxes, every shipment and its bags. A bag is one line of a
 * shipment, with all its units. `mrp` and `esp` are per unit; every other amount of a bag covers the units that are left.
 * Cancelled and returned units are bags of their own shipments, with their share of the amounts. The order's own amounts
 * are those it was placed with. Source: docs/reference/orders.md#read.
 */

import { Money } from "@crossdock/kernel"
import type { Marketplace } from "@crossdock/marketplaces"
import { type Order, OrderPricing } from "@crossdock/orders"
import { unitsLeft } from "@crossdock/returns"
import {
  type Address,
  type CouponOwner,
  dueToSeller,
  lineTotal,
  orderStatusOf,
  remaining,
  type Shipment,
  type ShipmentItem
} from "@crossdock/shipments"
import * as Schema from "effect/Schema"
import * as Fields from "../internal/Fields.ts"
import { iso, isoOrNull } from "../internal/IsoTime.ts"

export const OrderView = Schema.StructWithRest(
  Schema.Struct({
    platform_order_id: Schema.String,
    external_order_id: Schema.String,
    ordering_currency: Schema.String,
    order_date: Schema.String,
    pricing: Fields.object,
    payment: Fields.object,
    taxes: Fields.object,
    shipments: Schema.Array(
      Schema.StructWithRest(
        Schema.Struct({
          shipment_id: Schema.String,
          external_shipment_id: Schema.String,
          location_id: Schema.String,
          status: Schema.String,
          order_status: Schema.String,
          bags: Schema.Array(Fields.object)
        }),
        [Fields.object]
      )
    )
  }),
  [Fields.object]
).annotate({ identifier: "OrderView" })

const address = (one: Address) => ({ ...one })

const bag = (shipment: Shipment, couponOwner: CouponOwner | null) => (item: ShipmentItem) => {
  const money = (minor: number) => Money.toNumber(minor, shipment.currency)
  const priced = remaining(item)
  return {
    bag_id: item.id,
    external_line_id: item.externalLineId,
    sku: item.sku,
    title: item.title,
    quantity: unitsLeft(item),
    cancelled_quantity: item.cancelled,
    status: shipment.status,
    prices: {
      mrp: item.mrp === null ? null : money(item.mrp),
      esp: money(item.esp),
      discount: money(priced.discount),
      coupon_discount: money(priced.couponDiscount),
      delivery_charge: money(priced.deliveryCharge),
      total: money(lineTotal(priced)),
      amount_due_to_seller: money(dueToSeller(priced, couponOwner))
    },
    tax: { rate: item.taxRate, amount: money(priced.taxAmount) },
    qc: { good: item.good, bad: item.bad, reasons: item.qcReasons }
  }
}

const locationCode = (marketplace: Marketplace, shipment: Shipment): string =>
  marketplace.locations.find(
    ({ companyId, location }) => companyId === shipment.companyId && location === shipment.location
  )?.code ?? shipment.location

const shipmentView = (marketplace: Marketplace, couponOwner: CouponOwner | null) => (shipment: Shipment) => ({
  shipment_id: shipment.id,
  external_shipment_id: shipment.externalShipmentId,
  forward_shipment_id: shipment.forwardId,
  location_id: locationCode(marketplace, shipment),
  journey_type: shipment.journey,
  status: shipment.status,
  order_status: orderStatusOf(shipment),
  fulfillment_type: shipment.fulfillment,
  is_self_ship: shipment.selfShip,
  courier_name: shipment.courier?.name ?? null,
  awb_number: shipment.courier?.awbNumbers ?? [],
  invoice_number: shipment.invoice?.number ?? null,
  credit_note_number: shipment.creditNote?.number ?? null,
  return_id: shipment.returnId,
  delivery: {
    pack_after: isoOrNull(shipment.packAfter),
    pack_by: isoOrNull(shipment.packBy),
    dispatch_by: isoOrNull(shipment.dispatchBy),
    deliver_by: isoOrNull(shipment.deliverBy)
  },
  events: shipment.events.map(({ at, location, remark, status }) => ({ status, timestamp: iso(at), location, remark })),
  bags: shipment.items.map(bag(shipment, couponOwner))
})

export const orderView = (
  order: Order,
  marketplace: Marketplace,
  shipments: ReadonlyArray<Shipment>
): typeof OrderView.Type => {
  const { draft } = order
  const money = (minor: number) => Money.toNumber(minor, draft.currency)
  const sums = OrderPricing.sumsOf(draft)
  return {
    platform_order_id: order.id,
    external_order_id: draft.externalOrderId,
    ordering_currency: draft.currency,
    order_date: iso(order.orderDate),
    created_at: iso(order.createdAt),
    pricing: {
      total: money(order.total),
      discount: money(sums.discount),
      coupon_discount: money(sums.couponDiscount),
      delivery_charge: money(sums.deliveryCharge),
      amount_due_to_seller: money(sums.dueToSeller),
      charges: draft.charges,
      coupon: draft.coupon
    },
    payment: draft.payment,
    taxes: { gstin: draft.gstin, amount: money(sums.tax) },
    customer: draft.customer,
    billing_address: address(draft.billingAddress),
    shipping_address: address(draft.shippingAddress),
    shipments: shipments.map(shipmentView(marketplace, draft.coupon?.ownership ?? null)),
    meta: draft.meta
  }
}
