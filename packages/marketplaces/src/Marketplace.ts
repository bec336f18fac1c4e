/** A connected marketplace: its offer, locations and webhook. Ports: one stores it, one resends stock to it. */
import type { CompanyWrite } from "@crossdock/audit"
import type { CompanyId, StaleWrite, StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** Its own code for one of our locations; it sees no others. Source: docs/reference/notifications.md#safety-stock. */
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

/** A replaced secret, which also signs notifications until `until`, in epoch milliseconds. */
export interface RetiringSecret {
  readonly secret: string
  readonly until: number
}

/** Where and how a marketplace is notified. `secret` is in the Standard Webhooks form: `whsec_` and base64. */
export interface Webhook {
  readonly url: string
  readonly secret: string
  readonly retiring: RetiringSecret | null
  readonly authentication: WebhookAuthentication
}

/** A webhook encrypted except for its address. */
export interface EncryptedWebhook {
  readonly url: string
  readonly encrypted: string
}

/** A stored webhook, in plain without a key or before its encryption. Source: docs/reference/host.md#encrypted-secrets. */
export type StoredWebhook = Webhook | EncryptedWebhook

/**
 * Safety stock: units hidden from the marketplace. Null means every company, location or SKU. The most specific buffer wins:
 * SKU at location, then SKU, location, company. Source: docs/reference/notifications.md#safety-stock.
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
  /** ISO 4217. */
  readonly currency: string
  readonly locations: ReadonlyArray<LocationMapping>
  /** The closed companies among those it sells for: it sees no stock of theirs. Absent for none. */
  readonly closedCompanies?: ReadonlyArray<CompanyId>
  /** Codes that are no longer mapped, with their last location: the marketplace may still offer stock there. */
  readonly retiredCodes: ReadonlyArray<LocationMapping>
  /** The SKUs that it sells; null means all. */
  readonly skus: ReadonlyArray<string> | null
  readonly buffers: ReadonlyArray<StockBuffer>
  /** Null when it isn't notified of stock. */
  readonly webhook: StoredWebhook | null
}

/** The companies whose stock the marketplace sells, ascending. */
export const companiesOf = (marketplace: Marketplace): ReadonlyArray<CompanyId> =>
  [...new Set(marketplace.locations.map((mapping) => mapping.companyId))].sort((a, b) => a - b)

/**
 * The marketplace's codes by the company's locations that it may sell from. It isn't notified of other locations. Source:
 * docs/reference/notifications.md#events.
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

/** Port: connected marketplaces. A marketplace reads back as written; a second write replaces it. */
export class MarketplaceStore extends Context.Service<
  MarketplaceStore,
  {
    /** Locks out other writers of marketplaces until the transaction ends. Reads aren't blocked. */
    readonly lock: Effect.Effect<void, StorageError>
    readonly put: (marketplace: Marketplace) => Effect.Effect<void, StorageError>
    /** Writes all of them or none. */
    readonly putAll: (marketplaces: ReadonlyArray<Marketplace>) => Effect.Effect<void, StorageError>
    /** Undefined for an unknown slug. */
    readonly find: (slug: string) => Effect.Effect<Marketplace | undefined, StorageError>
    /** Grows with every `put`, so readers know whether their copy is current; 0 before the first. */
    readonly version: Effect.Effect<number, StorageError>
    /** Ordered by slug, by code point. */
    readonly all: Effect.Effect<ReadonlyArray<Marketplace>, StorageError>
    /** Removes former bodies from the storage's files; may rewrite all of them. Call it outside a transaction. */
    readonly purge: Effect.Effect<void, StorageError>
  }
>()("@crossdock/marketplaces/MarketplaceStore") {}

/** Resends stock. */
export class StockResend extends Context.Service<
  StockResend,
  {
    /** Resends the company's stock to the marketplace, with new sequences, in a transaction that locked the company. */
    readonly restart: (
      marketplace: string,
      company: CompanyId,
      mark: CompanyWrite.Mark
    ) => Effect.Effect<void, StaleWrite | StorageError>
  }
>()("@crossdock/marketplaces/StockResend") {}
