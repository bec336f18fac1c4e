/** Contract: the moves of shipments, each declared in one place. Source: docs/reference/shipments.md#confirm. */
import type { Caller } from "@crossdock/access"
import {
  faultyPortion,
  type ItemFault,
  type MoveBatch,
  noMeta,
  type OperationFamily,
  operationalStatuses,
  reportOrReturn,
  type ShipmentCommand
} from "@crossdock/shipments"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Schema from "effect/Schema"
import { type BulkAnswer, bulk, bulkCodes, envelopeResult, movesResult, recordList } from "../internal/BulkOperation.ts"
import * as Fields from "../internal/Fields.ts"
import { field, nullableField } from "../internal/Fields.ts"
import { Limits } from "../Limits.ts"
import { InvoiceRecord, invoiceCommand, UnnumberedRecord } from "./InvoiceRecord.ts"

type NamedItem = { readonly orderItemId: string; readonly quantity?: number | null | undefined }

type NamedShipment = { readonly orderId: string; readonly orderItems?: ReadonlyArray<NamedItem> | null }

const recordFields = { status: "orderStatus", invoiceNumber: "invoiceNumber", awb: "awbNumber" } as const

const itemFields = { item: "orderItemId", quantity: "quantity", imei: "imeiSerialNumber" } as const

/** The path of an item's field. For a missing item, it is the path of the list. */
const itemPath =
  (list: string, items: ReadonlyArray<NamedItem>) =>
  ({ field, item }: ItemFault): string => {
    const at = faultyPortion(items, ({ orderItemId }) => orderItemId === item)
    return at < 0 ? list : `${list}/${at}/${itemFields[field]}`
  }

interface Operation<R extends NamedShipment> {
  readonly record: Schema.Codec<R, unknown>
  /** `newId` is the id of the shipment that the move may create. `given` has the request's settings for all records. */
  readonly command: (record: R, newId: string, given?: boolean) => ShipmentCommand
}

/** The bulk of an operation, and its part of the OpenAPI document. */
export const moves = <F extends OperationFamily, R extends NamedShipment, B extends Schema.Top>(
  family: F,
  result: BulkAnswer<Caller, B>,
  { command, record }: Operation<R>
) => {
  const declared = bulk({
    record,
    limit: Limits.shipmentRecords,
    keys: ["orderId"],
    result,
    to: (record, place, given?: boolean): MoveBatch.MoveRequest => ({
      shipmentId: record.orderId,
      path: `${place}/orderId`,
      itemPath: itemPath(`${place}/orderItems`, record.orderItems ?? []),
      fieldPath: (field) => `${place}/${recordFields[field]}`,
      command: (newId) => command(record, newId, given)
    })
  })
  return { ...declared, family }
}

const base = "/oms/v3/shipment"

const post = <F extends OperationFamily, R extends NamedShipment>(family: F, operation: Operation<R>) => {
  const declared = moves(family, movesResult, operation)
  const endpoint = HttpApiEndpoint.post(family, `${base}/${family}`, declared.contract)
  return { ...declared, endpoint: endpoint.annotateMerge(bulkCodes) }
}

const put = <F extends OperationFamily, R extends NamedShipment>(family: F, operation: Operation<R>) => {
  const declared = moves(family, envelopeResult, operation)
  const endpoint = HttpApiEndpoint.put(family, `${base}/${family}`, declared.contract)
  return { ...declared, endpoint: endpoint.annotateMerge(bulkCodes) }
}

const { shipmentId: orderId } = Fields

export const Portion = Schema.Struct({
  orderItemId: field(Fields.name, "Id of the item, from the shipment's orderItems"),
  quantity: field(Fields.integer(1, Limits.quantity), "Units")
})

const portions = (items: ReadonlyArray<typeof Portion.Type>) =>
  items.map(({ orderItemId, quantity }) => ({ itemId: orderItemId, quantity }))

export const ConfirmRecord = Schema.Struct({
  orderId,
  orderItems: field(Fields.list(Portion), "Every item with all remaining units")
}).annotate({ identifier: "ConfirmRecord", description: "A shipment to confirm" })

/** The code of a reason, which callers send as text or as a number. */
const CancelReason = Schema.Union([
  Fields.text(),
  Schema.Number.check(Schema.isInt({ message: "[INVALID_TYPE] must be text, in quotes" }))
])

