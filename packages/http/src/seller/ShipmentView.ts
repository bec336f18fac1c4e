/** The sellers' view of a shipment. Source: docs/reference/shipments.md#view. */
import { Money } from "@crossdock/kernel"
import { unitsLeft } from "@crossdock/returns"
import type { Address, CouponOwner, OrderedShipment, Shipment, ShipmentItem } from "@crossdock/shipments"
import {
  dueToSeller,
  isCancelled,
  isReturnless,
  lineTotal,
  orderStatusOf,
  orderStatusValues,
  paymentOf,
  remaining,
  statusChangedAt
} from "@crossdock/shipments"
import * as Schema from "effect/Schema"
import * as Fields from "../internal/Fields.ts"
import { field, iso, isoOrNull, nestedList, optionalField } from "../internal/Fields.ts"
import type { DocumentUrls } from "./DocumentLinks.ts"

const text = Schema.NullOr(Schema.String)

const AddressView = Schema.Struct({
  name: field(Schema.String, "Name of the person"),
  phone: field(Schema.String, "Phone number"),
  email: field(text, "E-mail address"),
  addressLine1: field(Schema.String, "First line"),
  addressLine2: field(text, "Second line"),
  landmark: field(text, "Landmark"),
  city: field(Schema.String, "City"),
  state: field(Schema.String, "State"),
  pincode: field(Schema.String, "Postal code"),
  country: field(Schema.String, "Country")
}).annotate({ identifier: "Address", description: "An address" })

const ItemPrice = Schema.Struct({
  currency: field(Fields.currency, "The location's currency"),
  mrp: field(Schema.NullOr(Schema.Finite), "Maximum retail price of one unit"),
  sellingPrice: field(Schema.Finite, "Selling price of one unit"),
  discount: field(Schema.Finite, "Discount on all remaining units"),
  couponDiscount: field(Schema.Finite, "Coupon discount on all remaining units"),
  shippingCharges: field(Schema.Finite, "Delivery charge of all remaining units"),
  taxRate: field(Schema.NullOr(Schema.Finite), "Tax rate in percent"),
  taxAmount: field(Schema.Finite, "Tax in totalPrice"),
  totalPrice: field(Schema.Finite, "Price of all remaining units, with tax"),
  amountDueToSeller: field(Schema.Finite, "Amount due to the seller for these units")
}).annotate({ identifier: "OrderItemPrice", description: "The prices of an item, in the currency's main unit" })

export const QualityCheck = Schema.Struct({
  good: field(Fields.count(), "Units that passed"),
  bad: field(Fields.count(), "Units that failed"),
  reasons: nestedList("Why units failed", {
    code: field(Fields.count(), "Reason code"),
    reason: field(Schema.String, "The reason in words")
  })
}).annotate({ identifier: "QualityCheck", description: "The result of a quality check" })

const PackageView = Schema.Struct({
  packageId: field(text, "The seller's id of the package"),
  packageLengthCm: field(Schema.NullOr(Schema.Finite), "Length in centimetres"),
  packageWidthCm: field(Schema.NullOr(Schema.Finite), "Width in centimetres"),
  packageHeightCm: field(Schema.NullOr(Schema.Finite), "Height in centimetres"),
  packageWeightGms: field(Schema.NullOr(Schema.Finite), "Weight in grams")
}).annotate({ identifier: "Package", description: "A package of a shipment" })

const OrderPrice = Schema.Struct({
  currency: field(Fields.currency, "The location's currency"),
  totalCashOnDeliveryCharges: field(Schema.Finite, "Always 0"),
  totalDiscount: field(Schema.Finite, "Discounts and coupon discounts of the items"),
  totalGiftCharges: field(Schema.Finite, "Always 0"),
  totalStoreCredit: field(Schema.Finite, "Always 0"),
  totalPrepaidAmount: field(Schema.Finite, "The shipment's share of the prepayment"),
  totalShippingCharges: field(Schema.Finite, "Delivery charges of the items"),
  totalTax: field(Schema.Finite, "Taxes in totalPrice"),
  totalPrice: field(Schema.Finite, "Price of all remaining units, with tax"),
  couponOwnership: field(Schema.NullOr(Schema.Literals(["SELLER", "MARKETPLACE"])), "Who bears the coupon discounts"),
  amountDueToSeller: field(Schema.Finite, "Amount due to the seller for the shipment")
}).annotate({ identifier: "OrderPrice" })

const ItemView = Schema.Struct({
  orderItemId: field(Schema.String, "Id of the item"),
  external_line_id: field(text, "The line's id at the marketplace"),
  sku: field(Schema.String, "The SKU"),
  title: field(Schema.String, "The product's name at the time of the order"),
  quantity: field(Fields.count(), "Units not cancelled"),
  cancelledQuantity: field(Fields.count(), "Cancelled units"),
  orderItemPrice: field(ItemPrice, "Prices of the item"),
  status: field(Schema.Literals(orderStatusValues), "CANCELLED when no unit is left, else the shipment's order status"),
  qc: optionalField(QualityCheck, "The quality check, once it is done"),
  custom_fields: Fields.customFields
}).annotate({ identifier: "OrderItem", description: "An item of a shipment" })

