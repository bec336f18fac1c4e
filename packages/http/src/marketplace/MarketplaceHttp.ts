/**
 * The marketplace interface with its handlers, as a layer for a host.
 */
import type { Access } from "@crossdock/access"
import type { Ids } from "@crossdock/kernel"
import type { Orders } from "@crossdock/orders"
import type { Shipments } from "@crossdock/shipments"
import type * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Authentication from "../Authentication.ts"
import type { Reply } from "../Reply.ts"
import * as MarketplaceTokenHandlers from "./MarketplaceTokenHandlers.ts"
import * as OrdersHandlers from "./OrdersHandlers.ts"

/**
 * The interface without its sign-in, for a host that provides `Authentication.MarketplaceAuthentication` itself.
 */
export const routes = Layer.mergeAll(MarketplaceTokenHandlers.layer, OrdersHandlers.layer)

/**
 * The interface with the sign-in of `@crossdock/access`. Needs the services of orders and shipments, `Access` and `Reply`.
 */
export const layer: Layer.Layer<
  never,
  never,
  Access.Access | Orders.Orders | Shipments.Shipments | Ids.Ids | Reply | HttpRouter.HttpRouter
> = Layer.provide(routes, Authentication.marketplaceLayer)
