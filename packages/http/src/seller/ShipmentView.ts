/**
 * A shipment as sellers read it. Source: docs/reference/shipments.md#view.
 */

import { Money } from "@crossdock/kernel"
import { unitsLeft } from "@crossdock/returns"
import {
  type Address,
  type CouponOwner,
  dueToSeller,
  isCancelled,
  lineTotal,
  type OrderedShipment,
  orderStatusOf,
  orderStatusValues,
  paymentOf,
  remaining,
  type Shipment,
  type ShipmentItem,
  statusChangedAt
} from "@crossdock/shipments"
import * as Schema from "effect/Schema"
import * as Fields from "../internal/Fields.ts"
import { described, iso, isoOrNull } from "../internal/Fields.ts"
import type { DocumentUrls } from "./DocumentLinks.ts"

const text = Schema.NullOr(Schema.String)

const AddressView = Schema.Struct({
  name: described(Schema.String, "Name of the person"),
  phone: described(Schema.String, "Phone number"),
  email: described(text, "E-mail address"),
  addressLine1: described(Schema.String, "First line"),
  addressLine2: described(text, "Second line"),
  landmark: described(text, "A landmark near it"),
  city: described(Schema.String, "City"),
  state: described(Schema.String, "State"),
  pincode: described(Schema.String, "Postal code"),
  country: described(Schema.String, "Country")
}).annotate({ identifier: "Address", description: "An address" })

const ItemPrice = Schema.Struct({
  currency: described(Fields.currency, "The location's currency"),
  mrp: described(Schema.NullOr(Schema.Finite), "Maximum retail price of one unit"),
  sellingPrice: described(Schema.Finite, "Selling price of one unit"),
  discount: described(Schema.Finite, "Discount on all units that are left"),
  couponDiscount: described(Schema.Finite, "Coupon discount on all units that are left"),
  shippingCharges: described(Schema.Finite, "Delivery charge of all units that are left"),
  taxRate: described(Schema.NullOr(Schema.Finite), "Rate of the tax in percent"),
  taxAmount: described(Schema.Finite, "Tax in totalPrice"),
  totalPrice: described(Schema.Finite, "Price of all units that are left, with tax"),
  amountDueToSeller: described(Schema.Finite, "What the seller is due for them")
}).annotate({ identifier: "OrderItemPrice", description: "Amounts are in the currency's main unit" })

/** The results of a quality check. */
export const QualityCheck = Schema.Struct({
  good: described(Fields.count(), "Units that passed"),
  bad: described(Fields.count(), "Units that failed"),
  reasons: described(
    Schema.Array(
      Schema.Struct({
        code: described(Fields.count(), "Reason code"),
        reason: described(Schema.String, "The reason in words")
      })
    ),
    "Why units failed"
  )
}).annotate({ identifier: "QualityCheck", description: "The result of a quality check" })

/** A package as it was stated. */
const PackageView = Schema.Struct({
  packageId: described(text, "The seller's id of the package"),
  packageLengthCm: described(Schema.NullOr(Schema.Finite), "Length in centimetres"),
  packageWidthCm: described(Schema.NullOr(Schema.Finite), "Width in centimetres"),
  packageHeightCm: described(Schema.NullOr(Schema.Finite), "Height in centimetres"),
  packageWeightGms: described(Schema.NullOr(Schema.Finite), "Weight in grams")
}).annotate({ identifier: "Package", description: "A package of a shipment" })

const OrderPrice = Schema.Struct({
  currency: described(Fields.currency, "The location's currency"),
  totalCashOnDeliveryCharges: described(Schema.Finite, "Always 0"),
  totalDiscount: described(Schema.Finite, "Discounts and coupon discounts of the items"),
  totalGiftCharges: described(Schema.Finite, "Always 0"),
  totalStoreCredit: described(Schema.Finite, "Always 0"),
  totalPrepaidAmount: described(Schema.Finite, "The shipment's share of what was paid before delivery"),
  totalShippingCharges: described(Schema.Finite, "Delivery charges of the items"),
  totalTax: described(Schema.Finite, "Taxes in totalPrice"),
  totalPrice: described(Schema.Finite, "Price of all units that are left, with tax"),
  couponOwnership: described(
    Schema.NullOr(Schema.Literals(["SELLER", "MARKETPLACE"])),
    "Who bears the coupon discounts"
  ),
  amountDueToSeller: described(Schema.Finite, "What the seller is due for the shipment")
}).annotate({
  identifier: "OrderPrice",
  description: "Amounts are in the currency's main unit and leave out cancelled units"
})

