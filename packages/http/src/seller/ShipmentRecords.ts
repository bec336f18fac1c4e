/**
 * The records of the shipment operations, and the lifecycle commands that they become.
 * Source: docs/reference/shipments.md#confirm and the sections after it.
 */

import { pointer } from "@crossdock/kernel"
import { qcReasons } from "@crossdock/returns"
import {
  faultyPortion,
  type ItemFault,
  type MoveBatch,
  operationalStatuses,
  type Package,
  reportOrReturn,
  type ShipmentCommand
} from "@crossdock/shipments"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Decode from "../internal/Decode.ts"
import * as Fields from "../internal/Fields.ts"
import { described } from "../internal/Fields.ts"
import type * as Records from "../internal/Records.ts"
import { metaOf, StatusMeta } from "../internal/StatusMeta.ts"
import { Limits } from "../Limits.ts"

const Portion = Schema.Struct({
  orderItemId: described(Fields.name, "Id of the item, from the shipment's orderItems"),
  quantity: described(Fields.integer(1, Limits.quantity), "Units")
})

const orderId = described(Fields.name, "Id of the shipment: 20 digits, as text")

export const ConfirmRecord = Schema.Struct({
  orderId,
  orderItems: described(Fields.list(Portion), "Every item with all units that are not cancelled")
}).annotate({ identifier: "ConfirmRecord", description: "A shipment to confirm" })

/** Callers send the code as text or as a number. */
const CancelReason = Schema.Union([
  Fields.text(),
  Schema.Number.check(Schema.isInt({ message: "[INVALID_TYPE] must be text, in quotes" }))
])

export const CancelRecord = Schema.Struct({
  orderId,
  orderItems: described(
    Fields.list(
      Schema.Struct({
        ...Portion.fields,
        reasonCode: described(Fields.optional(CancelReason), "Why: a code of your own, kept in the audit trail")
      })
    ),
    "The items and units to cancel; all of them cancel the shipment"
  )
}).annotate({ identifier: "CancelRecord", description: "A shipment to cancel, as a whole or in part" })

const measure = Fields.optional(Fields.measure)

/**
 * `imeiSerialNumber` has at most `quantity` serial numbers, all different. Source: docs/reference/shipments.md#invoice-items.
 */
const InvoiceItem = Schema.Struct({
  orderItemId: described(Fields.name, "Id of the item, from the shipment's orderItems"),
  quantity: described(Fields.optional(Fields.integer(1, Limits.quantity)), "Units; all that are left of the item"),
  imeiSerialNumber: described(
    Fields.optional(Schema.Array(Fields.name)),
    "Serial numbers of the units, at most one each, all different"
  )
}).check(
  Schema.makeFilter(({ imeiSerialNumber, quantity }) => {
    const imei = imeiSerialNumber ?? []
    const at = Fields.repeatedAt(imei)
    if (at !== undefined) {
      return {
        path: ["imeiSerialNumber"],
        issue: `[INVALID_VALUE] has the serial number ${JSON.stringify(imei[at])} twice; send each once`
      }
    }
    return imei.length > (quantity ?? imei.length)
      ? {
          path: ["imeiSerialNumber"],
          issue: `[INVALID_VALUE] has ${imei.length} serial numbers for a quantity of ${quantity}; send at most one for each unit`
        }
      : undefined
  })
)

const invoiceItems = Schema.Array(InvoiceItem).check(
  Schema.makeFilter((items) => {
    const at = Fields.repeatedAt(items.map(({ orderItemId }) => orderItemId))
    return at === undefined
      ? undefined
      : {
          path: [at, "orderItemId"],
          issue: "[INVALID_VALUE] names an item that appears earlier in this record; name each once"
        }
  })
)

