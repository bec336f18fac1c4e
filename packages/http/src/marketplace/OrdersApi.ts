/**
 * Contract: orders of a marketplace. Source: docs/reference/orders.md#create.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { MarketplaceAuthentication } from "../Authentication.ts"
import { badRequest, conflict, notFound, tooLarge, unprocessable, unsupportedMediaType } from "../Failure.ts"
import * as Fields from "../internal/Fields.ts"
import { KnownParameters } from "../internal/KnownParameters.ts"
import { EnvelopeResult } from "../internal/Outcome.ts"
import { Limits } from "../Limits.ts"
import * as MarketplaceRecords from "./MarketplaceRecords.ts"
import { OrderBody } from "./OrderBody.ts"
import { OrderView } from "./OrderView.ts"

const base = "/order/api/v1/:marketplace_slug"
const path = Schema.Struct({ marketplace_slug: Fields.text() })

const Placed = Schema.Struct({
  platform_order_id: Schema.String,
  shipments: Schema.Array(Schema.Struct({ external_shipment_id: Schema.String, shipment_id: Schema.String }))
}).annotate({ identifier: "PlacedOrder" })

const errors = [badRequest, conflict, tooLarge, unsupportedMediaType] as const

export class OrdersGroup extends HttpApiGroup.make("orders")
  .add(
    HttpApiEndpoint.post("create", `${base}/create`, {
      params: path,
      payload: OrderBody,
      success: Placed,
      error: [...errors, unprocessable]
    }).annotate(OpenApi.Summary, "Place an order; it is accepted as a whole or not at all")
  )
  .add(
    HttpApiEndpoint.get("read", `${base}/order`, {
      params: path,
      query: Schema.Struct({ platform_order_id: Fields.name }),
      success: OrderView,
      error: [...errors, notFound]
    }).annotate(OpenApi.Summary, "Read an order with all its shipments and bags")
  )
  .add(
    HttpApiEndpoint.put("awb", `${base}/awb`, {
      params: path,
      payload: Schema.Array(MarketplaceRecords.AwbItem).pipe(Schema.check(Schema.isMaxLength(Limits.shipmentRecords))),
      success: EnvelopeResult,
      error: [...errors, unprocessable]
    }).annotate(OpenApi.Summary, "Set the AWB and courier of shipments")
  )
  .add(
    HttpApiEndpoint.put("status", `${base}/status`, {
      params: path,
      payload: Schema.Array(MarketplaceRecords.StatusItem).pipe(
        Schema.check(Schema.isMaxLength(Limits.shipmentRecords))
      ),
      success: EnvelopeResult,
      error: [...errors, unprocessable]
    }).annotate(OpenApi.Summary, "Report the status of shipments")
  )
  .middleware(KnownParameters)
  .middleware(MarketplaceAuthentication)
  .annotate(OpenApi.Title, "Orders") {}