const ItemView = Schema.Struct({
  orderItemId: described(Schema.String, "Id of the item"),
  external_line_id: described(text, "The line's id at the marketplace"),
  sku: described(Schema.String, "The SKU"),
  title: described(Schema.String, "The product's name when it was ordered"),
  quantity: described(Fields.count(), "Units that are not cancelled"),
  cancelledQuantity: described(Fields.count(), "Units that were cancelled"),
  orderItemPrice: described(ItemPrice, "Prices of the item"),
  status: described(
    Schema.Literals(orderStatusValues),
    "CANCELLED when no unit is left, else the shipment's order status"
  ),
  qc: described(Schema.optionalKey(QualityCheck), "The quality check, after one")
}).annotate({ identifier: "OrderItem", description: "An item of a shipment" })

export const ShipmentView = Schema.Struct({
  id: described(Schema.String, "Id of the shipment: 20 digits, as text; every operation calls it orderId"),
  forwardId: described(
    Schema.String,
    "Id of the forward shipment: its own, unless it is a return or a part that was cancelled"
  ),
  marketplaceOrderId: described(Schema.String, "The order's external_order_id"),
  marketplaceReturnId: described(text, "The return's id at the marketplace; null for a forward shipment"),
  marketplaceInvoiceNumber: described(text, "Always null"),
  shippingAddress: described(AddressView, "Where it goes"),
  billingAddress: described(AddressView, "Who is billed"),
  multiPackShipment: described(Schema.Boolean, "Whether it has more than one package"),
  packages: described(Schema.Array(PackageView), "The packages of invoiceUpdate"),
  fulfillmentType: described(Schema.Literals(["sellerFulfilled", "marketplaceFulfilled"]), "Who fulfils the order"),
  sellerInvoiced: described(Schema.Boolean, "Whether it has its sale invoice"),
  courierName: described(text, "Name of the courier; null before there is one"),
  courierCode: described(text, "Code of the courier; null before there is one"),
  awbNumber: described(Schema.Array(Schema.String), "The courier's numbers of the parcels"),
  additionalInfo: described(Schema.String, "What else the courier says"),
  orderPrice: described(OrderPrice, "Prices of the shipment"),
  orderItems: described(Schema.Array(ItemView), "Its items"),
  orderStatus: described(
    Schema.Literals(orderStatusValues),
    "The order status; several operational statuses show as one"
  ),
  orderDate: described(Fields.time, "Date of the order, ISO 8601 in UTC"),
  modifiedDate: described(Fields.time, "Last change of status, ISO 8601 in UTC"),
  paymentType: described(Schema.Literals(["COD", "Prepaid"]), "How the customer pays"),
  taxExempted: described(Schema.Boolean, "Whether every line of the order said that its tax is 0"),
  gstin: described(text, "The buyer's GSTIN"),
  packAfterDate: described(Schema.NullOr(Fields.time), "Pack after this time, ISO 8601 in UTC"),
  packByDate: described(Schema.NullOr(Fields.time), "Pack by this time, ISO 8601 in UTC"),
  pickUpSlots: described(Schema.Array(Fields.json), "Always empty"),
  orderingChannel: described(Schema.String, "The marketplace's slug"),
  labelPdfUrl: described(
    text,
    "Link to the label on A4, which opens without a token until the end of the next day in UTC; null while it does not exist"
  ),
  labelA6PdfUrl: described(text, "The same on A6"),
  purchaseOrderPdfUrl: described(text, "Always null"),
  invoiceNumber: described(text, "Number of the invoice"),
  returnInvoiceNumber: described(text, "Number of the credit note"),
  irnNumber: described(text, "Invoice reference number of the sale's e-invoice"),
  invoiceQrCode: described(text, "Text of the sale's QR code"),
  signedInvoice: described(text, "The sale's signed e-invoice"),
  orderBusinessType: described(Schema.Literals(["B2B", "B2C"]), "B2B when the order has a GSTIN"),
  lockStatus: described(Schema.Boolean, "Whether it is locked: a locked shipment rejects every move"),
  fulfillmentPriority: described(text, "Always null"),
  journeyType: described(Schema.Literals(["forward", "return"]), "The way out, or the way back"),
  invoiceGenerationDate: described(
    Schema.NullOr(Fields.time),
    "When invoiceUpdate recorded the invoice, ISO 8601 in UTC"
  ),
  shipmentTags: described(
    Schema.Array(Schema.Literal("partial_cancellation")),
    "partial_cancellation for a part that was cancelled"
  ),
  sla: described(Fields.time, "Pack by this time: order time and the location's handling hours, ISO 8601 in UTC"),
  cformProvided: described(Schema.Boolean, "Always false"),
  channel_bag_id: described(Schema.String, "The first line's id at the marketplace, else the external_shipment_id"),
  channel_shipment_id: described(Schema.String, "The external_shipment_id"),
  A4invoicePdfUrl: described(text, "Link to the invoice or credit note on A4; null while it does not exist"),
  A6invoicePdfUrl: described(text, "The same on A6"),
  is_returnless: described(Schema.Boolean, "Whether none of its products can come back"),
  is_self_ship: described(Schema.Boolean, "Whether the seller ships it itself")
}).annotate({ identifier: "Shipment", description: "A shipment as its seller reads it" })

