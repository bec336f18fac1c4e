/**
 * The marketplace interface, ready to be put into a host.
 */
import * as Layer from "effect/Layer"
import * as Edge from "../Edge.ts"
import { MarketplaceApi } from "./MarketplaceApi.ts"
import * as MarketplaceTokenHandlers from "./MarketplaceTokenHandlers.ts"

export const layer = Edge.mount(MarketplaceApi).pipe(Layer.provide(MarketplaceTokenHandlers.layer))