export const InvoiceRecord = Schema.Struct({
  orderId,
  invoiceNumber: described(Fields.name, "Number of the invoice or credit note, unique in the company"),
  invoiceType: described(Fields.oneOf("sale", "return"), "sale: an invoice; return: a credit note"),
  invoiceQrCode: described(Fields.optional(Fields.text(Limits.qrCodeLength)), "Text of the invoice's QR code"),
  irnNumber: described(Fields.optional(Fields.text()), "Invoice reference number of the e-invoice"),
  signedInvoice: described(Fields.optional(Fields.text(Limits.signedInvoiceLength)), "The signed e-invoice"),
  ackNumber: described(Fields.optional(Fields.text()), "Acknowledgement number of the e-invoice"),
  ackDate: described(Fields.optional(Fields.text()), "Acknowledgement date of the e-invoice, as text"),
  orderItems: described(
    Fields.optional(invoiceItems),
    "The items with their serial numbers; items that are left out are invoiced too"
  ),
  packages: described(
    Fields.optional(
      Schema.Array(
        Schema.Struct({
          packageId: described(Fields.optional(Fields.text()), "The seller's id of the package"),
          packageLengthCm: described(measure, "Length in centimetres"),
          packageWidthCm: described(measure, "Width in centimetres"),
          packageHeightCm: described(measure, "Height in centimetres"),
          packageWeightGms: described(measure, "Weight in grams")
        })
      )
    ),
    "All packages of the shipment; they replace those of before"
  )
}).annotate({ identifier: "InvoiceRecord", description: "The invoice or credit note of a shipment" })

export const PackRecord = Schema.Struct({ orderId }).annotate({ identifier: "ShipmentKey", description: "A shipment" })

export const DispatchRecord = Schema.Struct({
  orderId,
  orderItems: described(Fields.optional(Fields.list(Portion)), "The items that are in the parcel; absent: all")
}).annotate({ identifier: "DispatchRecord", description: "A shipment that was handed to its courier" })

export const AwbRecord = Schema.Struct({
  awbNumber: described(Fields.name, "The courier's number of the parcel"),
  courierName: described(Fields.name, "Name of the courier"),
  orderId,
  autoDispatch: described(Fields.flag, "true dispatches the shipment too; a return takes only false")
}).annotate({ identifier: "AwbRecord", description: "The AWB number and courier of a shipment" })

export const StatusRecord = Schema.Struct({
  orderId,
  orderStatus: described(Fields.word(operationalStatuses), "The operational status that was reached"),
  meta: described(Fields.optional(StatusMeta), "What else is known of it")
}).annotate({ identifier: "StatusRecord", description: "A status that a shipment has reached" })

/**
 * A number, or digits as text. Anything else counts as absent, but a text must be valid text.
 * Source: docs/reference/returns.md#reason-codes.
 */
const ReasonCode = Schema.Unknown.pipe(
  Schema.check(
    Schema.makeFilter((value) => (typeof value === "string" ? Fields.textFault(value, Limits.textLength) : undefined))
  )
)

const reasons = `Why units are bad, a number or its digits as text: ${qcReasons.map(({ code, reason }) => `${code} ${reason}`).join(", ")}. Another code is kept and not shown`

export const ReturnRecord = Schema.Struct({
  orderId,
  orderItems: described(
    Fields.optional(
      Fields.list(
        Schema.Struct({
          ...Portion.fields,
          reasonCode: described(Schema.optionalKey(ReasonCode), reasons),
          badQc: described(Fields.optional(Fields.flag), "true: these units are bad; false: good")
        })
      )
    ),
    "The units and their result; absent: all units without a result"
  ),
  badQc: described(Fields.optional(Fields.flag), "The result of items that don't say it themselves; false when absent")
}).annotate({ identifier: "ReturnRecord", description: "The quality check of a return" })

const reasonCodeOf = (value: unknown): number | string | null =>
  typeof value === "number" || typeof value === "string" ? value : null

const portions = (items: ReadonlyArray<typeof Portion.Type>) =>
  items.map(({ orderItemId, quantity }) => ({ itemId: orderItemId, quantity }))

type PackageRecord = NonNullable<(typeof InvoiceRecord.Type)["packages"]>[number]

const packageOf = (one: PackageRecord): Package => ({
  id: one.packageId ?? null,
  lengthCm: one.packageLengthCm ?? null,
  widthCm: one.packageWidthCm ?? null,
  heightCm: one.packageHeightCm ?? null,
  weightGrams: one.packageWeightGms ?? null
})

