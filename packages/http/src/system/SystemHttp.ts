/**
 * What an operator asks of a host, ready to be put into one.
 */
import * as Layer from "effect/Layer"
import * as Edge from "../Edge.ts"
import * as DocsPage from "./DocsPage.ts"
import { SystemApi } from "./SystemApi.ts"
import * as SystemHandlers from "./SystemHandlers.ts"

export { pages } from "./DocsPage.ts"

export const layer = Layer.merge(Edge.mount(SystemApi).pipe(Layer.provide(SystemHandlers.layer)), DocsPage.layer)
