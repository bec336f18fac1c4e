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
 * A secret that was replaced: notifications are signed with it too until then, in epoch milliseconds.
 */
export interface RetiringSecret {
  readonly secret: string
  readonly until: number
}

/**
 * `secret` is in the Standard Webhooks form, `whsec_` and base64.
 */
export interface Webhook {
  readonly url: string
  readonly secret: string
  readonly retiring: RetiringSecret | null
  readonly authentication: WebhookAuthentication
}

/**
 * Safety stock: units that are not shown to the marketplace. null stands for every company, location or SKU; of several
 * that fit, the most exact one counts (SKU at location, SKU, location, company).
 */
export interface StockBuffer {
  readonly companyId: CompanyId | null
  readonly location: string | null
  readonly sku: string | null
  readonly quantity: number
}

export interface Marketplace {
  readonly slug: string
  readonly name: string
  /** ISO 4217. */
  readonly currency: string
  readonly locations: ReadonlyArray<LocationMapping>
  /** Codes that stand for no location any more, with the last one: it may still believe in stock there. */
  readonly former: ReadonlyArray<LocationMapping>
  /** What it sells: these SKUs, or everything when null. */
  readonly skus: ReadonlyArray<string> | null
  readonly buffers: ReadonlyArray<StockBuffer>
  /** null: it does not want to hear of stock. */
  readonly webhook: Webhook | null
}

/**
 * The companies whose stock the marketplace sells, ascending.
 */
export const companiesOf = (marketplace: Marketplace): ReadonlyArray<CompanyId> =>
  [...new Set(marketplace.locations.map((mapping) => mapping.companyId))].sort((a, b) => a - b)

/**
 * The marketplace's code for each of the company's locations that it may sell from. It hears of no other (document 3,
 * Events).
 */
export const codesOf = (marketplace: Marketplace, company: CompanyId): ReadonlyMap<string, string> =>
  new Map(
    marketplace.locations
      .filter((mapping) => mapping.companyId === company)
      .map((mapping) => [mapping.location, mapping.code])
  )
