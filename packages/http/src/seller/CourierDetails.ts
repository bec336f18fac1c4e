/** The couriers of shipments, one entry for each record. Source: docs/reference/shipments.md#courier-details. */
import { MoveBatch, type OrderedShipment, rejectionCode, type Shipment } from "@crossdock/shipments"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Decode from "../internal/Decode.ts"
import * as Fields from "../internal/Fields.ts"
import { field } from "../internal/Fields.ts"
import { PackRecord } from "./ShipmentMoves.ts"

const Courier = Schema.Struct({
  courierName: field(Schema.NullOr(Schema.String), "Name of the courier; null without one"),
  courierCode: field(Schema.NullOr(Schema.String), "Code of the courier; null without one"),
  awbNumber: field(Schema.Array(Schema.String), "The courier's numbers of the parcels"),
  additionalInfo: field(Schema.String, "Further details from the courier"),
  orderId: field(Schema.String, "Id of the shipment")
}).annotate({ identifier: "Courier", description: "The courier of a shipment" })

const Unknown = Schema.Struct({
  orderId: field(Fields.json, "The orderId as sent"),
  code: Fields.code(["C404", "INVALID_RECORD", "INVALID_TEXT"]),
  message: field(Schema.String, "The fault in words")
}).annotate({ identifier: "UnknownCourier", description: "The entry of an unknown shipment" })

export const CourierDetails = Schema.Array(Schema.Union([Courier, Unknown])).annotate({
  description:
    "Look at each entry: one with a code says why there is no courier. One entry for each record, in the order of the request"
})

const decodeKey = Decode.record(PackRecord)

const sentId = (record: unknown): unknown =>
  typeof record === "object" && record !== null && "orderId" in record ? record.orderId : null

const courierOf = ({ additionalInfo, courier, id }: Shipment) => ({
  courierName: courier?.name ?? null,
  courierCode: courier?.code ?? null,
  awbNumber: courier?.awbNumbers ?? [],
  additionalInfo: additionalInfo ?? "",
  orderId: id
})

const unknown = (orderId: string) => ({
  orderId,
  code: rejectionCode("courierDetails", "notFound"),
  message: MoveBatch.noShipment(orderId)
})

/** One entry for each record, in the order of the request. `read` finds the shipments of these ids. */
export const courierDetails = <E>(
  records: ReadonlyArray<unknown>,
  read: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<OrderedShipment<Shipment>>, E>
): Effect.Effect<typeof CourierDetails.Type, E> => {
  const keys = records.map((record, index) => decodeKey(record, [index]))
  return Effect.map(read(Arr.getSuccesses(keys).map(({ orderId }) => orderId)), (found) => {
    const known = new Map(found.map(({ shipment }) => [shipment.id, shipment]))
    return keys.map((key, index) => {
      if (Result.isFailure(key))
        return { orderId: sentId(records[index]), code: key.failure.code, message: key.failure.message }
      const shipment = known.get(key.success.orderId)
      return shipment === undefined ? unknown(key.success.orderId) : courierOf(shipment)
    })
  })
}