export const InfoView = Schema.Struct({
  orders: described(
    Schema.Array(
      Schema.Struct({
        ...ShipmentView.fields,
        orderType: described(Schema.Literals(["B2B", "B2C"]), "The same as orderBusinessType")
      }).annotate({ identifier: "ShipmentInfo", description: "A shipment with its orderType" })
    ),
    "The shipments, newest first"
  )
}).annotate({ identifier: "ShipmentInfoList", description: "Shipments with their orderType" })

const address = (one: Address) => ({
  name: one.name,
  phone: one.phone,
  email: one.email,
  addressLine1: one.address1,
  addressLine2: one.address2,
  landmark: one.landmark,
  city: one.city,
  state: one.state,
  pincode: one.pincode,
  country: one.country
})

/** The lines without cancelled units, which are priced in the shipment that the cancellation created. */
const linesOf = (shipment: Shipment): ReadonlyArray<ShipmentItem> => shipment.items.map(remaining)

const itemView = (shipment: Shipment, couponOwner: CouponOwner | null) => (item: ShipmentItem) => {
  const money = (minor: number) => Money.toNumber(minor, shipment.currency)
  const priced = remaining(item)
  return {
    orderItemId: item.id,
    external_line_id: item.externalLineId,
    sku: item.sku,
    title: item.title,
    quantity: unitsLeft(item),
    cancelledQuantity: item.cancelled,
    orderItemPrice: {
      currency: shipment.currency,
      mrp: item.mrp === null ? null : money(item.mrp),
      sellingPrice: money(item.esp),
      discount: money(priced.discount),
      couponDiscount: money(priced.couponDiscount),
      shippingCharges: money(priced.deliveryCharge),
      taxRate: item.taxRate,
      taxAmount: money(priced.taxAmount),
      totalPrice: money(lineTotal(priced)),
      amountDueToSeller: money(dueToSeller(priced, couponOwner))
    },
    status: unitsLeft(item) === 0 ? "CANCELLED" : orderStatusOf(shipment),
    ...(item.good + item.bad === 0 ? {} : { qc: { good: item.good, bad: item.bad, reasons: item.qcReasons } })
  }
}

