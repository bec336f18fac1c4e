/**
 * The tracking of a shipment. Source: docs/reference/shipments.md#track.
 */
import { orderStatusOf, type Shipment, type Shipments, statusChangedAt } from "@crossdock/shipments"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Failure, validationFailed } from "../Failure.ts"
import type * as Body from "../internal/Body.ts"
import * as Decode from "../internal/Decode.ts"
import * as Fields from "../internal/Fields.ts"
import { iso } from "../internal/IsoTime.ts"

export const TrackBody = Schema.Struct({
  shipment_id: Fields.optional(Fields.text()),
  awb_number: Fields.optional(Fields.text())
})

const text = Schema.NullOr(Schema.String)

export const Tracking = Schema.Struct({
  status: Schema.String,
  data: Schema.Struct({
    courier: text,
    current_status: Schema.String,
    last_updated: Schema.String,
    eta: text,
    promised_delivery_date: text,
    tracking_url: text,
    location: text,
    shipment_id: Schema.String,
    awb_number: text,
    operational_status: Schema.String,
    journey: Schema.String,
    events: Schema.Array(
      Schema.Struct({ status: Schema.String, timestamp: Schema.String, location: text, remark: text })
    ),
    meta: Fields.object
  })
}).annotate({ identifier: "Tracking" })

type Lookup = Parameters<typeof Shipments.Shipments.Service.track>[1]

const decode = Decode.whole(TrackBody)

/**
 * The id or AWB to look for; the id when both are given. An empty text counts as absent.
 */
export const read = (body: Body.Body | undefined): Effect.Effect<Lookup, Failure> =>
  Effect.gen(function* () {
    const { awb_number, shipment_id } = yield* decode(body?.json ?? {})
    if (shipment_id) return { shipmentId: shipment_id }
    if (awb_number) return { awbNumber: awb_number }
    const message = "is required when there is no awb_number"
    return yield* validationFailed([{ path: "/shipment_id", code: "REQUIRED", message }])
  })

/**
 * The AWB of the request, else the shipment's first one.
 */
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
    events: shipment.events.map(({ at, location, remark, status }) => ({
      status,
      timestamp: iso(at),
      location,
      remark
    })),
    meta: {
      forward_id: shipment.forwardId,
      marketplace_order_id: shipment.externalOrderId,
      marketplace_return_id: shipment.returnId,
      courier_code: shipment.courier?.code ?? null
    }
  }
})
