/**
 * The platform interface, ready to be put into a host.
 */
import * as Layer from "effect/Layer"
import * as Authentication from "../Authentication.ts"
import * as Edge from "../Edge.ts"
import * as AuditHandlers from "./AuditHandlers.ts"
import * as BillingHandlers from "./BillingHandlers.ts"
import * as ConfirmHandlers from "./ConfirmHandlers.ts"
import { PlatformApi } from "./PlatformApi.ts"
import * as PlatformTokenHandlers from "./PlatformTokenHandlers.ts"

/**
 * For a host whose clients sign in elsewhere: it fills `PlatformAuthentication` itself.
 */
export const routes = Edge.mount(PlatformApi).pipe(
  Layer.provide([PlatformTokenHandlers.layer, AuditHandlers.layer, BillingHandlers.layer, ConfirmHandlers.layer])
)

export const layer = Layer.provide(routes, Authentication.platformLayer)
