/**
 * The marketplace interface. Source: docs/reference/marketplace.md.
 */
import * as HttpApi from "effect/http-api/HttpApi"
import { ErrorAnswers } from "../Failure.ts"
import * as OpenApiDocument from "../internal/OpenApiDocument.ts"
import { MarketplaceTokenGroup } from "./MarketplaceTokenApi.ts"
import { OrdersGroup } from "./OrdersApi.ts"

export class MarketplaceApi extends HttpApi.make("marketplace")
  .add(MarketplaceTokenGroup)
  .add(OrdersGroup)
  .middleware(ErrorAnswers)
  .annotateMerge(
    OpenApiDocument.annotations(
      "Marketplace interface",
      "1.0.0",
      "What a marketplace calls: it places orders and reports deliveries. What it is called with, stock events, is among the webhooks. Every operation except signing in needs the header x-access-token."
    )
  ) {}