const invoiceCommand = (record: typeof InvoiceRecord.Type): ShipmentCommand => ({
  _tag: record.invoiceType === "sale" ? "InvoiceSale" : "CreditNote",
  invoice: {
    number: record.invoiceNumber,
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

export type Decoder = Records.Decoder<MoveBatch.MoveRequest>

interface NamedItem {
  readonly orderItemId: string
  readonly quantity?: number | null | undefined
}

const recordFields = { status: "orderStatus", invoiceNumber: "invoiceNumber", awb: "awbNumber" } as const

const itemFields = { item: "orderItemId", quantity: "quantity", imei: "imeiSerialNumber" } as const

/**
 * The path of a field of an item; that of the list when the item is at fault because it isn't there.
 */
const itemPath =
  (list: ReadonlyArray<PropertyKey>, items: ReadonlyArray<NamedItem>) =>
  ({ field, item }: ItemFault): string => {
    const at = faultyPortion(items, ({ orderItemId }) => orderItemId === item)
    return pointer(at < 0 ? list : [...list, at, itemFields[field]])
  }

/**
 * A decoder of records into moves.
 */
const moves = <A extends { readonly orderId: string; readonly orderItems?: ReadonlyArray<NamedItem> | null }>(
  schema: Schema.Codec<A, unknown>,
  command: (record: A, newId: string) => ShipmentCommand,
  more: (record: A) => Partial<MoveBatch.MoveRequest> = () => ({})
): Decoder => {
  const decode = Decode.record(schema)
  return (value, root) =>
    Result.map(decode(value, root), (record) => ({
      shipmentId: record.orderId,
      path: pointer([...root, "orderId"]),
      itemPath: itemPath([...root, "orderItems"], record.orderItems ?? []),
      fieldPath: (field) => pointer([...root, recordFields[field]]),
      command: (newId) => command(record, newId),
      ...more(record)
    }))
}

export const confirm = moves(ConfirmRecord, ({ orderItems }) => ({ _tag: "Confirm", items: portions(orderItems) }))

export const cancel = moves(CancelRecord, ({ orderItems }, partId) => ({
  _tag: "Cancel",
  partId,
  items: orderItems.map(({ orderItemId, quantity, reasonCode }) => ({
    itemId: orderItemId,
    quantity,
    reasonCode: reasonCode === undefined || reasonCode === null ? null : String(reasonCode)
  }))
}))

export const invoiceUpdate = moves(InvoiceRecord, invoiceCommand, ({ invoiceNumber }) => ({ invoiceNumber }))

export const pack = moves(PackRecord, () => ({ _tag: "Pack" }))

export const dispatch = moves(DispatchRecord, ({ orderItems }) => ({
  _tag: "Dispatch",
  items: orderItems === undefined || orderItems === null ? null : portions(orderItems)
}))

export const awb = moves(
  AwbRecord,
  ({ autoDispatch, awbNumber, courierName }) => ({
    _tag: "AssignAwb",
    by: "seller",
    awbNumber,
    courierName,
    autoDispatch
  }),
  ({ awbNumber }) => ({ awbs: [awbNumber] })
)

export const status = moves(StatusRecord, ({ meta, orderStatus }, newShipmentId) =>
  reportOrReturn({
    by: "seller",
    status: orderStatus,
    items: null,
    returnId: null,
    newShipmentId,
    meta: metaOf(meta)
  })
)

/**
 * `badQc` applies to the records without their own, and a record's to its items without their own. Source:
 * docs/reference/returns.md#bad-qc.
 */
export const qualityCheck = (badQc: boolean) =>
  moves(ReturnRecord, ({ badQc: own, orderItems }) => ({
    _tag: "CheckQuality",
    bad: own ?? badQc,
    items:
      orderItems?.map(({ badQc: itemOwn, orderItemId, quantity, reasonCode }) => ({
        itemId: orderItemId,
        quantity,
        reasonCode: reasonCodeOf(reasonCode),
        bad: itemOwn ?? own ?? badQc
      })) ?? null
  }))
