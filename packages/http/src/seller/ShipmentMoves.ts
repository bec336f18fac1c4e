/** Contract: the moves of shipments, each declared in one place. Source: docs/reference/shipments.md#confirm. */
import type { Caller } from "@crossdock/access"
import {
  faultyPortion,
  type ItemFault,
  type MoveBatch,
  noMeta,
  type OperationFamily,
  operationalStatuses,
  type RejectionCode,
  reportOrReturn,
  type ShipmentCommand
} from "@crossdock/shipments"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Schema from "effect/Schema"
import type { CodeText } from "../Failure.ts"
import { type BulkAnswer, bulk, bulkCodes, envelopeResult, movesResult, recordList } from "../internal/BulkOperation.ts"
import * as Fields from "../internal/Fields.ts"
import { field, nullableField } from "../internal/Fields.ts"
import { Limits } from "../Limits.ts"
import { InvoiceRecord, invoiceCommand, UnnumberedRecord } from "./InvoiceRecord.ts"

interface NamedItem {
  readonly orderItemId: string
  readonly quantity?: number | null | undefined
}

interface NamedShipment {
  readonly orderId: string
  readonly orderItems?: ReadonlyArray<NamedItem> | null
}

const recordFields = { status: "orderStatus", invoiceNumber: "invoiceNumber", awb: "awbNumber" } as const

const itemFields = { item: "orderItemId", quantity: "quantity", imei: "imeiSerialNumber" } as const

/** The path of an item's field. For a missing item, it is the path of the list. */
const itemPath =
  (list: string, items: ReadonlyArray<NamedItem>) =>
  ({ field, item }: ItemFault): string => {
    const at = faultyPortion(items, ({ orderItemId }) => orderItemId === item)
    return at < 0 ? list : `${list}/${at}/${itemFields[field]}`
  }

interface Operation<F extends OperationFamily, R extends NamedShipment> {
  readonly record: Schema.Codec<R, unknown>
  /** `newId` is the id of the shipment that the move may create. `given` has the request's settings for all records. */
  readonly command: (record: R, newId: string, given?: boolean) => ShipmentCommand
  readonly codes: { readonly [C in RejectionCode<F>]: CodeText }
}

/** The bulk of an operation, and its part of the OpenAPI document. */
export const moves = <F extends OperationFamily, R extends NamedShipment, B extends Schema.Top>(
  family: F,
  result: BulkAnswer<Caller, B>,
  { codes, command, record }: Operation<F, R>
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
  return { ...declared, family, codes }
}

const base = "/oms/v3/shipment"

const post = <F extends OperationFamily, R extends NamedShipment>(family: F, operation: Operation<F, R>) => {
  const declared = moves(family, movesResult, operation)
  const endpoint = HttpApiEndpoint.post(family, `${base}/${family}`, declared.contract)
  return { ...declared, endpoint: endpoint.annotateMerge(bulkCodes) }
}

const put = <F extends OperationFamily, R extends NamedShipment>(family: F, operation: Operation<F, R>) => {
  const declared = moves(family, envelopeResult, operation)
  const endpoint = HttpApiEndpoint.put(family, `${base}/${family}`, declared.contract)
  return { ...declared, endpoint: endpoint.annotateMerge(bulkCodes) }
}

export const otherLocation = {
  cause: "The shipment belongs to another location of the company.",
  fix: "Use a token of that location, or of the company."
}
export const noItem = { cause: "There is no such shipment or item.", fix: "Correct the id that the path names." }
const cancelled = { cause: "The shipment is cancelled.", fix: "Nothing can be done with it." }

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

/** Callers send the code as text or as a number. */
const CancelReason = Schema.Union([
  Fields.text(),
  Schema.Number.check(Schema.isInt({ message: "[INVALID_TYPE] must be text, in quotes" }))
])

export const CancelRecord = Schema.Struct({
  orderId,
  orderItems: Fields.list(
    Schema.Struct({
      ...Portion.fields,
      reasonCode: nullableField(CancelReason, "Why: a code of your own, kept in the audit trail")
    })
  )
}).annotate({ identifier: "CancelRecord", description: "A shipment to cancel, as a whole or in part" })

export const PackRecord = Schema.Struct({ orderId }).annotate({ identifier: "ShipmentKey", description: "A shipment" })

/** The shipments of a read. */
export const shipmentKeys = recordList(PackRecord, Limits.shipmentRecords)

export const DispatchRecord = Schema.Struct({
  orderId,
  orderItems: nullableField(Fields.list(Portion), "The items in the parcel; absent: all")
}).annotate({ identifier: "DispatchRecord", description: "A shipment handed to its courier" })

