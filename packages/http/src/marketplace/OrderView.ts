/**
 * An order as its marketplace reads it: prices, payment, taxes, every shipment and its bags. A bag is one line of a
 * shipment. Source: contract, Marketplace.
 */

import type { Marketplace } from "@crossdock/access"
import { Money } from "@crossdock/kernel"
import type { Order, OrderDraft } from "@crossdock/marketplace"
import { type Address, orderStatusOf, type Shipment, type ShipmentItem, unitsLeft } from "@crossdock/shipments"
import * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"

const open = { key: Schema.String, value: Schema.Unknown }

export const OrderView = Schema.Struct(
  {
    platform_order_id: Schema.String,
    external_order_id: Schema.String,
    ordering_currency: Schema.String,
    order_date: Schema.String,
    pricing: Schema.Record(open),
    payment: Schema.Record(open),
    taxes: Schema.Record(open),
    shipments: Schema.Array(
      Schema.Struct(
        {
          shipment_id: Schema.String,
          external_shipment_id: Schema.String,
          location_id: Schema.String,
          status: Schema.String,
          order_status: Schema.String,
          bags: Schema.Array(Schema.Record(open))
        },
        open
      )
    )
  },
  open
).annotations({ identifier: "OrderView" })

const iso = (millis: number): string => DateTime.formatIso(DateTime.unsafeMake(millis))

const isoOrNull = (millis: number | null): string | null => (millis === null ? null : iso(millis))

const address = (one: Address) => ({ ...one })

const lineTotal = (item: ShipmentItem): number =>
  item.esp * item.ordered - item.discount - item.couponDiscount + item.deliveryCharge

const bag = (shipment: Shipment) => (item: ShipmentItem) => {
  const money = (minor: number) => Money.toNumber(minor, shipment.currency)
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
      discount: money(item.discount),
      coupon_discount: money(item.couponDiscount),
      delivery_charge: money(item.deliveryCharge),
      total: money(lineTotal(item))
    },
    tax: { rate: item.taxRate, amount: money(item.taxAmount) },
    qc: { good: item.good, bad: item.bad, reasons: item.qcReasons }
  }
}

const locationCode = (marketplace: Marketplace, shipment: Shipment): string =>
  marketplace.locations.find(
    ({ companyId, location }) => companyId === shipment.companyId && location === shipment.location
  )?.code ?? shipment.location

const shipmentView = (marketplace: Marketplace) => (shipment: Shipment) => ({
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
  bags: shipment.items.map(bag(shipment))
})

const sumOf = (draft: OrderDraft, of: (line: OrderDraft["shipments"][number]["lines"][number]) => number): number => {
  const minor = draft.shipments
    .flatMap(({ lines }) => lines)
    .reduce((sum, line) => sum + Math.round(of(line) * 10 ** (Money.exponent(draft.currency) ?? 0)), 0)
  return Money.toNumber(minor, draft.currency)
}

export const orderView = (
  order: Order,
  marketplace: Marketplace,
  shipments: ReadonlyArray<Shipment>
): typeof OrderView.Type => {
  const { draft } = order
  return {
    platform_order_id: order.id,
    external_order_id: draft.externalOrderId,
    ordering_currency: draft.currency,
    order_date: iso(order.orderDate),
    created_at: iso(order.createdAt),
    pricing: {
      total: Money.toNumber(order.total, draft.currency),
      discount: sumOf(draft, (line) => line.discount),
      coupon_discount: sumOf(draft, (line) => line.couponDiscount),
      delivery_charge: sumOf(draft, (line) => line.deliveryCharge),
      charges: draft.charges,
      coupon: draft.coupon
    },
    payment: draft.payment,
    taxes: { gstin: draft.gstin, amount: sumOf(draft, (line) => line.tax?.amount ?? 0) },
    customer: draft.customer,
    billing_address: address(draft.billingAddress),
    shipping_address: address(draft.shippingAddress),
    shipments: shipments.map(shipmentView(marketplace)),
    meta: draft.meta
  }
}
