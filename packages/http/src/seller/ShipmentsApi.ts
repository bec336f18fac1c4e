/**
 * Contract: the shipment operations. Source: docs/reference/shipments.md.
 */

import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { SellerAuthentication } from "../Authentication.ts"
import { badRequest, conflict, notFound, tooLarge, unprocessable, unsupportedMediaType } from "../Failure.ts"
import { codes, group, operation, withTotalCount } from "../internal/OpenApiDocument.ts"
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
      success: Schema.Array(ShipmentView).annotate({ description: "The shipments of the page, newest first" }),
      error: [...errors, notFound]
    })
      .annotate(OpenApi.Transform, withTotalCount)
      .annotateMerge(
        operation(
          "Read shipments",
          "One shipment by its orderId, or a page of those with an order status at a location, newest first. A list needs orderStatus, and with a company-level token locationCode. Any integration of the company may call it; with a location-level token only for its own locations.",
          "shipments.md#read",
          "shipments.md#view"
        )
      )
      .annotateMerge(codes("UNKNOWN_LOCATION"))
  )
  .add(
    HttpApiEndpoint.post("confirm", `${base}/confirm`, {
      payload: bulk(ShipmentRecords.ConfirmRecord),
      success: MovesResult,
      error: [...errors, unprocessable]
    })
      .annotateMerge(
        operation(
          "Confirm shipments",
          "Says that the seller will send every item that is not cancelled. At most 20 records; records are judged one by one: the valid ones are applied together, the others are listed in errors. Any integration of the company may call it; with a location-level token only for its own locations.",
          "shipments.md#confirm",
          "bulk.md#moves",
          "lifecycle.md#moves"
        )
      )
      .annotateMerge(codes("EMPTY_REQUEST", "TOO_MANY_RECORDS"))
  )
  .add(
    HttpApiEndpoint.post("cancel", `${base}/cancel`, {
      payload: bulk(ShipmentRecords.CancelRecord),
      success: MovesResult,
      error: [...errors, unprocessable]
    })
      .annotateMerge(
        operation(
          "Cancel shipments or items",
          "Cancels shipments, or some of their units, until they are dispatched; the stock is released. Units that are cancelled from a shipment become a shipment of their own. At most 20 records; records are judged one by one: the valid ones are applied together, the others are listed in errors. Any integration of the company may call it; with a location-level token only for its own locations.",
          "shipments.md#cancel",
          "bulk.md#moves",
          "lifecycle.md#moves"
        )
      )
      .annotateMerge(codes("EMPTY_REQUEST", "TOO_MANY_RECORDS"))
  )
  .add(
    HttpApiEndpoint.post("invoiceUpdate", `${base}/invoiceUpdate`, {
      payload: bulk(ShipmentRecords.InvoiceRecord),
      success: MovesResult,
      error: [...errors, unprocessable]
    })
      .annotateMerge(
        operation(
          "Record invoices and credit notes",
          "Records the invoice of confirmed shipments with their packages, or the credit note of accepted returns. At most 20 records; records are judged one by one: the valid ones are applied together, the others are listed in errors. Any integration of the company may call it; with a location-level token only for its own locations.",
          "shipments.md#invoice-update",
          "bulk.md#moves",
          "lifecycle.md#moves"
        )
      )
      .annotateMerge(codes("EMPTY_REQUEST", "TOO_MANY_RECORDS"))
  )
  .add(
    HttpApiEndpoint.post("pack", `${base}/pack`, {
      payload: bulk(ShipmentRecords.PackRecord),
      success: MovesResult,
      error: [...errors, unprocessable]
    })
      .annotateMerge(
        operation(
          "Mark shipments as packed",
          "Needs an invoice and a courier. From then on there is a label. At most 20 records; records are judged one by one: the valid ones are applied together, the others are listed in errors. Any integration of the company may call it; with a location-level token only for its own locations.",
          "shipments.md#pack",
          "bulk.md#moves",
          "lifecycle.md#moves"
        )
      )
      .annotateMerge(codes("EMPTY_REQUEST", "TOO_MANY_RECORDS"))
  )
  .add(
    HttpApiEndpoint.post("dispatch", `${base}/dispatch`, {
      payload: bulk(ShipmentRecords.DispatchRecord),
      success: MovesResult,
      error: [...errors, unprocessable]
    })
      .annotateMerge(
        operation(
          "Dispatch shipments",
          "Says that the courier has the parcels; the stock is consumed. At most 20 records; records are judged one by one: the valid ones are applied together, the others are listed in errors. Any integration of the company may call it; with a location-level token only for its own locations.",
          "shipments.md#dispatch",
          "bulk.md#moves",
          "lifecycle.md#moves"
        )
      )
      .annotateMerge(codes("EMPTY_REQUEST", "TOO_MANY_RECORDS"))
  )
  .add(
    HttpApiEndpoint.put("awb", `${base}/awb`, {
      payload: bulk(ShipmentRecords.AwbRecord),
      success: EnvelopeResult,
      error: [...errors, unprocessable]
    })
      .annotateMerge(
        operation(
          "Set AWB numbers",
          "Sets the AWB number and courier of shipments that the seller ships itself. At most 20 records; records are judged one by one: the valid ones are applied together, the others are listed in errors. Any integration of the company may call it; with a location-level token only for its own locations.",
          "shipments.md#awb",
          "bulk.md#moves",
          "lifecycle.md#moves"
        )
      )
      .annotateMerge(codes("EMPTY_REQUEST", "TOO_MANY_RECORDS"))
  )
  .add(
    HttpApiEndpoint.put("status", `${base}/status`, {
      payload: bulk(ShipmentRecords.StatusRecord),
      success: EnvelopeResult,
      error: [...errors, unprocessable]
    })
      .annotateMerge(
        operation(
          "Report the status of shipments",
          "Reports the operational status of shipments on their way. Repeating the present status changes nothing. At most 20 records; records are judged one by one: the valid ones are applied together, the others are listed in errors. Any integration of the company may call it; with a location-level token only for its own locations.",
          "shipments.md#status",
          "bulk.md#moves",
          "lifecycle.md#moves"
        )
      )
      .annotateMerge(codes("EMPTY_REQUEST", "TOO_MANY_RECORDS"))
  )
  .add(
    HttpApiEndpoint.get("info", `${base}/info`, {
      query: ShipmentQuery,
      success: InfoView,
      error: [...errors, notFound]
    })
      .annotate(OpenApi.Transform, withTotalCount)
      .annotateMerge(
        operation(
          "Read shipments at all locations",
          "One shipment by its orderId, or a page of those with an order status at all locations of the token, newest first. Any integration of the company may call it; with a location-level token only for its own locations.",
          "shipments.md#info"
        )
      )
      .annotateMerge(codes("UNKNOWN_LOCATION"))
  )
  .add(
    HttpApiEndpoint.post("courierDetails", `${base}/courierDetails`, {
      payload: bulk(ShipmentRecords.PackRecord),
      success: CourierDetails,
      error: errors
    })
      .annotateMerge(
        operation(
          "Read couriers and AWB numbers",
          "The courier of each shipment, in the order of the request. At most 20 records. Any integration of the company may call it; with a location-level token only for its own locations.",
          "shipments.md#courier-details"
        )
      )
      .annotateMerge(codes("EMPTY_REQUEST", "TOO_MANY_RECORDS"))
  )
  .add(
    HttpApiEndpoint.post("track", `${base}/track`, {
      payload: TrackBody,
      success: Tracking,
      error: [...errors, notFound]
    }).annotateMerge(
      operation(
        "Track a shipment",
        "Where a shipment is, on its way out or back, with every status it had. Any integration of the company may call it; with a location-level token only for its own locations.",
        "shipments.md#track"
      )
    )
  )
  .add(
    HttpApiEndpoint.post("return", `${base}/return`, {
      query: ReturnQuery,
      payload: ReturnBody,
      success: MovesResult,
      error: [...errors, unprocessable]
    })
      .annotateMerge(
        operation(
          "Record the quality check of returns",
          "Good units go back to the stock on hand, bad ones are counted apart. At most 20 records; records are judged one by one: the valid ones are applied together, the others are listed in errors. Any integration of the company may call it; with a location-level token only for its own locations.",
          "returns.md#quality-check",
          "bulk.md#moves",
          "lifecycle.md#moves"
        )
      )
      .annotateMerge(codes("EMPTY_REQUEST", "TOO_MANY_RECORDS"))
  )
  .middleware(SellerAuthentication)
  .annotateMerge(group("Orders", "Shipments of orders: from confirming them to the quality check of returns")) {}
