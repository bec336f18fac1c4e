/**
 * The courier of a shipment. Source: docs/reference/shipments.md#courier-details.
 */
import { type OrderedShipment, rejectionCode, type Shipment } from "@crossdock/shipments"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Decode from "../internal/Decode.ts"
import * as Fields from "../internal/Fields.ts"
import { described } from "../internal/Fields.ts"
import { PackRecord } from "./ShipmentRecords.ts"

const Courier = Schema.Struct({
  courierName: described(Schema.NullOr(Schema.String), "Name of the courier; null before there is one"),
  courierCode: described(Schema.NullOr(Schema.String), "Code of the courier; null before there is one"),
  awbNumber: described(Schema.Array(Schema.String), "The courier's numbers of the parcels"),
  additionalInfo: described(Schema.String, "What else the courier says"),
  orderId: described(Schema.String, "Id of the shipment")
}).annotate({ identifier: "Courier", description: "The courier of a shipment" })

/**
 * The entry of a shipment that doesn't exist.
 */
const Unknown = Schema.Struct({
  orderId: described(Fields.json, "The orderId as it was sent"),
  code: described(
    Fields.code(["C404", "INVALID_RECORD", "INVALID_TEXT"]),
    "C404, or INVALID_RECORD for a record of the wrong shape"
  ),
  message: described(Schema.String, "What is wrong, for a person")
}).annotate({ identifier: "UnknownCourier", description: "In the place of a shipment that does not exist" })

export const CourierDetails = Schema.Array(Schema.Union([Courier, Unknown])).annotate({
  description:
    "Look at each entry: one with a code says why there is no courier. One entry for each record, in the order of the request"
})

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
