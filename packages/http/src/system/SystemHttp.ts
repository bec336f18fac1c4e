/** Health, metrics and documents, as layers for a host. */
import { Directory } from "@crossdock/access"
import { BackgroundLoop, Metrics, StorageError, Transaction } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Layer from "effect/Layer"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import * as Endpoints from "../internal/Endpoints.ts"
import * as OpenApiDocuments from "../openapi/OpenApiDocuments.ts"
import { HttpPolicy } from "../RequestContext.ts"
import * as DocsPages from "./DocsPages.ts"
import { AdminGroup, HealthGroup } from "./SystemApi.ts"

export { pages, Site } from "./DocsPages.ts"

/** Built once, by the first request, so that a host starts a quarter of a second faster. */
const document = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  publicUrl: string,
  own: OpenApiDocuments.Own
) => {
  let built: HttpServerResponse.HttpServerResponse | undefined
  return () =>
    Effect.sync(() => {
      built ??= HttpServerResponse.jsonUnsafe(OpenApi.fromApi(OpenApiDocuments.at(api, publicUrl, own)))
      return built
    })
}

/** The error of a storage that is too slow for readiness, which must be answered within 2 seconds. */
const noAnswer = () =>
  new StorageError({ operation: "readiness", cause: new Error("The storage did not answer within 1.5 s") })

/** `/health/live` and `/health/ready`. Needs the `Directory`, to test the storage, and `BackgroundLoops`. */
export const health = Endpoints.group(HealthGroup, function* (handlers) {
  const directory = yield* Directory
  const loops = yield* BackgroundLoop.BackgroundLoops
  const { probe = Effect.void } = yield* Transaction.Transaction
  const answers = Effect.andThen(directory.hasOwnIntegrations, probe)
  return handlers({
    live: () => Effect.succeed({ status: "ok" }),
    ready: Effect.fnUntraced(function* () {
      yield* Transaction.abandonAfter(answers, { limit: "1500 millis", orElse: noAnswer })
      const workers = (yield* loops.states).map((one) => ({ ...one, since: new Date(one.since).toISOString() }))
      return { status: "ok", workers }
    })
  })
})

export const auditKeysPath = "/.well-known/crossdock-audit-keys.json" as const

const documents = Endpoints.group(AdminGroup, function* (handlers) {
  const { publicUrl } = yield* HttpPolicy
  const own = yield* OpenApiDocuments.own
  const docs = yield* DocsPages.docs
  return handlers({
    metrics: Effect.fnUntraced(function* () {
      yield* (yield* Metrics.Gauges).refresh
      const text = yield* PrometheusMetrics.format()
      return HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4; charset=utf-8" })
    }),
    sellerDocument: document(OpenApiDocuments.seller, publicUrl, own),
    marketplaceDocument: document(OpenApiDocuments.marketplace, publicUrl, own),
    platformDocument: document(OpenApiDocuments.platform, publicUrl, own),
    operatorDocument: document(OpenApiDocuments.operator, publicUrl, own),
    docs: () => docs
  })
})

/** `/metrics`, `/openapi/…` and `/docs`. They need no services, so a host may serve them on a separate port. */
export const admin = Layer.merge(documents, DocsPages.layer)

/** All these routes: `health` and `admin`. */
export const layer = Layer.merge(health, admin)
