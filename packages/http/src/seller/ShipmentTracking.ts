/** Where a shipment is, and its courier. Source: docs/reference/shipments.md#track and #courier-details. */
import type { OrderedShipment, Shipment, Shipments } from "@crossdock/shipments"
import { MoveBatch, orderStatusOf, orderStatusValues, rejectionCode, statusChangedAt } from "@crossdock/shipments"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Failure, validationFailed } from "../Failure.ts"
import { listOfShipments } from "../internal/BulkOperation.ts"
import * as Decode from "../internal/Decode.ts"
import * as Fields from "../internal/Fields.ts"
import { field, iso, nested, nullableField } from "../internal/Fields.ts"
import { PackRecord } from "./ShipmentMoves.ts"

export const TrackBody = Schema.Struct({
  shipment_id: nullableField(Fields.text(), "Id of the shipment; if both are sent, awb_number is ignored"),
  awb_number: nullableField(Fields.text(), "The courier's number of the parcel")
}).annotate({ identifier: "TrackBody", description: "The shipment to track, by its id or AWB number" })

const text = Schema.NullOr(Schema.String)

/** An event of a shipment, for sellers and marketplaces alike. */
export const TrackingEvent = Schema.Struct({
  status: field(Fields.status, "The operational status reached"),
  timestamp: field(Fields.time, "The time, ISO 8601 in UTC"),
  location: field(text, "Where the parcel was"),
  remark: field(text, "A note")
}).annotate({ identifier: "TrackingEvent", description: "A status that the shipment reached" })

export const Tracking = Schema.Struct({
  status: field(Schema.Literal("SUCCESS"), "Always SUCCESS"),
  data: nested("Where the shipment is", {
    courier: field(text, "Name of the courier"),
    current_status: field(Schema.Literals(orderStatusValues), "The order status"),
    last_updated: field(Fields.time, "Last change of status, ISO 8601 in UTC"),
    eta: field(Schema.NullOr(Fields.statedDateSent), "The newest reported estimated_delivery_date"),
    promised_delivery_date: Schema.NullOr(Fields.statedDateSent),
    tracking_url: field(text, "The courier's tracking page"),
    location: field(text, "The newest reported dpLocation"),
    shipment_id: field(Schema.String, "Id of the shipment"),
    awb_number: field(text, "The courier's number of the parcel"),
    operational_status: field(Fields.status, "The operational status"),
    journey: field(Schema.Literals(["forward", "return"]), "To the customer (forward) or back (return)"),
    events: field(Schema.Array(TrackingEvent), "All statuses so far, oldest first"),
    meta: nested("Ids and courier of the shipment", {
      forward_id: field(Schema.String, "Id of the forward shipment"),
      marketplace_order_id: field(Schema.String, "The order's id at the marketplace"),
      marketplace_return_id: field(text, "The return's id at the marketplace"),
      courier_code: field(text, "Code of the courier")
    })
  })
}).annotate({ identifier: "Tracking", description: "The tracking of a shipment" })

type Lookup = Parameters<typeof Shipments.Shipments.Service.track>[1]

/** The id or the AWB to look for. The id is used if both are sent. An empty text is treated as absent. */
export const lookupOf = ({ awb_number, shipment_id }: typeof TrackBody.Type): Effect.Effect<Lookup, Failure> => {
  if (shipment_id) return Effect.succeed({ shipmentId: shipment_id })
  if (awb_number) return Effect.succeed({ awbNumber: awb_number })
  const message = "is required when there is no awb_number"
  return Effect.fail(validationFailed([{ path: "/shipment_id", code: "REQUIRED", message }]))
}

export const eventsOf = ({ events }: Shipment) =>
  events.map(({ at, location, remark, status }) => ({ status, timestamp: iso(at), location, remark }))

export const trackingView = ({ shipment, url }: Shipments.Tracking, lookup: Lookup): typeof Tracking.Type => ({
  status: "SUCCESS",
  data: {
    courier: shipment.courier?.name ?? null,
    current_status: orderStatusOf(shipment),
    last_updated: iso(statusChangedAt(shipment)),
    eta: shipment.estimatedDeliveryDate,
    promised_delivery_date:
      shipment.promisedDeliveryDate ?? (shipment.deliverBy === null ? null : iso(shipment.deliverBy)),
    tracking_url: url,
    location: shipment.lastLocation,
    shipment_id: shipment.id,
    awb_number: "awbNumber" in lookup ? lookup.awbNumber : (shipment.courier?.awbNumbers[0] ?? null),
    operational_status: shipment.status,
    journey: shipment.journey,
    events: eventsOf(shipment),
    meta: {
      forward_id: shipment.forwardId,
      marketplace_order_id: shipment.externalOrderId,
      marketplace_return_id: shipment.returnId,
      courier_code: shipment.courier?.code ?? null
    }
  }
})

const Courier = Schema.Struct({
  courierName: field(Schema.NullOr(Schema.String), "Name of the courier, if any"),
  courierCode: field(Schema.NullOr(Schema.String), "Code of the courier, if any"),
  awbNumber: field(Schema.Array(Schema.String), "The courier's numbers of the parcels"),
  additionalInfo: field(Schema.String, "Further details from the courier"),
  orderId: field(Schema.String, "Id of the shipment")
}).annotate({ identifier: "Courier", description: "The courier of a shipment" })

const Unknown = Schema.Struct({
  orderId: field(Fields.json, "The orderId as sent"),
  code: Fields.code(["C404", "INVALID_RECORD", "INVALID_TEXT"]),
  message: field(Schema.String, "The fault in words")
}).annotate({ identifier: "UnknownCourier", description: "The entry of an unknown shipment or a malformed record" })

export const CourierDetails = Schema.Array(Schema.Union([Courier, Unknown])).annotate({
  description: "One entry per record, in the order of the request. A code in an entry says why there is no courier"
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

/** One entry for each record, in the order of the request. `read` finds the shipments of these ids. */
export const courierDetails = <E>(
  records: ReadonlyArray<unknown>,
  read: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<OrderedShipment>, E>
): Effect.Effect<typeof CourierDetails.Type, E> => {
  const keys = records.map((record, index) => decodeKey(record, [index]))
  return Effect.map(read(Arr.getSuccesses(keys).map(({ orderId }) => orderId)), (found) => {
    const known = new Map(found.map(({ shipment }) => [shipment.id, shipment]))
    return keys.map((key, index) => {
      if (Result.isFailure(key))
        return { orderId: sentId(records[index]), code: key.failure.code, message: key.failure.message }
      const { orderId } = key.success
      const shipment = known.get(orderId)
      if (shipment !== undefined) return courierOf(shipment)
      const code = rejectionCode("courierDetails", "notFound")
      return { orderId, code, message: MoveBatch.noShipment(orderId) + listOfShipments }
    })
  })
}
