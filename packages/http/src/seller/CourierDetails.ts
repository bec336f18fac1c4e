/**
 * The courier of a shipment. Source: docs/reference/shipments.md#courier-details.
 */
import { type OrderedShipment, rejectionCode, type Shipment } from "@crossdock/shipments"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Decode from "../internal/Decode.ts"
import * as Fields from "../internal/Fields.ts"
import { PackRecord } from "./ShipmentRecords.ts"

const Courier = Schema.Struct({
  courierName: Schema.NullOr(Schema.String),
  courierCode: Schema.NullOr(Schema.String),
  awbNumber: Schema.Array(Schema.String),
  additionalInfo: Schema.String,
  orderId: Schema.String
}).annotate({ identifier: "Courier" })

/**
 * The entry of a shipment that doesn't exist.
 */
const Unknown = Schema.Struct({ orderId: Fields.json, code: Schema.String, message: Schema.String }).annotate({
  identifier: "UnknownCourier"
})

export const CourierDetails = Schema.Array(Schema.Union([Courier, Unknown]))

export const decode = Decode.record(PackRecord)

type Decoded = ReturnType<typeof decode>

export const idsOf = (records: ReadonlyArray<Decoded>): ReadonlyArray<string> =>
  records.flatMap((record) => (Result.isSuccess(record) ? [record.success.orderId] : []))

const sentId = (record: unknown): unknown =>
  typeof record === "object" && record !== null && "orderId" in record ? record.orderId : null

/**
 * One entry for each record, in the order of the request.
 */
export const courierDetails = (
  records: ReadonlyArray<unknown>,
  decoded: ReadonlyArray<Decoded>,
  found: ReadonlyArray<OrderedShipment<Shipment>>
): typeof CourierDetails.Type => {
  const known = new Map(found.map(({ shipment }) => [shipment.id, shipment]))
  return decoded.map((record, index) => {
    if (Result.isFailure(record)) {
      return { orderId: sentId(records[index]), code: record.failure.code, message: record.failure.message }
    }
    const { orderId } = record.success
    const shipment = known.get(orderId)
    return shipment === undefined
      ? {
          orderId,
          code: rejectionCode("courierDetails", "notFound"),
          message: `There is no shipment ${orderId}. Check the id.`
        }
      : {
          courierName: shipment.courier?.name ?? null,
          courierCode: shipment.courier?.code ?? null,
          awbNumber: shipment.courier?.awbNumbers ?? [],
          additionalInfo: shipment.additionalInfo ?? "",
          orderId
        }
  })
}
