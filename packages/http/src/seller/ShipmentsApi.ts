/**
 * Contract: the shipment operations. Source: docs/reference/shipments.md.
 */

import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { SellerAuthentication } from "../Authentication.ts"
import { badRequest, conflict, notFound, tooLarge, unprocessable, unsupportedMediaType } from "../Failure.ts"
import { KnownParameters } from "../internal/KnownParameters.ts"
import { EnvelopeResult, MovesResult } from "../internal/Outcome.ts"
import { Limits } from "../Limits.ts"
import { CourierDetails } from "./CourierDetails.ts"
import { ReturnBody, ReturnQuery } from "./ReturnBody.ts"
import { ShipmentQuery } from "./ShipmentQuery.ts"
import * as ShipmentRecords from "./ShipmentRecords.ts"
import { TrackBody, Tracking } from "./ShipmentTracking.ts"
import { InfoView, ShipmentView } from "./ShipmentView.ts"

const bulk = <S extends Schema.Constraint>(record: S) =>
  Schema.Array(record).check(Schema.isMaxLength(Limits.shipmentRecords))

const base = "/oms/v3/shipment"

const errors = [badRequest, conflict, tooLarge, unsupportedMediaType] as const

export class ShipmentsGroup extends HttpApiGroup.make("shipments")
  .add(
    HttpApiEndpoint.get("read", base, {
      query: ShipmentQuery,
      success: Schema.Array(ShipmentView),
      error: [...errors, notFound]
    }).annotate(
      OpenApi.Summary,
      "Read a shipment by its id, or list shipments by order status and location; the header x-total-count has the total"
    )
  )
  .add(
    HttpApiEndpoint.post("confirm", `${base}/confirm`, {
      payload: bulk(ShipmentRecords.ConfirmRecord),
      success: MovesResult,
      error: [...errors, unprocessable]
    }).annotate(OpenApi.Summary, "Confirm shipments with every item that is not cancelled")
  )
  .add(
    HttpApiEndpoint.post("cancel", `${base}/cancel`, {
      payload: bulk(ShipmentRecords.CancelRecord),
      success: MovesResult,
      error: [...errors, unprocessable]
    }).annotate(OpenApi.Summary, "Cancel shipments or some of their items")
  )
  .add(
    HttpApiEndpoint.post("invoiceUpdate", `${base}/invoiceUpdate`, {
      payload: bulk(ShipmentRecords.InvoiceRecord),
      success: MovesResult,
      error: [...errors, unprocessable]
    }).annotate(OpenApi.Summary, "Record the invoice or credit note of shipments")
  )
  .add(
    HttpApiEndpoint.post("pack", `${base}/pack`, {
      payload: bulk(ShipmentRecords.PackRecord),
      success: MovesResult,
      error: [...errors, unprocessable]
    }).annotate(OpenApi.Summary, "Mark shipments as packed")
  )
  .add(
    HttpApiEndpoint.post("dispatch", `${base}/dispatch`, {
      payload: bulk(ShipmentRecords.DispatchRecord),
      success: MovesResult,
      error: [...errors, unprocessable]
    }).annotate(OpenApi.Summary, "Mark shipments as handed to the courier")
  )
  .add(
    HttpApiEndpoint.put("awb", `${base}/awb`, {
      payload: bulk(ShipmentRecords.AwbRecord),
      success: EnvelopeResult,
      error: [...errors, unprocessable]
    }).annotate(OpenApi.Summary, "Set the AWB and courier of shipments that the seller ships itself")
  )
  .add(
    HttpApiEndpoint.put("status", `${base}/status`, {
      payload: bulk(ShipmentRecords.StatusRecord),
      success: EnvelopeResult,
      error: [...errors, unprocessable]
    }).annotate(OpenApi.Summary, "Report the operational status of shipments")
  )
  .add(
    HttpApiEndpoint.get("info", `${base}/info`, {
      query: ShipmentQuery,
      success: InfoView,
      error: [...errors, notFound]
    }).annotate(
      OpenApi.Summary,
      "Read a shipment by its id, or list shipments by order status, at all locations of the token"
    )
  )
  .add(
    HttpApiEndpoint.post("courierDetails", `${base}/courierDetails`, {
      payload: bulk(ShipmentRecords.PackRecord),
      success: CourierDetails,
      error: errors
    }).annotate(OpenApi.Summary, "Read the courier and AWB of shipments")
  )
  .add(
    HttpApiEndpoint.post("track", `${base}/track`, {
      payload: TrackBody,
      success: Tracking,
      error: [...errors, notFound]
    }).annotate(OpenApi.Summary, "Track a shipment by its id or AWB")
  )
  .add(
    HttpApiEndpoint.post("return", `${base}/return`, {
      query: ReturnQuery,
      payload: ReturnBody,
      success: MovesResult,
      error: [...errors, unprocessable]
    }).annotate(OpenApi.Summary, "Record the quality check of returned items")
  )
  .middleware(KnownParameters)
  .middleware(SellerAuthentication)
  .annotate(OpenApi.Title, "Orders") {}
