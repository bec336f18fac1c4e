/**
 * The platform interface with its handlers, as a layer for a host.
 */
import * as Layer from "effect/Layer"
import * as Authentication from "../Authentication.ts"
import * as AuditHandlers from "./AuditHandlers.ts"
import * as BillingHandlers from "./BillingHandlers.ts"
import * as ConfirmHandlers from "./ConfirmHandlers.ts"
import * as InvoiceDocumentsHandlers from "./InvoiceDocumentsHandlers.ts"
import * as PlatformTokenHandlers from "./PlatformTokenHandlers.ts"

/**
 * The interface without its sign-in, for a host that provides `PlatformAuthentication` itself.
 */
export const routes = Layer.mergeAll(
  PlatformTokenHandlers.layer,
  AuditHandlers.layer,
  BillingHandlers.layer,
  ConfirmHandlers.layer,
  InvoiceDocumentsHandlers.layer
)

/**
 * The interface with the sign-in of `@crossdock/access`.
 */
export const layer = Layer.provide(routes, Authentication.platformLayer)
