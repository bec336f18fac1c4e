/**
 * The platform interface, ready to be put into a host.
 */
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import * as Authentication from "../Authentication.ts"
import * as ErrorAnswers from "../ErrorAnswers.ts"
import * as AuditHandlers from "./AuditHandlers.ts"
import * as BillingHandlers from "./BillingHandlers.ts"
import * as ConfirmHandlers from "./ConfirmHandlers.ts"
import * as InvoiceDocumentsHandlers from "./InvoiceDocumentsHandlers.ts"
import { PlatformApi } from "./PlatformApi.ts"
import * as PlatformTokenHandlers from "./PlatformTokenHandlers.ts"

/**
 * For a host whose clients sign in elsewhere: it fills `PlatformAuthentication` itself.
 */
export const routes = HttpApiBuilder.layer(PlatformApi).pipe(
  Layer.provide([
    PlatformTokenHandlers.layer,
    AuditHandlers.layer,
    BillingHandlers.layer,
    ConfirmHandlers.layer,
    InvoiceDocumentsHandlers.layer
  ]),
  Layer.provide(ErrorAnswers.layer)
)

export const layer = Layer.provide(routes, Authentication.platformLayer)
