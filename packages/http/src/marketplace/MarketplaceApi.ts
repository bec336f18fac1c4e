/** Contract: the marketplace interface. Source: docs/reference/marketplace.md. */
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { MarketplaceAuthentication } from "../Authentication.ts"
import { bodyErrors, ErrorAnswers, notFound, writeErrors } from "../Failure.ts"
import { bulkCodes } from "../internal/BulkOperation.ts"
import * as Fields from "../internal/Fields.ts"
import { field, nestedList } from "../internal/Fields.ts"
import { annotations, codes } from "../internal/OpenApiDocument.ts"
import { MarketplaceTokenGroup } from "../TokenApi.ts"
import { awbs, statuses } from "./MarketplaceRecords.ts"
import { OrderBody } from "./OrderBody.ts"
import { OrderView } from "./OrderView.ts"
import texts from "./texts.json" with { type: "json" }

const base = "/order/api/v1/:marketplace_slug"
const path = Schema.Struct({ marketplace_slug: field(Fields.text(), "The marketplace's own slug") })

const Placed = Schema.Struct({
  platform_order_id: field(Schema.String, "Id of the order, 24 hex characters; needed to read the order"),
  shipments: nestedList("The shipments, in the order of the request", {
    external_shipment_id: field(Schema.String, "The marketplace's id of the shipment"),
    shipment_id: field(Schema.String, "Id of the shipment for awb and status: 20 digits, as text")
  })
}).annotate({ identifier: "PlacedOrder", description: "The ids of a placed order" })

export class OrdersGroup extends HttpApiGroup.make("orders")
  .add(
    HttpApiEndpoint.post("create", `${base}/create`, {
      params: path,
      payload: OrderBody,
      success: Placed,
      error: writeErrors
    }).annotateMerge(
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
      query: Schema.Struct({ platform_order_id: field(Fields.name, "The platform_order_id in the answer to create") }),
      success: OrderView,
      error: [...bodyErrors, notFound]
    }),
    HttpApiEndpoint.put("awb", `${base}/awb`, { params: path, ...awbs.contract }).annotateMerge(bulkCodes),
    HttpApiEndpoint.put("status", `${base}/status`, { params: path, ...statuses.contract }).annotateMerge(bulkCodes)
  )
  .middleware(MarketplaceAuthentication) {}

export class MarketplaceApi extends HttpApi.make("marketplace")
  .add(MarketplaceTokenGroup)
  .add(OrdersGroup)
  .middleware(ErrorAnswers)
  .annotateMerge(annotations("Marketplace interface", "1.0.0", texts)) {}
