/**
 * The marketplace interface with its handlers, as a layer for a host.
 */
import type { Access } from "@crossdock/access"
import type { Ids } from "@crossdock/kernel"
import type { Orders } from "@crossdock/orders"
import type { Shipments } from "@crossdock/shipments"
import type * as FileSystem from "effect/FileSystem"
import type * as Etag from "effect/http/Etag"
import type * as HttpPlatform from "effect/http/HttpPlatform"
import type * as HttpRouter from "effect/http/HttpRouter"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import * as Authentication from "../Authentication.ts"
import * as ErrorAnswers from "../internal/ErrorAnswers.ts"
import * as KnownParameters from "../internal/KnownParameters.ts"
import type { Reply } from "../Reply.ts"
import { MarketplaceApi } from "./MarketplaceApi.ts"
import * as MarketplaceTokenHandlers from "./MarketplaceTokenHandlers.ts"
import * as OrdersHandlers from "./OrdersHandlers.ts"

/**
 * The interface without its sign-in, for a host that provides `Authentication.MarketplaceAuthentication` itself.
 */
export const routes = HttpApiBuilder.layer(MarketplaceApi).pipe(
  Layer.provide([MarketplaceTokenHandlers.layer, OrdersHandlers.layer]),
  Layer.provide([KnownParameters.layer, ErrorAnswers.layer])
)

/**
 * The interface with the sign-in of `@crossdock/access`. Needs the services of orders and shipments, `Access` and `Reply`.
 */
export const layer: Layer.Layer<
  never,
  never,
  | Access.Access
  | Orders.Orders
  | Shipments.Shipments
  | Ids.Ids
  | Reply
  | HttpRouter.HttpRouter
  | HttpPlatform.HttpPlatform
  | Etag.Generator
  | FileSystem.FileSystem
  | Path.Path
> = Layer.provide(routes, Authentication.marketplaceLayer)
