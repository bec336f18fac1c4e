/**
 * Handlers: health, metrics, the OpenAPI documents and the page that links to them.
 */

import { Directory } from "@crossdock/access"
import { BackgroundLoop, Metrics, StorageError, Timeout, Transaction } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as OpenApi from "effect/http-api/OpenApi"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import * as Endpoints from "../internal/Endpoints.ts"
import * as OpenApiDocuments from "../openapi/OpenApiDocuments.ts"
import { HttpPolicy } from "../RequestContext.ts"
import * as DocsPage from "./DocsPage.ts"
import { AdminApi, HealthApi } from "./SystemApi.ts"

/**
 * Built once, when the host starts.
 */
const document = (openApi: OpenApi.OpenAPISpec) => {
  const json = Effect.succeed(HttpServerResponse.jsonUnsafe(openApi))
  return () => json
}

/** Readiness is answered within 2 seconds. */
const noAnswer = () =>
  new StorageError({ operation: "readiness", cause: new Error("The storage did not answer within 1.5 s") })

const contentType = "text/plain; version=0.0.4; charset=utf-8"

export const health = Endpoints.group(HealthApi, "health", (handlers) =>
  Effect.gen(function* () {
    const directory = yield* Directory
    const loops = yield* BackgroundLoop.BackgroundLoops
    const { probe = Effect.void } = yield* Transaction.Transaction
    const answers = Effect.andThen(directory.hasOwnIntegrations, probe)
    return handlers({
      live: () => Effect.succeed({ status: "ok" }),
      ready: () =>
        Effect.gen(function* () {
          yield* Timeout.abandonAfter(answers, { limit: "1500 millis", orElse: noAnswer })
          const workers = (yield* loops.states).map((one) => ({ ...one, since: new Date(one.since).toISOString() }))
          return { status: "ok", workers }
        })
    })
  })
)

export const admin = Endpoints.group(AdminApi, "admin", (handlers) =>
  Effect.map(HttpPolicy, ({ publicUrl }) =>
    handlers({
      metrics: () =>
        Effect.gen(function* () {
          yield* (yield* Metrics.Gauges).refresh
          return HttpServerResponse.text(yield* PrometheusMetrics.format(), { contentType })
        }),
      sellerDocument: document(OpenApi.fromApi(OpenApiDocuments.at(OpenApiDocuments.seller, publicUrl))),
      marketplaceDocument: document(OpenApi.fromApi(OpenApiDocuments.at(OpenApiDocuments.marketplace, publicUrl))),
      platformDocument: document(OpenApi.fromApi(OpenApiDocuments.at(OpenApiDocuments.platform, publicUrl))),
      docs: () => DocsPage.response
    })
  )
)
