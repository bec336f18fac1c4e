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
import type { CouponOwner, Shipment, ShipmentItem } from "@crossdock/shipments"
import { dueToSeller, lineTotal, orderStatusOf, orderStatusValues, remaining } from "@crossdock/shipments"
import * as Schema from "effect/Schema"
import * as Fields from "../internal/Fields.ts"
import { field, iso, isoOrNull, nested, nestedList } from "../internal/Fields.ts"
import { eventsOf, TrackingEvent } from "../seller/ShipmentTracking.ts"
import { fieldsOf, QualityCheck } from "../seller/ShipmentView.ts"
import { addressFields } from "./OrderBody.ts"

const text = Schema.NullOr(Schema.String)

const AddressView = Schema.Struct(addressFields(Schema.String, text)).annotate({ identifier: "OrderViewAddress" })

const TaxView = Schema.Struct({
  rate: field(Schema.Finite, "Rate in percent"),
  amount: field(Schema.Finite, "The tax, included in the price")
}).annotate({ identifier: "OrderViewTax", description: "A tax contained in a price" })

const Bag = Schema.Struct({
  bag_id: field(Schema.String, "Id of the bag"),
  external_line_id: field(text, "The marketplace's id of the line"),
  sku: field(Schema.String, "The SKU"),
  title: field(Schema.String, "The product's name at the time of the order"),
  quantity: field(Fields.count(), "Units not cancelled"),
  cancelled_quantity: field(Fields.count(), "Cancelled units"),
  status: field(Fields.status, "Operational status of the shipment"),
  prices: nested("Prices of the bag", {
    mrp: field(Schema.NullOr(Schema.Finite), "Maximum retail price of one unit"),
    esp: field(Schema.Finite, "Selling price of one unit, with its tax"),
    discount: field(Schema.Finite, "Discount on the remaining units"),
    coupon_discount: field(Schema.Finite, "Coupon discount on the remaining units"),
    delivery_charge: field(Schema.Finite, "Delivery charge of the remaining units"),
    total: field(Schema.Finite, "Price of the remaining units"),
    amount_due_to_seller: field(Schema.Finite, "Amount due to the seller for these units")
  }),
  tax: nested("Tax of the bag", {
    rate: field(Schema.NullOr(Schema.Finite), "Rate in percent"),
    amount: field(Schema.Finite, "Tax of the remaining units")
  }),
  qc: field(QualityCheck, "The quality check; before it, good and bad are 0"),
  custom_fields: Fields.customFields
}).annotate({ identifier: "Bag", description: "A line of a shipment, with all its units" })

const ShipmentOfOrder = Schema.Struct({
  shipment_id: field(Schema.String, "Id of the shipment: 20 digits, as text"),
  external_shipment_id: field(Schema.String, "The marketplace's id of the shipment"),
  forward_shipment_id: Schema.String,
  location_id: field(Schema.String, "The marketplace's code of the location"),
  journey_type: field(Schema.Literals(["forward", "return"]), "To the customer (forward) or back (return)"),
  status: field(Fields.status, "The operational status"),
  order_status: field(Schema.Literals(orderStatusValues), "The order status in the seller's view"),
  fulfillment_type: field(Schema.Literals(["SELLER", "MARKETPLACE"]), "Who fulfils it"),
  is_self_ship: field(Schema.Boolean, "Whether the seller runs the logistics"),
  courier_name: field(text, "Name of the courier"),
  awb_number: field(Schema.Array(Schema.String), "The courier's numbers of the parcels"),
  invoice_number: field(text, "Number of the invoice"),
  credit_note_number: field(text, "Number of the credit note"),
  return_id: field(text, "The return's id at the marketplace"),
  delivery: nested("When it is due", {
    pack_after: field(Schema.NullOr(Fields.time), "Pack after this time, ISO 8601 in UTC"),
    pack_by: field(Schema.NullOr(Fields.time), "Pack by this time, ISO 8601 in UTC"),
    dispatch_by: field(Schema.NullOr(Fields.time), "Dispatch by this time, ISO 8601 in UTC"),
    deliver_by: field(Schema.NullOr(Fields.time), "Deliver by this time, ISO 8601 in UTC")
  }),
  events: field(Schema.Array(TrackingEvent), "All statuses so far, oldest first"),
  bags: field(Schema.Array(Bag), "Its lines"),
  custom_fields: Fields.customFields
}).annotate({ identifier: "ShipmentOfOrder", description: "A shipment in the marketplace's view" })