export const CancelRecord = Schema.Struct({
  orderId,
  orderItems: Fields.list(
    Schema.Struct({
      ...Portion.fields,
      reasonCode: nullableField(
        CancelReason,
        "The reason: a code or text. The audit trail keeps only codes of at most 9 digits"
      )
    })
  )
}).annotate({ identifier: "CancelRecord", description: "A shipment to cancel, as a whole or in part" })

export const PackRecord = Schema.Struct({ orderId }).annotate({ identifier: "ShipmentKey", description: "A shipment" })

/** The ids of shipments in the body of a read: of labels, invoices or courier details. */
export const shipmentKeys = recordList(PackRecord, Limits.shipmentRecords)

export const DispatchRecord = Schema.Struct({
  orderId,
  orderItems: nullableField(Fields.list(Portion), "If sent, must name all remaining units")
}).annotate({ identifier: "DispatchRecord", description: "A shipment handed to its courier" })

export const AwbRecord = Schema.Struct({
  awbNumber: field(Fields.visible, "The courier's number of the parcel"),
  courierName: field(Fields.visible, "Name of the courier"),
  orderId,
  autoDispatch: field(Fields.flag, "true also dispatches the shipment; must be false for a return")
}).annotate({ identifier: "AwbRecord", description: "The AWB number and courier of a shipment" })

/** The `meta` of a status that a seller or a marketplace reports. Source: docs/reference/shipments.md#meta. */
export const StatusMeta = Schema.Struct({
  remark: nullableField(Fields.text(), "A note, shown with the tracking event"),
  reasonCode: nullableField(Fields.integer(-Limits.reasonCode, Limits.reasonCode), "The caller's own reason code"),
  dpLocation: nullableField(Fields.text(), "Where the parcel is"),
  promised_delivery_date: Fields.optional(Fields.statedDate),
  estimated_delivery_date: nullableField(
    Fields.statedDate,
    "The estimated delivery date, in the same formats as promised_delivery_date"
  )
})

export const metaOf = (meta: typeof StatusMeta.Type | null | undefined) =>
  meta === null || meta === undefined
    ? noMeta
    : {
        remark: meta.remark ?? null,
        reasonCode: meta.reasonCode ?? null,
        dpLocation: meta.dpLocation ?? null,
        promisedDeliveryDate: meta.promised_delivery_date ?? null,
        estimatedDeliveryDate: meta.estimated_delivery_date ?? null
      }

export const StatusRecord = Schema.Struct({
  orderId,
  orderStatus: field(Fields.word(operationalStatuses), "The operational status reached"),
  meta: nullableField(StatusMeta, "Further details")
}).annotate({ identifier: "StatusRecord", description: "A status reached by a shipment" })

const invoiceUpdate = <R extends typeof UnnumberedRecord.Type>(record: Schema.Codec<R, unknown>) =>
  post("invoiceUpdate", { record, command: invoiceCommand })

/** The invoiceUpdate of a host that numbers the papers of sellers. */
export const unnumberedInvoices = invoiceUpdate(UnnumberedRecord)

/** The operations whose body is a list of records. */
export const shipmentMoves = {
  confirm: post("confirm", {
    record: ConfirmRecord,
    command: ({ orderItems }) => ({ _tag: "Confirm", items: portions(orderItems) })
  }),
  cancel: post("cancel", {
    record: CancelRecord,
    command: ({ orderItems }, partId) => ({
      _tag: "Cancel",
      partId,
      items: orderItems.map(({ orderItemId, quantity, reasonCode }) => ({
        itemId: orderItemId,
        quantity,
        reasonCode: reasonCode === undefined || reasonCode === null ? null : String(reasonCode)
      }))
    })
  }),
  invoiceUpdate: invoiceUpdate(InvoiceRecord),
  pack: post("pack", { record: PackRecord, command: () => ({ _tag: "Pack" }) }),
  dispatch: post("dispatch", {
    record: DispatchRecord,
    command: ({ orderItems }) => ({
      _tag: "Dispatch",
      items: orderItems === undefined || orderItems === null ? null : portions(orderItems)
    })
  }),
  awb: put("awb", {
    record: AwbRecord,
    command: ({ autoDispatch, awbNumber, courierName }) => ({
      _tag: "AssignAwb",
      by: "seller",
      awbNumber,
      courierName,
      autoDispatch
    })
  }),
  status: put("status", {
    record: StatusRecord,
    command: ({ meta, orderStatus }, newShipmentId) =>
      reportOrReturn({
        by: "seller",
        status: orderStatus,
        items: null,
        returnId: null,
        newShipmentId,
        meta: metaOf(meta)
      })
  })
}
