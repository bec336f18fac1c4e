/**
 * The marketplace interface with its handlers, as a layer for a host.
 */
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import * as Authentication from "../Authentication.ts"
import * as ErrorAnswers from "../internal/ErrorAnswers.ts"
import { MarketplaceApi } from "./MarketplaceApi.ts"
import * as MarketplaceTokenHandlers from "./MarketplaceTokenHandlers.ts"
import * as OrdersHandlers from "./OrdersHandlers.ts"

/**
 * Needs the services of orders and shipments, `Access` and `Reply`.
 */
export const layer = HttpApiBuilder.layer(MarketplaceApi).pipe(
  Layer.provide([MarketplaceTokenHandlers.layer, OrdersHandlers.layer]),
  Layer.provide([Authentication.marketplaceLayer, ErrorAnswers.layer])
)
