/**
 * Health, metrics and documents, as a layer for a host.
 */
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import * as ErrorAnswers from "../internal/ErrorAnswers.ts"
import * as DocsPage from "./DocsPage.ts"
import { SystemApi } from "./SystemApi.ts"
import * as SystemHandlers from "./SystemHandlers.ts"

export { pages } from "./DocsPage.ts"

/**
 * Needs the `Directory`, to check that the storage answers, and `BackgroundLoops`.
 */
export const layer = Layer.merge(
  HttpApiBuilder.layer(SystemApi).pipe(Layer.provide(SystemHandlers.layer), Layer.provide(ErrorAnswers.layer)),
  DocsPage.layer
)
