/**
 * The records of the shipment operations, and the lifecycle commands that they become.
 * Source: docs/reference/shipments.md#confirm and the sections after it.
 */

import type { Bulk } from "@crossdock/kernel"
import { pointer } from "@crossdock/kernel"
import {
  type ItemFault,
  type MoveBatch,
  type Package,
  reportOrReturn,
  type ShipmentCommand
} from "@crossdock/shipments"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Decode from "../internal/Decode.ts"
import * as Fields from "../internal/Fields.ts"
import { metaOf, StatusMeta } from "../internal/StatusMeta.ts"
import { Limits } from "../Limits.ts"

const Portion = Schema.Struct({ orderItemId: Fields.name, quantity: Fields.integer(1, Limits.quantity) })

export const ConfirmRecord = Schema.Struct({ orderId: Fields.name, orderItems: Fields.list(Portion) })

/** Callers send the code as text or as a number. */
const CancelReason = Schema.Union([
  Fields.text(),
  Schema.Number.check(Schema.isInt({ message: "[INVALID_TYPE] must be text, in quotes" }))
])

export const CancelRecord = Schema.Struct({
  orderId: Fields.name,
  orderItems: Fields.list(Schema.Struct({ ...Portion.fields, reasonCode: Fields.optional(CancelReason) }))
})

const measure = Fields.optional(Fields.measure)

/**
 * `imeiSerialNumber` has at most `quantity` serial numbers, all different. Source: docs/reference/shipments.md#invoice-items.
 */
const InvoiceItem = Schema.Struct({
  orderItemId: Fields.name,
  quantity: Fields.optional(Fields.integer(1, Limits.quantity)),
  imeiSerialNumber: Fields.optional(Schema.Array(Fields.name))
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
  orderId: Fields.name,
  invoiceNumber: Fields.name,
  invoiceType: Fields.oneOf("sale", "return"),
  invoiceQrCode: Fields.optional(Fields.text(Limits.qrCodeLength)),
  irnNumber: Fields.optional(Fields.text()),
  signedInvoice: Fields.optional(Fields.text(Limits.signedInvoiceLength)),
  ackNumber: Fields.optional(Fields.text()),
  ackDate: Fields.optional(Fields.text()),
  orderItems: Fields.optional(invoiceItems),
  packages: Fields.optional(
    Schema.Array(
      Schema.Struct({
        packageId: Fields.optional(Fields.text()),
        packageLengthCm: measure,
        packageWidthCm: measure,
        packageHeightCm: measure,
        packageWeightGms: measure
      })
    )
  )
})

export const PackRecord = Schema.Struct({ orderId: Fields.name })

export const DispatchRecord = Schema.Struct({
  orderId: Fields.name,
  orderItems: Fields.optional(Schema.Array(Portion))
})

export const AwbRecord = Schema.Struct({
  awbNumber: Fields.name,
  courierName: Fields.name,
  orderId: Fields.name,
  autoDispatch: Fields.flag
})

export const StatusRecord = Schema.Struct({
  orderId: Fields.name,
  orderStatus: Fields.name,
  meta: Fields.optional(StatusMeta)
})

/**
 * A number, or digits as text. Anything else counts as absent, but a text must be valid text.
 * Source: docs/reference/returns.md#reason-codes.
 */
const ReasonCode = Schema.Unknown.pipe(
  Schema.check(
    Schema.makeFilter((value) => (typeof value === "string" ? Fields.textFault(value, Limits.textLength) : undefined))
  )
)

export const ReturnRecord = Schema.Struct({
  orderId: Fields.name,
  orderItems: Fields.optional(
    Schema.Array(
      Schema.Struct({
        ...Portion.fields,
        reasonCode: Schema.optionalKey(ReasonCode),
        badQc: Fields.optional(Fields.flag)
      })
    )
  ),
  badQc: Fields.optional(Fields.flag)
})

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

export type Decoder = (
  value: unknown,
  root: ReadonlyArray<PropertyKey>
) => Result.Result<MoveBatch.MoveRequest, Bulk.Rejection>

/**
 * The records of a bulk as they were sent, and the move that each asks for.
 */
export interface Moves {
  readonly records: ReadonlyArray<unknown>
  readonly moves: ReadonlyArray<ReturnType<Decoder>>
}

interface NamedItem {
  readonly orderItemId: string
}

const itemFields = { item: "orderItemId", quantity: "quantity", imei: "imeiSerialNumber" } as const

/**
 * The path of a field of an item; that of the list when the item is at fault because it isn't there.
 */
const itemPath =
  (list: ReadonlyArray<PropertyKey>, items: ReadonlyArray<NamedItem>) =>
  ({ field, item }: ItemFault): string => {
    const at = items.findIndex(({ orderItemId }) => orderItemId === item)
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
  ({ awbNumber }) => ({ awb: awbNumber })
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
