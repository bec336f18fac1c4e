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
  paymentOf,
  remaining,
  type Shipment,
  type ShipmentItem,
  statusChangedAt
} from "@crossdock/shipments"
import * as Schema from "effect/Schema"
import * as Fields from "../internal/Fields.ts"
import { iso, isoOrNull } from "../internal/IsoTime.ts"
import type { DocumentUrls } from "./DocumentLinks.ts"

const text = Schema.NullOr(Schema.String)

const AddressView = Schema.Struct({
  name: Schema.String,
  phone: Schema.String,
  email: text,
  addressLine1: Schema.String,
  addressLine2: text,
  landmark: text,
  city: Schema.String,
  state: Schema.String,
  pincode: Schema.String,
  country: Schema.String
}).annotate({ identifier: "Address" })

const ItemView = Schema.StructWithRest(
  Schema.Struct({
    orderItemId: Schema.String,
    external_line_id: text,
    sku: Schema.String,
    title: Schema.String,
    quantity: Schema.Int,
    cancelledQuantity: Schema.Int,
    orderItemPrice: Fields.object,
    status: Schema.String
  }),
  [Fields.object]
).annotate({ identifier: "OrderItem" })

export const ShipmentView = Schema.Struct({
  id: Schema.String,
  forwardId: Schema.String,
  marketplaceOrderId: Schema.String,
  marketplaceReturnId: text,
  marketplaceInvoiceNumber: text,
  shippingAddress: AddressView,
  billingAddress: AddressView,
  multiPackShipment: Schema.Boolean,
  packages: Schema.Array(Fields.object),
  fulfillmentType: Schema.String,
  sellerInvoiced: Schema.Boolean,
  courierName: text,
  courierCode: text,
  awbNumber: Schema.Array(Schema.String),
  additionalInfo: Schema.String,
  orderPrice: Fields.object,
  orderItems: Schema.Array(ItemView),
  orderStatus: Schema.String,
  orderDate: Schema.String,
  modifiedDate: Schema.String,
  paymentType: Schema.String,
  taxExempted: Schema.Boolean,
  gstin: text,
  packAfterDate: text,
  packByDate: text,
  pickUpSlots: Schema.Array(Fields.json),
  orderingChannel: Schema.String,
  labelPdfUrl: text,
  labelA6PdfUrl: text,
  purchaseOrderPdfUrl: text,
  invoiceNumber: text,
  returnInvoiceNumber: text,
  irnNumber: text,
  invoiceQrCode: text,
  signedInvoice: text,
  orderBusinessType: Schema.String,
  lockStatus: Schema.Boolean,
  fulfillmentPriority: text,
  journeyType: Schema.String,
  invoiceGenerationDate: text,
  shipmentTags: Schema.Array(Schema.String),
  sla: Schema.String,
  cformProvided: Schema.Boolean,
  channel_bag_id: Schema.String,
  channel_shipment_id: Schema.String,
  A4invoicePdfUrl: text,
  A6invoicePdfUrl: text,
  is_returnless: Schema.Boolean,
  is_self_ship: Schema.Boolean
}).annotate({ identifier: "Shipment" })

export const InfoView = Schema.Struct({
  orders: Schema.Array(
    Schema.Struct({ ...ShipmentView.fields, orderType: Schema.String }).annotate({ identifier: "ShipmentInfo" })
  )
}).annotate({ identifier: "ShipmentInfoList" })

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

/**
 * The lines without cancelled units, which are priced in the shipment that the cancellation created.
 */
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
    totalPrepaidAmount: money(paymentOf(order, shipment.linesBefore, total).prepaid),
    totalShippingCharges: money(sum((item) => item.deliveryCharge)),
    totalTax: money(sum((item) => item.taxAmount)),
    totalPrice: money(total),
    couponOwnership: couponOwner,
    amountDueToSeller: money(sum((item) => dueToSeller(item, couponOwner)))
  }
}

/**
 * A field of the e-invoice: of the sale's invoice, else of the credit note, as for a return.
 */
const eInvoice = ({ creditNote, invoice }: Shipment, of: "irn" | "qrCode" | "signedInvoice"): string | null =>
  invoice?.[of] ?? creditNote?.[of] ?? null

/**
 * `documents` are the links to the shipment's label and invoice.
 */
export const shipmentView = (
  { order, shipment }: OrderedShipment<Shipment>,
  documents: DocumentUrls
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
  taxExempted: shipment.items.every(({ taxAmount, taxRate }) => taxRate === 0 && taxAmount === 0),
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
  irnNumber: eInvoice(shipment, "irn"),
  invoiceQrCode: eInvoice(shipment, "qrCode"),
  signedInvoice: eInvoice(shipment, "signedInvoice"),
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
  is_returnless: false,
  is_self_ship: shipment.selfShip
})

export const infoView = (views: ReadonlyArray<typeof ShipmentView.Type>): typeof InfoView.Type => ({
  orders: views.map((one) => ({ ...one, orderType: one.orderBusinessType }))
})
