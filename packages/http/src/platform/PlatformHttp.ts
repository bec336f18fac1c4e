/**
 * The platform interface, ready to be put into a host.
 */
import * as Layer from "effect/Layer"
import * as Edge from "../Edge.ts"
import { PlatformApi } from "./PlatformApi.ts"
import * as PlatformTokenHandlers from "./PlatformTokenHandlers.ts"

export const layer = Edge.mount(PlatformApi).pipe(Layer.provide(PlatformTokenHandlers.layer))