const orderPrice = ({ order, shipment }: OrderedShipment<Shipment>) => {
  const { couponOwner } = order
  const sum = (of: (item: ShipmentItem) => number): number => linesOf(shipment).reduce((a, item) => a + of(item), 0)
  const money = (minor: number) => Money.toNumber(minor, shipment.currency)
  const total = sum(lineTotal)
  return {
    currency: shipment.currency,
    totalCashOnDeliveryCharges: 0,
    totalDiscount: money(sum((item) => item.discount + item.couponDiscount)),
    totalGiftCharges: 0,
    totalStoreCredit: 0,
    totalPrepaidAmount: money(paymentOf(order, shipment).prepaid),
    totalShippingCharges: money(sum((item) => item.deliveryCharge)),
    totalTax: money(sum((item) => item.taxAmount)),
    totalPrice: money(total),
    couponOwnership: couponOwner,
    amountDueToSeller: money(sum((item) => dueToSeller(item, couponOwner)))
  }
}

/**
 * `documents` are the links to the shipment's label and invoice, `returnless` the SKUs whose products can't come back.
 */
export const shipmentView = (
  { order, shipment }: OrderedShipment<Shipment>,
  documents: DocumentUrls,
  returnless: ReadonlySet<string>
): typeof ShipmentView.Type => ({
  id: shipment.id,
  forwardId: shipment.forwardId,
  marketplaceOrderId: shipment.externalOrderId,
  marketplaceReturnId: shipment.returnId,
  marketplaceInvoiceNumber: null,
  shippingAddress: address(order.shippingAddress),
  billingAddress: address(order.billingAddress),
  multiPackShipment: shipment.packages.length > 1,
  packages: shipment.packages.map((one) => ({
    packageId: one.id,
    packageLengthCm: one.lengthCm,
    packageWidthCm: one.widthCm,
    packageHeightCm: one.heightCm,
    packageWeightGms: one.weightGrams
  })),
  fulfillmentType: shipment.fulfillment === "SELLER" ? "sellerFulfilled" : "marketplaceFulfilled",
  sellerInvoiced: shipment.invoice !== null,
  courierName: shipment.courier?.name ?? null,
  courierCode: shipment.courier?.code ?? null,
  awbNumber: shipment.courier?.awbNumbers ?? [],
  additionalInfo: shipment.additionalInfo ?? "",
  orderPrice: orderPrice({ order, shipment }),
  orderItems: shipment.items.map(itemView(shipment, order.couponOwner)),
  orderStatus: orderStatusOf(shipment),
  orderDate: iso(shipment.orderDate),
  modifiedDate: iso(statusChangedAt(shipment)),
  paymentType: order.paymentMode === "COD" ? "COD" : "Prepaid",
  taxExempted: order.taxExempt,
  gstin: order.gstin,
  packAfterDate: isoOrNull(shipment.packAfter),
  packByDate: isoOrNull(shipment.packBy),
  pickUpSlots: [],
  orderingChannel: shipment.marketplace,
  labelPdfUrl: documents.labelPdfUrl,
  labelA6PdfUrl: documents.labelA6PdfUrl,
  purchaseOrderPdfUrl: null,
  invoiceNumber: shipment.invoice?.number ?? null,
  returnInvoiceNumber: shipment.creditNote?.number ?? null,
  irnNumber: shipment.invoice?.irn ?? null,
  invoiceQrCode: shipment.invoice?.qrCode ?? null,
  signedInvoice: shipment.invoice?.signedInvoice ?? null,
  orderBusinessType: order.gstin === null ? "B2C" : "B2B",
  lockStatus: shipment.locked,
  fulfillmentPriority: null,
  journeyType: shipment.journey,
  invoiceGenerationDate: isoOrNull(shipment.invoice?.at ?? null),
  shipmentTags: isCancelled(shipment) && shipment.forwardId !== shipment.id ? ["partial_cancellation"] : [],
  sla: iso(shipment.sla),
  cformProvided: false,
  channel_bag_id: shipment.items[0]?.externalLineId ?? shipment.externalShipmentId,
  channel_shipment_id: shipment.externalShipmentId,
  A4invoicePdfUrl: documents.A4invoicePdfUrl,
  A6invoicePdfUrl: documents.A6invoicePdfUrl,
  is_returnless: shipment.items.every(({ sku }) => returnless.has(sku)),
  is_self_ship: shipment.selfShip
})

export const infoView = (views: ReadonlyArray<typeof ShipmentView.Type>): typeof InfoView.Type => ({
  orders: views.map((one) => ({ ...one, orderType: one.orderBusinessType }))
})