export const AwbRecord = Schema.Struct({
  awbNumber: field(Fields.visible, "The courier's number of the parcel"),
  courierName: field(Fields.visible, "Name of the courier"),
  orderId,
  autoDispatch: field(Fields.flag, "true dispatches the shipment too; a return takes only false")
}).annotate({ identifier: "AwbRecord", description: "The AWB number and courier of a shipment" })

/** The `meta` of a reported status, from sellers and marketplaces alike. Source: docs/reference/shipments.md#meta. */
export const StatusMeta = Schema.Struct({
  remark: nullableField(Fields.text(), "A note, shown among the tracking events"),
  reasonCode: nullableField(Fields.integer(-Limits.reasonCode, Limits.reasonCode), "The caller's code of the reason"),
  dpLocation: nullableField(Fields.text(), "Where the parcel is"),
  promised_delivery_date: Fields.optional(Fields.statedDate),
  estimated_delivery_date: nullableField(
    Fields.statedDate,
    "The present estimate of the delivery date, in the same form"
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
  post("invoiceUpdate", {
    record,
    command: invoiceCommand,
    codes: {
      IN400: {
        cause: "There is no such shipment or item, or it belongs to another location.",
        fix: "Correct the id that the path names."
      },
      IN401: cancelled,
      IN403: {
        cause: "The shipment is not confirmed yet, or the credit note is too early.",
        fix: "Take the `steps` first."
      },
      IN422: {
        cause: "The invoiceType does not fit the shipment, or the company has used the invoice number.",
        fix: "Send the other type, or a new number."
      },
      IN453: { cause: "It has its invoice, or its credit note, already.", fix: "Read the shipment." }
    }
  })

/** invoiceUpdate at a host that numbers the papers of sellers. */
export const unnumberedInvoices = invoiceUpdate(UnnumberedRecord)

/** The operations whose body is a list of records. */
export const shipmentMoves = {
  confirm: post("confirm", {
    record: ConfirmRecord,
    command: ({ orderItems }) => ({ _tag: "Confirm", items: portions(orderItems) }),
    codes: {
      O400: { cause: "An item or the shipment is cancelled.", fix: "Name only the remaining units." },
      O404: noItem,
      O409: {
        cause: "The items are not all remaining units, or the status is not placed.",
        fix: "Name every remaining item with its quantity; first cancel units that can't be delivered."
      },
      O422: otherLocation
    }
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
    }),
    codes: {
      X400: { cause: "It is too late to cancel, or it is cancelled already.", fix: "Read the shipment." },
      X404: noItem,
      X409: { cause: "More units are named than remain.", fix: "Name at most the remaining units." },
      X422: otherLocation
    }
  }),
  invoiceUpdate: invoiceUpdate(InvoiceRecord),
  pack: post("pack", {
    record: PackRecord,
    command: () => ({ _tag: "Pack" }),
    codes: {
      CR400: { cause: "The status is not dp_assigned.", fix: "Take the `steps` first." },
      CR401: cancelled,
      CR404: { cause: "There is no such shipment.", fix: "Correct the id." },
      CR422: otherLocation
    }
  }),
  dispatch: post("dispatch", {
    record: DispatchRecord,
    command: ({ orderItems }) => ({
      _tag: "Dispatch",
      items: orderItems === undefined || orderItems === null ? null : portions(orderItems)
    }),
    codes: {
      D400: {
        cause: "The status is not bag_packed, or the items are not all remaining units.",
        fix: "Take the `steps` first, or name every remaining item."
      },
      D401: cancelled,
      D404: noItem,
      D422: otherLocation
    }
  }),
  awb: put("awb", {
    record: AwbRecord,
    command: ({ autoDispatch, awbNumber, courierName }) => ({
      _tag: "AssignAwb",
      by: "seller",
      awbNumber,
      courierName,
      autoDispatch
    }),
    codes: {
      A400: {
        cause: "The status does not take an AWB, or autoDispatch is true for a return.",
        fix: "Take the `steps` first, or send autoDispatch false."
      },
      A404: { cause: "There is no such shipment, or it belongs to another location.", fix: "Correct the id." },
      A409: { cause: "Another open shipment of the courier uses the AWB number.", fix: "Send the right number." },
      A422: { cause: "The seller does not ship it itself.", fix: "The party that ships it sends the AWB." }
    }
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
      }),
    codes: {
      S400: {
        cause: 'The status is unknown, or the move is not allowed now (`reason: "INVALID_TRANSITION"`).',
        fix: "Send a status that `allowed` lists, or take the `steps` first."
      },
      S404: noItem,
      S409: { cause: "More units are to be returned than remain.", fix: "Name at most the remaining units." },
      S422: otherLocation
    }
  })
}
