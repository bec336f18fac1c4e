/**
 * A connected marketplace with its offer, locations and webhook. One port stores marketplaces, and another resends stock to
 * them.
 */
import type { CompanyWrite } from "@crossdock/audit"
import type { CompanyId, StaleWrite, StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/**
 * The marketplace's own code for one of our locations. The marketplace has access only to locations that have such a code.
 * Source: docs/reference/notifications.md#safety-stock.
 */
export interface LocationMapping {
  readonly companyId: CompanyId
  readonly location: string
  readonly code: string
}

/**
 * How a webhook is authenticated, in addition to its signature. Source:
 * docs/reference/notifications.md#receiver-authentication.
 */
export type WebhookAuthentication =
  | { readonly type: "none" }
  | { readonly type: "basic"; readonly username: string; readonly password: string }
  | { readonly type: "bearer"; readonly token: string }
  | { readonly type: "header"; readonly name: string; readonly value: string }

/** A replaced secret. It also signs notifications until `until`, in epoch milliseconds. */
export interface RetiringSecret {
  readonly secret: string
  readonly until: number
}

/**
 * The address at which a marketplace is notified, and the secrets of the webhook. `secret` has the form of Standard Webhooks:
 * `whsec_` and Base64.
 */
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

/**
 * A webhook as it is stored. It is unencrypted if the host has no key or hasn't encrypted the webhook yet. Source:
 * docs/reference/host.md#encrypted-secrets.
 */
export type StoredWebhook = Webhook | EncryptedWebhook

/**
 * Safety stock: units that are hidden from the marketplace. If `companyId`, `location` or `sku` is null, the buffer is for all
 * companies, locations or SKUs. The most specific buffer applies. The order of buffers is: a SKU at a location, a SKU, a
 * location, a company. Source: docs/reference/notifications.md#safety-stock.
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
  /**
   * The closed companies among the companies whose stock the marketplace sells. The marketplace sees no stock of closed
   * companies. The list is absent if no company is closed.
   */
  readonly closedCompanies?: ReadonlyArray<CompanyId>
  /**
   * The codes that are no longer mapped, with their last locations. The marketplace may still offer stock of these locations.
   */
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
 * The marketplace's code for each location of the company from which the marketplace may sell. The marketplace isn't notified
 * of other locations. Source: docs/reference/notifications.md#events.
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

/**
 * Port: stores connected marketplaces. Laws: a marketplace is read as it was written, and a second write replaces the first.
 */
export class MarketplaceStore extends Context.Service<
  MarketplaceStore,
  {
    /** Blocks other writers of marketplaces until the transaction ends. Reads aren't blocked. */
    readonly lock: Effect.Effect<void, StorageError>
    readonly put: (marketplace: Marketplace) => Effect.Effect<void, StorageError>
    /** Writes all marketplaces, or none. */
    readonly putAll: (marketplaces: ReadonlyArray<Marketplace>) => Effect.Effect<void, StorageError>
    /** Finds a marketplace. The result is undefined for an unknown slug. */
    readonly find: (slug: string) => Effect.Effect<Marketplace | undefined, StorageError>
    /**
     * A number that grows with every `put`. With it, readers know whether their copy is current. The number is 0 before the
     * first `put`.
     */
    readonly version: Effect.Effect<number, StorageError>
    /** All marketplaces, sorted by slug in code point order. */
    readonly all: Effect.Effect<ReadonlyArray<Marketplace>, StorageError>
    /**
     * Removes earlier contents of marketplaces from the storage's files. The call may rewrite all files. Call it outside a
     * transaction.
     */
    readonly purge: Effect.Effect<void, StorageError>
  }
>()("@crossdock/marketplaces/MarketplaceStore") {}

/** Port: resends stock to marketplaces. */
export class StockResend extends Context.Service<
  StockResend,
  {
    /**
     * Resends the company's stock to the marketplace, with new sequence numbers. Call it in a transaction that has locked the
     * company.
     */
    readonly restart: (
      marketplace: string,
      company: CompanyId,
      mark: CompanyWrite.Mark
    ) => Effect.Effect<void, StaleWrite | StorageError>
  }
>()("@crossdock/marketplaces/StockResend") {}
