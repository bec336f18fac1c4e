/**
 * Health, metrics and documents, as a layer for a host.
 */
import * as Layer from "effect/Layer"
import * as DocsPage from "./DocsPage.ts"
import * as SystemHandlers from "./SystemHandlers.ts"

export { pages } from "./DocsPage.ts"

/**
 * `/health/live` and `/health/ready`. Needs the `Directory`, to check that the storage answers, and `BackgroundLoops`.
 */
export const health = SystemHandlers.health

/**
 * `/metrics`, `/openapi/…` and `/docs`. They need nothing, so a host may serve them on a port of their own.
 */
export const admin = Layer.merge(SystemHandlers.admin, DocsPage.layer)

/**
 * Both.
 */
export const layer = Layer.merge(health, admin)
