/** A record of invoiceUpdate, and the move that the record asks for. Source: docs/reference/shipments.md#invoice-update. */
import type { Package, ShipmentCommand } from "@crossdock/shipments"
import * as Schema from "effect/Schema"
import * as Fields from "../internal/Fields.ts"
import { field, nullableField } from "../internal/Fields.ts"
import { Limits } from "../Limits.ts"

/** An item has at most `quantity` serial numbers, all different. Source: docs/reference/shipments.md#invoice-items. */
const InvoiceItem = Schema.Struct({
  orderItemId: field(Fields.name, "Id of the item, from the shipment's orderItems"),
  quantity: nullableField(Fields.integer(1, Limits.quantity), "If sent, must equal the item's remaining units"),
  imeiSerialNumber: Fields.optional(Schema.Array(Fields.name))
}).check(
  Fields.rule(({ imeiSerialNumber, quantity }) => {
    const imei = imeiSerialNumber ?? []
    const at = Fields.repeatedAt(imei)
    const fault =
      at !== undefined
        ? `has the serial number ${JSON.stringify(imei[at])} twice; send each once`
        : imei.length > (quantity ?? imei.length)
          ? `has ${imei.length} serial numbers for a quantity of ${quantity}; send at most one for each unit`
          : undefined
    return fault === undefined ? undefined : { path: ["imeiSerialNumber"], issue: `[INVALID_VALUE] ${fault}` }
  })
)

const items = Schema.Array(InvoiceItem).check(
  Fields.distinct("orderItemId", "[INVALID_VALUE] names an item that appears earlier in this record; name each once")
)

const measure = Fields.optional(Fields.measure)

const PackageRecord = Schema.Struct({
  packageId: nullableField(Fields.text(), "The seller's id of the package"),
  packageLengthCm: field(measure, "Length in centimetres"),
  packageWidthCm: field(measure, "Width in centimetres"),
  packageHeightCm: field(measure, "Height in centimetres"),
  packageWeightGms: field(measure, "Weight in grams")
})

export const InvoiceRecord = Schema.Struct({
  orderId: Fields.shipmentId,
  invoiceNumber: field(Fields.name, "Number of the invoice or credit note, unique in the company"),
  invoiceType: field(Fields.oneOf("sale", "return"), "sale: an invoice; return: a credit note"),
  invoiceQrCode: nullableField(Fields.text(Limits.qrCodeLength), "Text of the invoice's QR code"),
  irnNumber: nullableField(Fields.text(), "Invoice reference number of the e-invoice"),
  signedInvoice: nullableField(Fields.text(Limits.signedInvoiceLength), "The signed e-invoice"),
  ackNumber: nullableField(Fields.text(), "Acknowledgement number of the e-invoice"),
  ackDate: nullableField(Fields.text(), "Acknowledgement date of the e-invoice, as text"),
  orderItems: nullableField(items, "Items with serial numbers. Items not listed here are invoiced too"),
  packages: nullableField(Schema.Array(PackageRecord), "All packages of the shipment, replacing the previous ones")
}).annotate({ identifier: "InvoiceRecord", description: "The invoice or credit note of a shipment" })

/** The record at a host that numbers the papers of sellers. */
export const UnnumberedRecord = Schema.Struct({
  ...InvoiceRecord.fields,
  invoiceNumber: nullableField(Fields.name, "Number of the invoice or credit note; absent: the host's next number")
}).annotate({ identifier: "InvoiceRecord", description: "The invoice or credit note of a shipment" })

const packageOf = (one: typeof PackageRecord.Type): Package => ({
  id: one.packageId ?? null,
  lengthCm: one.packageLengthCm ?? null,
  widthCm: one.packageWidthCm ?? null,
  heightCm: one.packageHeightCm ?? null,
  weightGrams: one.packageWeightGms ?? null
})

export const invoiceCommand = (record: typeof UnnumberedRecord.Type): ShipmentCommand => ({
  _tag: record.invoiceType === "sale" ? "InvoiceSale" : "CreditNote",
  invoice: {
    number: record.invoiceNumber ?? "",
    irn: record.irnNumber ?? null,
    qrCode: record.invoiceQrCode ?? null,
    signedInvoice: record.signedInvoice ?? null,
    ackNumber: record.ackNumber ?? null,
    ackDate: record.ackDate ?? null
  },
  items: (record.orderItems ?? []).map(({ imeiSerialNumber, orderItemId, quantity }) => ({
    itemId: orderItemId,
    quantity: quantity ?? null,
    imei: imeiSerialNumber ?? []
  })),
  packages: record.packages?.map(packageOf) ?? null
})
