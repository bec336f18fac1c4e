/**
 * A connected marketplace: what it may sell from where, and how it hears of stock.
 */
import type { CompanyId } from "@crossdock/kernel"

/**
 * The marketplace's own code for one of our locations. It sees and orders from mapped locations only.
 */
export interface LocationMapping {
  readonly companyId: CompanyId
  readonly location: string
  readonly code: string
}

/**
 * What the receiver asks for beside the signature (contract, Marketplace).
 */
export type WebhookAuthentication =
  | { readonly type: "none" }
  | { readonly type: "basic"; readonly username: string; readonly password: string }
  | { readonly type: "bearer"; readonly token: string }
  | { readonly type: "header"; readonly name: string; readonly value: string }

/**
 * `secret` is in the Standard Webhooks form, `whsec_` and base64.
 */
export interface Webhook {
  readonly url: string
  readonly secret: string
  readonly authentication: WebhookAuthentication
}

export interface Marketplace {
  readonly slug: string
  readonly name: string
  /** ISO 4217. */
  readonly currency: string
  readonly locations: ReadonlyArray<LocationMapping>
  /** null: it does not want to hear of stock. */
  readonly webhook: Webhook | null
}
