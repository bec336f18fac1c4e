/** Callers, who are identified by a token. */
import { type CompanyId, taggedError } from "@crossdock/kernel"
import * as Schema from "effect/Schema"

/**
 * A seller's system. `locations` has the codes of the only locations that it may see and change, or is null for all.
 * `stockPolicy` is the meaning of quantities in its bulk stock writes. Source: docs/reference/authentication.md#modes.
 */
export interface Integration {
  readonly kind: "integration"
  readonly id: string
  readonly integrationId: string
  readonly companyId: CompanyId
  readonly locations: ReadonlyArray<string> | null
  readonly stockPolicy: "set" | "adjust"
}

/** A marketplace. Its id is its slug. */
export interface MarketplaceCaller {
  readonly kind: "marketplace"
  readonly id: string
}

/** A client of the platform interface, with its scopes. */
export interface PlatformClient {
  readonly kind: "platform_client"
  readonly id: string
  readonly companyId: CompanyId
  readonly scopes: ReadonlyArray<string>
}

/** Any caller with a token. `id` is a username, a slug or a client_id. */
export type Principal = Integration | MarketplaceCaller | PlatformClient

/** The host itself, for work that no request caused. */
export interface System {
  readonly kind: "system"
  readonly id: string
}

/** An operator of a host, who acts for one company at a time. Source: docs/reference/authentication.md#operators. */
export interface Operator {
  readonly kind: "operator"
  readonly id: string
}

/** The owner of an account. */
export type AccountHolder = Principal | Operator

/** The principal that a service works for, and the id of the request. The id is null outside requests. */
export interface Caller<P extends Principal | System = Principal | System> {
  readonly principal: P
  readonly requestId: string | null
}

/** The token is valid, but it doesn't permit the request. */
export class Forbidden extends taggedError<Forbidden>()(
  "@crossdock/access/Forbidden",
  { reason: Schema.String },
  ({ reason }) => reason
) {}
