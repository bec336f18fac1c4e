/** The platform interface with its handlers, as a layer for a host. */
import * as Layer from "effect/Layer"
import * as Authentication from "../Authentication.ts"
import * as TokenHandlers from "../TokenHandlers.ts"
import * as AuditHandlers from "./AuditHandlers.ts"
import * as BillingHandlers from "./BillingHandlers.ts"

/** The platform interface without sign-in, for a host that provides `PlatformAuthentication` itself. */
export const routes = Layer.mergeAll(
  TokenHandlers.platform,
  AuditHandlers.layer,
  BillingHandlers.billing,
  BillingHandlers.confirm,
  BillingHandlers.invoiceDocuments
)

/** The platform interface with the sign-in of `@crossdock/access`. */
export const layer = Layer.provide(routes, Authentication.platformLayer)
