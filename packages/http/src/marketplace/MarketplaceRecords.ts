/** The records of a marketplace's awb and status operations. Source: docs/reference/orders.md#awb-and-status. */
import type { Bulk } from "@crossdock/kernel"
import type { ItemFault, MoveBatch } from "@crossdock/shipments"
import { faultyPortion, operationalStatuses, reportOrReturn } from "@crossdock/shipments"
import * as Schema from "effect/Schema"
import { bulk, envelopeResult } from "../internal/BulkOperation.ts"
import * as Fields from "../internal/Fields.ts"
import { field, nullableField, nullableNested } from "../internal/Fields.ts"
import { Limits } from "../Limits.ts"
import { metaOf, StatusMeta } from "../seller/ShipmentMoves.ts"

const always = (value: boolean) => Schema.Literal(value).annotate({ message: `[INVALID_VALUE] must be ${value}` })

export const AwbItem = Schema.Struct({
  orderId: field(Fields.name, "The shipment_id: 20 digits, as text"),
  awbNumber: field(Fields.visible, "The courier's number of the parcel"),
  courierName: field(Fields.visible, "Name of the courier"),
  autoDispatch: field(always(false), "Must be false"),
  isSelfShip: field(always(true), "Must be true")
}).annotate({ identifier: "MarketplaceAwb", description: "The AWB number and courier of a shipment" })

const ReturnItem = Schema.Struct({
  external_line_id: nullableField(Fields.name, "The line's external_line_id; required without orderItemId"),
  orderItemId: nullableField(Fields.name, "The line's bag_id; required without external_line_id"),
  quantity: field(Fields.integer(1, Limits.quantity), "Units"),
  reason: nullableField(Fields.text(), "The reason for the return")
}).check(
  Fields.rule(
    ({ external_line_id, orderItemId }) =>
      (external_line_id ?? orderItemId ?? null) !== null ||
      "[REQUIRED] must say which line it is: send external_line_id or orderItemId"
  )
)

export const StatusItem = Schema.Struct({
  order_id: field(Fields.name, "The shipment_id: 20 digits, as text"),
  isSelfShip: field(always(true), "Must be true"),
  status: field(Fields.word(operationalStatuses), "The operational status reached"),
  meta: nullableNested("Further details", {
    ...StatusMeta.fields,
    return_id: nullableField(Fields.name, "With return_initiated: the marketplace's id of the return"),
    items: Fields.optional(Fields.list(ReturnItem))
  })
}).annotate({ identifier: "MarketplaceStatus", description: "A status reached by a shipment" })

/** Both flags are required: a wrong or missing one is `VALIDATION_FAILED`, other violations `INVALID_RECORD`. */
const flags = /\/(autoDispatch|isSelfShip)$/

const declared = {
  limit: Limits.shipmentRecords,
  result: envelopeResult,
  worded: (rejection: Bulk.Rejection) =>
    rejection.path !== undefined && flags.test(rejection.path) ? { ...rejection, code: "VALIDATION_FAILED" } : rejection
}

export const awbs = bulk({
  ...declared,
  record: AwbItem,
  keys: ["orderId"],
  to: ({ awbNumber, courierName, orderId }, place): MoveBatch.MoveRequest => ({
    shipmentId: orderId,
    path: `${place}/orderId`,
    fieldPath: () => `${place}/awbNumber`,
    command: () => ({ _tag: "AssignAwb", by: "marketplace", awbNumber, courierName, autoDispatch: false })
  })
})

export const statuses = bulk({
  ...declared,
  record: StatusItem,
  keys: ["order_id"],
  to: ({ meta, order_id, status: reported }, place): MoveBatch.MoveRequest => ({
    shipmentId: order_id,
    path: `${place}/order_id`,
    fieldPath: () => `${place}/status`,
    itemPath: ({ field, item }: ItemFault) => {
      const items = meta?.items ?? []
      const at = faultyPortion(items, (one) => (one.orderItemId ?? one.external_line_id) === item)
      if (at < 0) return `${place}/order_id`
      const name = (items[at]?.orderItemId ?? null) === null ? "external_line_id" : "orderItemId"
      return `${place}/meta/items/${at}/${field === "quantity" ? field : name}`
    },
    command: (newShipmentId: string) =>
      reportOrReturn({
        by: "marketplace",
        status: reported,
        returnId: meta?.return_id ?? null,
        newShipmentId,
        meta: metaOf(meta),
        items:
          meta?.items?.map((item) => ({
            itemId: item.orderItemId ?? null,
            externalLineId: item.external_line_id ?? null,
            quantity: item.quantity,
            reason: item.reason ?? null
          })) ?? null
      })
  })
})
