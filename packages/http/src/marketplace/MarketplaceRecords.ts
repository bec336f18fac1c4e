/**
 * The records of a marketplace's awb and status operations. Source: docs/reference/orders.md#awb-and-status.
 */

import { type Bulk, pointer } from "@crossdock/kernel"
import { type ItemFault, type MoveBatch, reportOrReturn } from "@crossdock/shipments"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Decode from "../internal/Decode.ts"
import * as Fields from "../internal/Fields.ts"
import { metaOf, StatusMeta } from "../internal/StatusMeta.ts"
import { Limits } from "../Limits.ts"

const always = (value: boolean) => Schema.Literal(value).annotate({ message: `[INVALID_VALUE] must be ${value}` })

export const AwbItem = Schema.Struct({
  orderId: Fields.name,
  awbNumber: Fields.name,
  courierName: Fields.name,
  autoDispatch: always(false),
  isSelfShip: always(true)
})

const ReturnItem = Schema.Struct({
  external_line_id: Fields.optional(Fields.name),
  orderItemId: Fields.optional(Fields.name),
  quantity: Fields.integer(1, Limits.quantity),
  reason: Fields.optional(Fields.text())
}).pipe(
  Schema.check(
    Schema.makeFilter(({ external_line_id, orderItemId }) =>
      (external_line_id ?? orderItemId ?? null) === null
        ? "[REQUIRED] must name its line: send external_line_id or orderItemId"
        : true
    )
  )
)

export const StatusItem = Schema.Struct({
  order_id: Fields.name,
  isSelfShip: always(true),
  status: Fields.name,
  meta: Fields.optional(
    Schema.Struct({
      ...StatusMeta.fields,
      return_id: Fields.optional(Fields.name),
      items: Fields.optional(Fields.list(ReturnItem))
    })
  )
})

type Decoded = Result.Result<MoveBatch.MoveRequest, Bulk.Rejection>

/**
 * Both flags are required on every item. A wrong or missing flag is `VALIDATION_FAILED`; other violations are
 * `INVALID_RECORD`.
 */
const flags = /\/(autoDispatch|isSelfShip)$/

const withFlagCode = (rejection: Bulk.Rejection): Bulk.Rejection =>
  rejection.path !== undefined && flags.test(rejection.path) ? { ...rejection, code: "VALIDATION_FAILED" } : rejection

const decodeAwb = Decode.record(AwbItem)
const decodeStatus = Decode.record(StatusItem)

export const awb = (value: unknown, root: ReadonlyArray<PropertyKey>): Decoded =>
  decodeAwb(value, root).pipe(
    Result.mapError(withFlagCode),
    Result.map(({ awbNumber, courierName, orderId }) => ({
      shipmentId: orderId,
      path: pointer([...root, "orderId"]),
      awb: awbNumber,
      command: () => ({ _tag: "AssignAwb", by: "marketplace", awbNumber, courierName, autoDispatch: false })
    }))
  )

export const status = (value: unknown, root: ReadonlyArray<PropertyKey>): Decoded =>
  decodeStatus(value, root).pipe(
    Result.mapError(withFlagCode),
    Result.map(({ meta, order_id, status: reported }) => ({
      shipmentId: order_id,
      path: pointer([...root, "order_id"]),
      itemPath: ({ field, item }: ItemFault) => {
        const items = meta?.items ?? []
        const at = items.findIndex((one) => (one.orderItemId ?? one.external_line_id) === item)
        if (at < 0) return pointer([...root, "order_id"])
        const name = (items[at]?.orderItemId ?? null) === null ? "external_line_id" : "orderItemId"
        return pointer([...root, "meta", "items", at, field === "quantity" ? field : name])
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
    }))
  )
