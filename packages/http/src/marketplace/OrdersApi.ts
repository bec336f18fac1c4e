/**
 * Contract: orders of a marketplace (document 3, Marketplace-facing).
 */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import { MarketplaceAuthentication } from "../Authentication.ts"
import { badRequest, conflict, notFound, tooLarge, unprocessable, unsupportedMediaType } from "../Failure.ts"
import * as Fields from "../Fields.ts"
import { EnvelopeResult } from "../Outcome.ts"
import * as MarketplaceRecords from "./MarketplaceRecords.ts"
import { OrderBody } from "./OrderBody.ts"
import { OrderView } from "./OrderView.ts"

/**
 * Items in one request (contract, Marketplace).
 */
export const recordLimit = 20

const base = "/order/api/v1/:marketplace_slug"
const path = Schema.Struct({ marketplace_slug: Schema.String })

const Placed = Schema.Struct({
  platform_order_id: Schema.String,
  shipments: Schema.Array(Schema.Struct({ external_shipment_id: Schema.String, shipment_id: Schema.String }))
}).annotations({ identifier: "PlacedOrder" })

export class OrdersGroup extends HttpApiGroup.make("orders")
  .add(
    HttpApiEndpoint.post("create", `${base}/create`)
      .setPath(path)
      .setPayload(OrderBody)
      .addSuccess(Placed)
      .addError(unprocessable)
      .annotate(OpenApi.Summary, "Place an order: all of it or nothing")
  )
  .add(
    HttpApiEndpoint.get("read", `${base}/order`)
      .setPath(path)
      .setUrlParams(Fields.query({ platform_order_id: Fields.name }))
      .addSuccess(OrderView)
      .addError(notFound)
      .annotate(OpenApi.Summary, "Read an order with every shipment and bag")
  )
  .add(
    HttpApiEndpoint.put("awb", `${base}/awb`)
      .setPath(path)
      .setPayload(Schema.Array(MarketplaceRecords.AwbItem).pipe(Schema.maxItems(recordLimit)))
      .addSuccess(EnvelopeResult)
      .addError(unprocessable)
      .annotate(OpenApi.Summary, "Set AWB and courier of shipments")
  )
  .add(
    HttpApiEndpoint.put("status", `${base}/status`)
      .setPath(path)
      .setPayload(Schema.Array(MarketplaceRecords.StatusItem).pipe(Schema.maxItems(recordLimit)))
      .addSuccess(EnvelopeResult)
      .addError(unprocessable)
      .annotate(OpenApi.Summary, "Report the status of shipments")
  )
  .addError(badRequest)
  .addError(conflict)
  .addError(tooLarge)
  .addError(unsupportedMediaType)
  .middleware(MarketplaceAuthentication)
  .annotate(OpenApi.Title, "Orders") {}
