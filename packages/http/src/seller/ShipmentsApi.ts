/**
 * Contract: the shipment operations (document 2, Endpoints).
 */

import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import { SellerAuthentication } from "../Authentication.ts"
import { badRequest, conflict, notFound, tooLarge, unprocessable, unsupportedMediaType } from "../Failure.ts"
import { EnvelopeResult, MovesResult } from "../Outcome.ts"
import { CourierDetails } from "./CourierDetails.ts"
import { ReturnBody, ReturnQuery } from "./ReturnBody.ts"
import { InfoQuery, ShipmentQuery } from "./ShipmentQuery.ts"
import * as ShipmentRecords from "./ShipmentRecords.ts"
import { TrackBody, Tracking } from "./ShipmentTracking.ts"
import { InfoView, ShipmentView } from "./ShipmentView.ts"

/**
 * Payloads in one request (document 2, Limits).
 */
export const recordLimit = 20

const bulk = <A, I>(record: Schema.Schema<A, I>) => Schema.Array(record).pipe(Schema.maxItems(recordLimit))

const base = "/oms/v3/shipment"

export class ShipmentsGroup extends HttpApiGroup.make("shipments")
  .add(
    HttpApiEndpoint.get("read", base)
      .setUrlParams(ShipmentQuery)
      .addSuccess(Schema.Array(ShipmentView))
      .addError(notFound)
      .annotate(OpenApi.Summary, "Read shipments by id, or by order status and location; x-total-count has the total")
  )
  .add(
    HttpApiEndpoint.post("confirm", `${base}/confirm`)
      .setPayload(bulk(ShipmentRecords.ConfirmRecord))
      .addSuccess(MovesResult)
      .addError(unprocessable)
      .annotate(OpenApi.Summary, "Confirm all that is left of shipments")
  )
  .add(
    HttpApiEndpoint.post("cancel", `${base}/cancel`)
      .setPayload(bulk(ShipmentRecords.CancelRecord))
      .addSuccess(MovesResult)
      .addError(unprocessable)
      .annotate(OpenApi.Summary, "Cancel shipments, or items of them")
  )
  .add(
    HttpApiEndpoint.post("invoiceUpdate", `${base}/invoiceUpdate`)
      .setPayload(bulk(ShipmentRecords.InvoiceRecord))
      .addSuccess(MovesResult)
      .addError(unprocessable)
      .annotate(OpenApi.Summary, "Set the invoice or the credit note of shipments")
  )
  .add(
    HttpApiEndpoint.post("pack", `${base}/pack`)
      .setPayload(bulk(ShipmentRecords.PackRecord))
      .addSuccess(MovesResult)
      .addError(unprocessable)
      .annotate(OpenApi.Summary, "Say that shipments are packed")
  )
  .add(
    HttpApiEndpoint.post("dispatch", `${base}/dispatch`)
      .setPayload(bulk(ShipmentRecords.DispatchRecord))
      .addSuccess(MovesResult)
      .addError(unprocessable)
      .annotate(OpenApi.Summary, "Hand shipments to the courier")
  )
  .add(
    HttpApiEndpoint.put("awb", `${base}/awb`)
      .setPayload(bulk(ShipmentRecords.AwbRecord))
      .addSuccess(EnvelopeResult)
      .addError(unprocessable)
      .annotate(OpenApi.Summary, "Set AWB and courier of shipments that the seller ships itself")
  )
  .add(
    HttpApiEndpoint.put("status", `${base}/status`)
      .setPayload(bulk(ShipmentRecords.StatusRecord))
      .addSuccess(EnvelopeResult)
      .addError(unprocessable)
      .annotate(OpenApi.Summary, "Report the operational status of shipments")
  )
  .add(
    HttpApiEndpoint.get("info", `${base}/info`)
      .setUrlParams(InfoQuery)
      .addSuccess(InfoView)
      .addError(notFound)
      .annotate(OpenApi.Summary, "Read shipments by id or by order status, at all locations that the token sees")
  )
  .add(
    HttpApiEndpoint.post("courierDetails", `${base}/courierDetails`)
      .setPayload(bulk(ShipmentRecords.PackRecord))
      .addSuccess(CourierDetails)
      .annotate(OpenApi.Summary, "Read courier and AWB of shipments")
  )
  .add(
    HttpApiEndpoint.post("track", `${base}/track`)
      .setPayload(TrackBody)
      .addSuccess(Tracking)
      .addError(notFound)
      .annotate(OpenApi.Summary, "Follow a shipment by its id or by its AWB")
  )
  .add(
    HttpApiEndpoint.post("return", `${base}/return`)
      .setUrlParams(ReturnQuery)
      .setPayload(ReturnBody(recordLimit))
      .addSuccess(MovesResult)
      .addError(unprocessable)
      .annotate(OpenApi.Summary, "Record the quality check of what came back")
  )
  .addError(badRequest)
  .addError(conflict)
  .addError(tooLarge)
  .addError(unsupportedMediaType)
  .middleware(SellerAuthentication)
  .annotate(OpenApi.Title, "Orders") {}
