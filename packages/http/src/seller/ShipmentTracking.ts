/** Where a shipment is. Source: docs/reference/shipments.md#track. */
import { orderStatusOf, orderStatusValues, type Shipment, type Shipments, statusChangedAt } from "@crossdock/shipments"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Failure, validationFailed } from "../Failure.ts"
import * as Fields from "../internal/Fields.ts"
import { field, iso, nested, nullableField } from "../internal/Fields.ts"

export const TrackBody = Schema.Struct({
  shipment_id: nullableField(Fields.text(), "Id of the shipment; takes precedence when both are given"),
  awb_number: nullableField(Fields.text(), "The courier's number of the parcel")
}).annotate({ identifier: "TrackBody", description: "The shipment to track, by its id or AWB number" })

const text = Schema.NullOr(Schema.String)

/** An event of a shipment, for sellers and marketplaces alike. */
export const TrackingEvent = Schema.Struct({
  status: field(Fields.status, "The operational status reached"),
  timestamp: field(Fields.time, "The time, ISO 8601 in UTC"),
  location: field(text, "Where the parcel was"),
  remark: field(text, "A note")
}).annotate({ identifier: "TrackingEvent", description: "A past status of a shipment" })

export const Tracking = Schema.Struct({
  status: field(Schema.Literal("SUCCESS"), "Always SUCCESS"),
  data: nested("Where the shipment is", {
    courier: field(text, "Name of the courier"),
    current_status: field(Schema.Literals(orderStatusValues), "The order status"),
    last_updated: field(Fields.time, "Last change of status, ISO 8601 in UTC"),
    eta: field(Schema.NullOr(Fields.statedDateSent), "The last reported estimated_delivery_date"),
    promised_delivery_date: Schema.NullOr(Fields.statedDateSent),
    tracking_url: field(text, "The courier's tracking page"),
    location: field(text, "The last reported dpLocation"),
    shipment_id: field(Schema.String, "Id of the shipment"),
    awb_number: field(text, "The courier's number of the parcel"),
    operational_status: field(Fields.status, "The operational status"),
    journey: field(Schema.Literals(["forward", "return"]), "The way out, or the way back"),
    events: field(Schema.Array(TrackingEvent), "All statuses so far, oldest first"),
    meta: nested("Its shipment", {
      forward_id: field(Schema.String, "Id of the forward shipment"),
      marketplace_order_id: field(Schema.String, "The order's id at the marketplace"),
      marketplace_return_id: field(text, "The return's id at the marketplace"),
      courier_code: field(text, "Code of the courier")
    })
  })
}).annotate({ identifier: "Tracking", description: "The tracking of a shipment" })

type Lookup = Parameters<typeof Shipments.Shipments.Service.track>[1]

/** The id or AWB to look for; the id when both are given. An empty text counts as absent. */
export const lookupOf = ({ awb_number, shipment_id }: typeof TrackBody.Type): Effect.Effect<Lookup, Failure> => {
  if (shipment_id) return Effect.succeed({ shipmentId: shipment_id })
  if (awb_number) return Effect.succeed({ awbNumber: awb_number })
  const message = "is required when there is no awb_number"
  return Effect.fail(validationFailed([{ path: "/shipment_id", code: "REQUIRED", message }]))
}

export const eventsOf = ({ events }: Shipment) =>
  events.map(({ at, location, remark, status }) => ({ status, timestamp: iso(at), location, remark }))

/** The AWB of the request, else the shipment's first one. */
const awbOf = (shipment: Shipment, lookup: Lookup): string | null =>
  "awbNumber" in lookup ? lookup.awbNumber : (shipment.courier?.awbNumbers[0] ?? null)

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
    awb_number: awbOf(shipment, lookup),
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
