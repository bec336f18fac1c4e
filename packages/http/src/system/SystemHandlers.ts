/**
 * Handlers: health, metrics, the OpenAPI documents and the page to try them.
 */

import { Directory } from "@crossdock/access"
import type * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import { answering } from "../Failure.ts"
import { MarketplaceApi } from "../marketplace/MarketplaceApi.ts"
import { PlatformApi } from "../platform/PlatformApi.ts"
import { SellerApi } from "../seller/SellerApi.ts"
import * as DocsPage from "./DocsPage.ts"
import * as OpenApiDocument from "./OpenApiDocument.ts"
import * as Prometheus from "./Prometheus.ts"
import { SystemApi } from "./SystemApi.ts"

const document = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>
) => {
  const json = HttpServerResponse.unsafeJson(OpenApiDocument.make(api))
  return () => Effect.succeed(json)
}

export const layer = HttpApiBuilder.group(SystemApi, "system", (handlers) =>
  Effect.gen(function* () {
    const directory = yield* Directory
    return handlers
      .handle("live", () => Effect.succeed({ status: "ok" }))
      .handle("ready", () => answering(Effect.as(directory.hasOwnIntegrations, { status: "ok" })))
      .handleRaw("metrics", () => Prometheus.response)
      .handleRaw("sellerDocument", document(SellerApi))
      .handleRaw("marketplaceDocument", document(MarketplaceApi))
      .handleRaw("platformDocument", document(PlatformApi))
      .handleRaw("docs", () => DocsPage.response)
  })
)
