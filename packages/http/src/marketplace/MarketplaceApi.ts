/** Contract: the marketplace interface. Source: docs/reference/marketplace.md. */
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { MarketplaceAuthentication } from "../Authentication.ts"
import {
  badRequest,
  conflict,
  ErrorAnswers,
  notFound,
  tooLarge,
  unprocessable,
  unsupportedMediaType
} from "../Failure.ts"
import * as Fields from "../internal/Fields.ts"
import { field, nestedList } from "../internal/Fields.ts"
import { annotations, callers, codes, group, operation } from "../internal/OpenApiDocument.ts"
import { MarketplaceTokenGroup } from "../TokenApi.ts"
import { awbs, statuses } from "./MarketplaceRecords.ts"
import { OrderBody } from "./OrderBody.ts"
import { OrderView } from "./OrderView.ts"

const base = "/order/api/v1/:marketplace_slug"
const path = Schema.Struct({ marketplace_slug: field(Fields.text(), "The marketplace's own slug") })

const Placed = Schema.Struct({
  platform_order_id: field(Schema.String, "Id of the order, 24 hex characters; read the order by it"),
  shipments: nestedList("The shipments, in the order of the request", {
    external_shipment_id: field(Schema.String, "The marketplace's id of the shipment"),
    shipment_id: field(Schema.String, "Id of the shipment for awb and status: 20 digits, as text")
  })
}).annotate({ identifier: "PlacedOrder", description: "The ids of an order that was placed" })

const errors = [badRequest, conflict, tooLarge, unsupportedMediaType] as const

export class OrdersGroup extends HttpApiGroup.make("orders")
  .add(
    HttpApiEndpoint.post("create", `${base}/create`, {
      params: path,
      payload: OrderBody,
      success: Placed,
      error: [...errors, unprocessable]
    })
      .annotateMerge(
        operation(
          "Place an order",
          `Places all shipments of the order and reserves their stock, or nothing. The same external_order_id with the same content gives the same answer again. ${callers.marketplace}`,
          "orders.md#create",
          "orders.md#totals",
          "orders.md#payment",
          "orders.md#repeats"
        )
      )
      .annotateMerge(
        codes(
          "EMPTY_REQUEST",
          "UNKNOWN_SKU",
          "UNKNOWN_LOCATION",
          "TOTAL_MISMATCH",
          "CURRENCY_MISMATCH",
          "DUPLICATE_LINE",
          "INSUFFICIENT_STOCK",
          "ORDER_EXISTS"
        )
      ),
    HttpApiEndpoint.get("read", `${base}/order`, {
      params: path,
      query: Schema.Struct({ platform_order_id: field(Fields.name, "From the answer to create") }),
      success: OrderView,
      error: [...errors, notFound]
    }).annotateMerge(
      operation(
        "Read an order",
        `An order with its prices, its shipments (returns too) and their bags. ${callers.marketplace}`,
        "orders.md#read"
      )
    ),
    HttpApiEndpoint.put("awb", `${base}/awb`, { params: path, ...awbs.contract }).annotateMerge(
      awbs.documented(
        "Set AWB numbers",
        "Sets the AWB number and courier of shipments whose logistics the marketplace runs.",
        callers.marketplace,
        "orders.md#awb-and-status",
        "lifecycle.md#moves"
      )
    ),
    HttpApiEndpoint.put("status", `${base}/status`, { params: path, ...statuses.contract }).annotateMerge(
      statuses.documented(
        "Report the status of shipments",
        "Reports deliveries, opens returns and cancels for the customer. Repeating the current status changes nothing.",
        callers.marketplace,
        "orders.md#awb-and-status",
        "returns.md#opening",
        "lifecycle.md#moves"
      )
    )
  )
  .middleware(MarketplaceAuthentication)
  .annotateMerge(group("Orders", "Orders of a marketplace, and the deliveries that it reports")) {}

export class MarketplaceApi extends HttpApi.make("marketplace")
  .add(MarketplaceTokenGroup)
  .add(OrdersGroup)
  .middleware(ErrorAnswers)
  .annotateMerge(
    annotations(
      "Marketplace interface",
      "1.0.0",
      "For marketplaces: they place orders and report deliveries. The stock events that they receive are among the webhooks. Every operation except signing in needs the header x-access-token."
    )
  ) {}
