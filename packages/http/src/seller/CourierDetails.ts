/**
 * Who carries a shipment (document 2, Courier record).
 */
import { type OrderedShipment, refusalCode, type Shipment } from "@crossdock/shipments"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Decode from "../Decode.ts"
import { PackRecord } from "./ShipmentRecords.ts"

const Courier = Schema.Struct({
  courierName: Schema.NullOr(Schema.String),
  courierCode: Schema.NullOr(Schema.String),
  awbNumber: Schema.Array(Schema.String),
  additionalInfo: Schema.String,
  orderId: Schema.String
}).annotations({ identifier: "Courier" })

/**
 * In the place of a shipment that is not known.
 */
const Unknown = Schema.Struct({ orderId: Schema.Unknown, code: Schema.String, message: Schema.String }).annotations({
  identifier: "UnknownCourier"
})

export const CourierDetails = Schema.Array(Schema.Union(Courier, Unknown))

export const decode = Decode.record(PackRecord)

type Decoded = ReturnType<typeof decode>

export const idsOf = (records: ReadonlyArray<Decoded>): ReadonlyArray<string> =>
  records.flatMap((record) => (Either.isRight(record) ? [record.right.orderId] : []))

const sentId = (record: unknown): unknown =>
  typeof record === "object" && record !== null && "orderId" in record ? record.orderId : null

/**
 * One entry for each record as it was sent, in their order.
 */
export const courierDetails = (
  records: ReadonlyArray<unknown>,
  decoded: ReadonlyArray<Decoded>,
  found: ReadonlyArray<OrderedShipment<Shipment>>
): typeof CourierDetails.Type => {
  const known = new Map(found.map(({ shipment }) => [shipment.id, shipment]))
  return decoded.map((record, index) => {
    if (Either.isLeft(record)) {
      return { orderId: sentId(records[index]), code: record.left.code, message: record.left.message }
    }
    const { orderId } = record.right
    const shipment = known.get(orderId)
    return shipment === undefined
      ? { orderId, code: refusalCode("courierDetails", "notFound"), message: `There is no shipment ${orderId}` }
      : {
          courierName: shipment.courier?.name ?? null,
          courierCode: shipment.courier?.code ?? null,
          awbNumber: shipment.courier?.awbNumbers ?? [],
          additionalInfo: shipment.additionalInfo ?? "",
          orderId
        }
  })
}
