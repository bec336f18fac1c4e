/**
 * The marketplace interface with its handlers, as a layer for a host.
 */
import * as Layer from "effect/Layer"
import * as Authentication from "../Authentication.ts"
import * as MarketplaceTokenHandlers from "./MarketplaceTokenHandlers.ts"
import * as OrdersHandlers from "./OrdersHandlers.ts"

/**
 * The interface without its sign-in, for a host that provides `Authentication.MarketplaceAuthentication` itself.
 */
export const routes = Layer.mergeAll(MarketplaceTokenHandlers.layer, OrdersHandlers.layer)

/**
 * The interface with the sign-in of `@crossdock/access`. Needs the services of orders and shipments, `Access` and `Reply`.
 */
export const layer = Layer.provide(routes, Authentication.marketplaceLayer)
