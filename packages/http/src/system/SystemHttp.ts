/**
 * Health, metrics and documents, as a layer for a host.
 */
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import * as ErrorAnswers from "../internal/ErrorAnswers.ts"
import * as DocsPage from "./DocsPage.ts"
import { AdminApi, HealthApi } from "./SystemApi.ts"
import * as SystemHandlers from "./SystemHandlers.ts"

export { pages } from "./DocsPage.ts"

/**
 * `/health/live` and `/health/ready`. Needs the `Directory`, to check that the storage answers, and `BackgroundLoops`.
 */
export const health = HttpApiBuilder.layer(HealthApi).pipe(
  Layer.provide(SystemHandlers.health),
  Layer.provide(ErrorAnswers.layer)
)

/**
 * `/metrics`, `/openapi/…` and `/docs`. They need nothing, so a host may serve them on a port of their own.
 */
export const admin = Layer.merge(
  HttpApiBuilder.layer(AdminApi).pipe(Layer.provide(SystemHandlers.admin), Layer.provide(ErrorAnswers.layer)),
  DocsPage.layer
)

/**
 * Both.
 */
export const layer = Layer.merge(health, admin)
