/**
 * The marketplace interface: document 3, marketplace-facing.
 */
import * as HttpApi from "@effect/platform/HttpApi"
import * as OpenApi from "@effect/platform/OpenApi"
import { internal } from "../Failure.ts"
import { MarketplaceTokenGroup } from "./MarketplaceTokenApi.ts"
import { OrdersGroup } from "./OrdersApi.ts"

export class MarketplaceApi extends HttpApi.make("marketplace")
  .add(MarketplaceTokenGroup)
  .add(OrdersGroup)
  .addError(internal)
  .annotate(OpenApi.Title, "Marketplace interface")
  .annotate(OpenApi.Version, "1.0.0") {}
