/** A connected marketplace with its offer, locations and webhook, and the ports for marketplaces. */
import type { CompanyWrite } from "@crossdock/audit"
import type { CompanyId, StaleWrite, Stored } from "@crossdock/kernel"
import * as Context from "effect/Context"

/** A marketplace's code for a location that it has access to. Source: docs/reference/notifications.md#safety-stock. */
export interface LocationMapping {
  readonly companyId: CompanyId
  readonly location: string
  readonly code: string
}

/** A webhook's authentication besides its signature. Source: docs/reference/notifications.md#receiver-authentication. */
export type WebhookAuthentication =
  | { readonly type: "none" }
  | { readonly type: "basic"; readonly username: string; readonly password: string }
  | { readonly type: "bearer"; readonly token: string }
  | { readonly type: "header"; readonly name: string; readonly value: string }

/** A replaced secret. Until `until` (epoch milliseconds), notifications are signed with it too. */
export interface RetiringSecret {
  readonly secret: string
  readonly until: number
}

/** The address and the secrets of a webhook. `secret` has the form of Standard Webhooks: `whsec_` and Base64. */
export interface Webhook {
  readonly url: string
  readonly secret: string
  readonly retiring: RetiringSecret | null
  readonly authentication: WebhookAuthentication
}

/** A webhook that is encrypted except for its address. */
export interface EncryptedWebhook {
  readonly url: string
  readonly encrypted: string
}

/** A stored webhook, which the host may not have encrypted yet. Source: docs/reference/host.md#encrypted-secrets. */
export type StoredWebhook = Webhook | EncryptedWebhook

/**
 * Units that are hidden from the marketplace. A null `companyId`, `location` or `sku` means all. The most specific buffer
 * applies: a SKU at a location, a SKU, a location, a company. Source: docs/reference/notifications.md#safety-stock.
 */
export interface StockBuffer {
  readonly companyId: CompanyId | null
  readonly location: string | null
  readonly sku: string | null
  readonly quantity: number
}

/** A connected marketplace. */
export interface Marketplace {
  readonly slug: string
  readonly name: string
  /** The currency's ISO 4217 code. */
  readonly currency: string
  readonly locations: ReadonlyArray<LocationMapping>
  /** The closed companies, whose stock the marketplace can't see. If no company is closed, the list is absent. */
  readonly closedCompanies?: ReadonlyArray<CompanyId>
  /** Codes that are no longer mapped, with their last locations. The marketplace may still offer their stock. */
  readonly retiredCodes: ReadonlyArray<LocationMapping>
  /** The SKUs that the marketplace sells. Null means all SKUs. */
  readonly skus: ReadonlyArray<string> | null
  readonly buffers: ReadonlyArray<StockBuffer>
  /** The webhook for stock notifications. It is null if the marketplace isn't notified. */
  readonly webhook: StoredWebhook | null
}

/** The companies whose stock the marketplace sells, sorted by id. */
export const companiesOf = (marketplace: Marketplace): ReadonlyArray<CompanyId> =>
  [...new Set(marketplace.locations.map((mapping) => mapping.companyId))].sort((a, b) => a - b)

/**
 * The marketplace's codes for the company's locations, by location. Source: docs/reference/notifications.md#events.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { CompanyId } from "@crossdock/kernel"
 * import { codesOf } from "@crossdock/marketplaces"
 *
 * const [one, two] = [CompanyId.make(1), CompanyId.make(2)]
 * const locations = [
 *   { companyId: one, location: "BLR1", code: "B-1" },
 *   { companyId: two, location: "BLR1", code: "X-9" }
 * ]
 * const rest = { retiredCodes: [], skus: null, buffers: [], webhook: null }
 * const marketplace = { slug: "bazaar", name: "Bazaar", currency: "INR", locations, ...rest }
 * deepStrictEqual([...codesOf(marketplace, one)], [["BLR1", "B-1"]])
 * ```
 */
export const codesOf = (marketplace: Marketplace, company: CompanyId): ReadonlyMap<string, string> =>
  new Map(
    marketplace.locations
      .filter((mapping) => mapping.companyId === company)
      .map((mapping) => [mapping.location, mapping.code])
  )

/** Port: stores marketplaces. Laws: each is read as it was written, and a second write replaces the first. */
export class MarketplaceStore extends Context.Service<
  MarketplaceStore,
  {
    /** Blocks other writers of marketplaces until the transaction ends. Reads aren't blocked. */
    readonly lock: Stored<void>
    readonly put: (marketplace: Marketplace) => Stored<void>
    /** Writes all marketplaces, or none. */
    readonly putAll: (marketplaces: ReadonlyArray<Marketplace>) => Stored<void>
    /** Finds a marketplace. The result is undefined for an unknown slug. */
    readonly find: (slug: string) => Stored<Marketplace | undefined>
    /** A number that grows from 0 with every `put`, so that readers know whether their copy is current. */
    readonly version: Stored<number>
    /** All marketplaces, sorted by slug in code point order. */
    readonly all: Stored<ReadonlyArray<Marketplace>>
    /** Removes earlier contents from the storage's files, which may be rewritten. Call it outside a transaction. */
    readonly purge: Stored<void>
  }
>()("@crossdock/marketplaces/MarketplaceStore") {}

/** Port: resends stock to marketplaces. */
export class StockResend extends Context.Service<
  StockResend,
  {
    /** Resends the company's stock with new sequence numbers. Call it in a transaction that has locked the company. */
    readonly restart: (marketplace: string, company: CompanyId, mark: CompanyWrite.Mark) => Stored<void, StaleWrite>
  }
>()("@crossdock/marketplaces/StockResend") {}