export const ShipmentView = Schema.Struct({
  id: field(Schema.String, "Id of the shipment: 20 digits, as text. Operations call it orderId"),
  forwardId: Schema.String,
  marketplaceOrderId: field(Schema.String, "The order's external_order_id"),
  marketplaceReturnId: field(text, "The return's id at the marketplace; null for a forward shipment"),
  marketplaceInvoiceNumber: field(text, "Always null"),
  shippingAddress: field(AddressView, "Where it goes"),
  billingAddress: field(AddressView, "Who is billed"),
  multiPackShipment: field(Schema.Boolean, "Whether the shipment has more than one package"),
  packages: field(Schema.Array(PackageView), "The packages from invoiceUpdate"),
  fulfillmentType: field(Schema.Literals(["sellerFulfilled", "marketplaceFulfilled"]), "Who fulfils the order"),
  sellerInvoiced: field(Schema.Boolean, "Whether the sale invoice is recorded"),
  courierName: field(text, "Name of the courier, if any"),
  courierCode: field(text, "Code of the courier, if any"),
  awbNumber: field(Schema.Array(Schema.String), "The courier's numbers of the parcels"),
  additionalInfo: field(Schema.String, "Further details from the courier"),
  orderPrice: field(OrderPrice, "Prices of the shipment"),
  orderItems: field(Schema.Array(ItemView), "Its items"),
  orderStatus: field(Schema.Literals(orderStatusValues), "The order status, derived from the operational status"),
  orderDate: field(Fields.time, "Date of the order, ISO 8601 in UTC"),
  modifiedDate: field(Fields.time, "Last change of status, ISO 8601 in UTC"),
  paymentType: field(Schema.Literals(["COD", "Prepaid"]), "How the customer pays"),
  taxExempted: field(Schema.Boolean, "Whether every line of the order has a tax of 0"),
  gstin: field(text, "The buyer's GSTIN"),
  packAfterDate: field(Schema.NullOr(Fields.time), "Pack after this time, ISO 8601 in UTC"),
  packByDate: field(Schema.NullOr(Fields.time), "Pack by this time, ISO 8601 in UTC"),
  pickUpSlots: field(Schema.Array(Fields.json), "Always empty"),
  orderingChannel: field(Schema.String, "The marketplace's slug"),
  labelPdfUrl: text,
  labelA6PdfUrl: field(text, "Like labelPdfUrl, on A6"),
  purchaseOrderPdfUrl: field(text, "Always null"),
  invoiceNumber: field(text, "Number of the invoice"),
  returnInvoiceNumber: field(text, "Number of the credit note"),
  irnNumber: field(text, "Invoice reference number of the sale's e-invoice"),
  invoiceQrCode: field(text, "Text of the sale invoice's QR code"),
  signedInvoice: field(text, "The sale's signed e-invoice"),
  orderBusinessType: field(Schema.Literals(["B2B", "B2C"]), "B2B when the order has a GSTIN"),
  lockStatus: field(Schema.Boolean, "true: the shipment is locked and rejects every move"),
  fulfillmentPriority: field(text, "Always null"),
  journeyType: field(Schema.Literals(["forward", "return"]), "To the customer (forward) or back (return)"),
  invoiceGenerationDate: field(Schema.NullOr(Fields.time), "When invoiceUpdate recorded the invoice, ISO 8601 in UTC"),
  shipmentTags: Schema.Array(Schema.Literal("partial_cancellation")),
  sla: field(Fields.time, "Deadline for packing: order time plus the location's handling hours, ISO 8601 in UTC"),
  cformProvided: field(Schema.Boolean, "Always false"),
  channel_bag_id: field(Schema.String, "The first line's id at the marketplace, else the external_shipment_id"),
  channel_shipment_id: field(Schema.String, "The external_shipment_id"),
  A4invoicePdfUrl: field(text, "Link to the invoice or credit note on A4; null until it exists"),
  A6invoicePdfUrl: field(text, "Like A4invoicePdfUrl, on A6"),
  is_returnless: field(Schema.Boolean, "Whether none of the shipment's products can be returned"),
  is_self_ship: field(Schema.Boolean, "Whether the seller runs the logistics"),
  custom_fields: Fields.customFields,
  order_custom_fields: Fields.customFields
}).annotate({ identifier: "Shipment", description: "A shipment in the seller's view" })

export const InfoView = Schema.Struct({
  orders: Schema.Array(
    Schema.Struct({
      ...ShipmentView.fields,
      orderType: field(Schema.Literals(["B2B", "B2C"]), "The same as orderBusinessType")
    }).annotate({ identifier: "ShipmentInfo", description: "A shipment with its orderType" })
  )
}).annotate({ identifier: "ShipmentInfoList", description: "A page of shipments" })

export const fieldsOf = ({ customFields }: Pick<ShipmentItem, "customFields">) =>
  customFields === undefined ? {} : { custom_fields: customFields }

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
    ...(item.good + item.bad === 0 ? {} : { qc: { good: item.good, bad: item.bad, reasons: item.qcReasons } }),
    ...fieldsOf(item)
  }
}

const orderPrice = ({ order, shipment }: OrderedShipment) => {
  const { couponOwner } = order
  // The shipment that a cancellation created has the prices of cancelled units.
  const lines = shipment.items.map(remaining)
  const sum = (of: (item: ShipmentItem) => number): number => lines.reduce((a, item) => a + of(item), 0)
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

/** `documents` are the links to the label and the invoice. `returnless` are the SKUs that can't be returned. */
export const shipmentView = (
  { order, shipment }: OrderedShipment,
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
  is_returnless: isReturnless(shipment, returnless),
  is_self_ship: shipment.selfShip,
  ...fieldsOf(shipment),
  ...(shipment.orderFields === undefined ? {} : { order_custom_fields: shipment.orderFields })
})

export const infoView = (views: ReadonlyArray<typeof ShipmentView.Type>): typeof InfoView.Type => ({
  orders: views.map((one) => ({ ...one, orderType: one.orderBusinessType }))
})
