/**
 * Who is calling, as proved by a token.
 */
import type { CompanyId } from "@crossdock/kernel"

/**
 * What a bulk stock write means for an integration: `set` makes the quantity the stock on hand, `adjust` adds it.
 */
export type StockPolicy = "set" | "adjust"

/**
 * A seller's system. `locations` is null at company level, else the only location codes it may see and change
 * (document 1, Authentication 4).
 */
export interface Integration {
  readonly kind: "integration"
  readonly id: string
  readonly integrationId: string
  readonly companyId: CompanyId
  readonly locations: ReadonlyArray<string> | null
  readonly stockPolicy: StockPolicy
}

/**
 * A marketplace, known by its slug.
 */
export interface MarketplaceCaller {
  readonly kind: "marketplace"
  readonly id: string
}

/**
 * A client of the platform interface and the scopes it was given.
 */
export interface PlatformClient {
  readonly kind: "platform_client"
  readonly id: string
  readonly companyId: CompanyId
  readonly scopes: ReadonlyArray<string>
}

/**
 * `id` is the username, the slug or the client_id.
 */
export type Principal = Integration | MarketplaceCaller | PlatformClient

/**
 * The host itself, when it does something that nobody asked for at that moment.
 */
export interface System {
  readonly kind: "system"
  readonly id: string
}

/**
 * On whose behalf a service works, and in which request.
 */
export interface Caller<P extends Principal | System = Principal | System> {
  readonly principal: P
  readonly requestId: string | null
}

/**
 * Whether the integration may see and change things of this location.
 */
export const mayUse = (integration: Pick<Integration, "locations">, location: string): boolean =>
  integration.locations === null || integration.locations.includes(location)
