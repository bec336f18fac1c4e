/**
 * Callers, as proved by a token.
 */
import type { CompanyId } from "@crossdock/kernel"

/**
 * A seller's system. `locations` is null at company level, else the only location codes that it may see and change.
 * `stockPolicy` is what the quantities of its bulk stock writes mean; inventory's `StockPolicy` describes it. Source:
 * docs/reference/authentication.md#modes.
 */
export interface Integration {
  readonly kind: "integration"
  readonly id: string
  readonly integrationId: string
  readonly companyId: CompanyId
  readonly locations: ReadonlyArray<string> | null
  readonly stockPolicy: "set" | "adjust"
}

/** A marketplace, known by its slug. */
export interface MarketplaceCaller {
  readonly kind: "marketplace"
  readonly id: string
}

/** A client of the platform interface and its scopes. */
export interface PlatformClient {
  readonly kind: "platform_client"
  readonly id: string
  readonly companyId: CompanyId
  readonly scopes: ReadonlyArray<string>
}

/** Any caller with a token. `id` is the username, the slug or the client_id. */
export type Principal = Integration | MarketplaceCaller | PlatformClient

/** The host itself, for what it does without a request. */
export interface System {
  readonly kind: "system"
  readonly id: string
}

/** The principal on whose behalf a service works, and the request, null outside requests. */
export interface Caller<P extends Principal | System = Principal | System> {
  readonly principal: P
  readonly requestId: string | null
}

/**
 * Whether the integration may see and change data of this location.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { mayUse } from "@crossdock/access"
 *
 * strictEqual(mayUse({ locations: ["BLR1"] }, "BLR2"), false)
 * ```
 */
export const mayUse = (integration: Pick<Integration, "locations">, location: string): boolean =>
  integration.locations === null || integration.locations.includes(location)