export const OrderView = Schema.Struct({
  platform_order_id: field(Schema.String, "Id of the order, 24 hex characters"),
  external_order_id: field(Schema.String, "The marketplace's id of the order"),
  ordering_currency: field(Fields.currency, "The order's currency"),
  order_date: field(Fields.time, "Time of the order, ISO 8601 in UTC"),
  created_at: field(Fields.time, "When the host accepted the order, ISO 8601 in UTC"),
  pricing: nested("The amounts at the time of the order", {
    total: field(Schema.Finite, "Total of lines and charges"),
    discount: field(Schema.Finite, "Discounts of the lines"),
    coupon_discount: field(Schema.Finite, "Coupon discounts of the lines"),
    delivery_charge: field(Schema.Finite, "Delivery charges of the lines"),
    amount_due_to_seller: field(Schema.Finite, "Amount due to the sellers"),
    charges: nestedList("Charges of the whole order", {
      name: field(Schema.String, "Name"),
      type: field(Schema.String, "The marketplace's type of the charge"),
      amount: field(Schema.Finite, "The charge, with its tax"),
      tax: field(Schema.NullOr(TaxView), "Its tax")
    }),
    coupon: Schema.NullOr(
      Schema.Struct({
        code: field(Schema.String, "The coupon's code"),
        amount: field(Schema.Finite, "Amount off"),
        ownership: field(Schema.Literals(["SELLER", "MARKETPLACE"]), "Who bears the lines' coupon discounts")
      })
    )
  }),
  payment: nested("How the customer pays", {
    mode: field(Schema.Literals(["COD", "PREPAID"]), "COD is paid on delivery, PREPAID before"),
    methods: nestedList("The methods", {
      mode: field(Schema.String, "COD is collected on delivery; every other method is prepaid"),
      name: field(Schema.String, "Name of the method"),
      amount: field(Schema.Finite, "Amount paid by this method")
    })
  }),
  taxes: nested("Taxes in the total", {
    gstin: field(text, "The buyer's GSTIN"),
    amount: field(Schema.Finite, "Taxes of lines and charges")
  }),
  customer: Schema.NullOr(
    Schema.Struct({
      name: field(Schema.String, "Name"),
      phone: field(text, "Phone number"),
      email: field(text, "E-mail address")
    })
  ),
  billing_address: field(AddressView, "Who is billed"),
  shipping_address: field(AddressView, "Where it goes"),
  shipments: field(Schema.Array(ShipmentOfOrder), "Every shipment, including returns"),
  meta: field(Schema.NullOr(Fields.object), "The marketplace's own data, as sent"),
  custom_fields: Fields.customFields
}).annotate({
  identifier: "OrderView",
  description: "An order in the marketplace's view. Amounts are in the currency's main unit"
})

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
    qc: { good: item.good, bad: item.bad, reasons: item.qcReasons },
    ...fieldsOf(item)
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
  events: eventsOf(shipment),
  bags: shipment.items.map(bag(shipment, couponOwner)),
  ...fieldsOf(shipment)
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
      charges: OrderPricing.chargesOf(draft),
      coupon: draft.coupon
    },
    payment: draft.payment,
    taxes: { gstin: draft.gstin, amount: money(sums.tax) },
    customer: draft.customer,
    billing_address: { ...draft.billingAddress },
    shipping_address: { ...draft.shippingAddress },
    shipments: shipments.map(shipmentView(marketplace, draft.coupon?.ownership ?? null)),
    meta: draft.meta,
    ...fieldsOf(draft)
  }
}
