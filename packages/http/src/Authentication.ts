/**
 * Tells from a request's token who is calling, before anything else of the request is looked at.
 */

import {
  Access,
  type Caller,
  Forbidden,
  type Integration,
  type MarketplaceCaller,
  type PlatformClient,
  type Principal,
  TokenInvalid,
  TokenMissing
} from "@crossdock/access"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { forbidden, unauthorized, unavailable } from "./Failure.ts"
import { PlatformPolicy, scopeOf } from "./platform/PlatformScopes.ts"
import { RequestId } from "./RequestContext.ts"

const error = [unauthorized, forbidden, unavailable] as const

/**
 * The integration that calls the seller interface.
 */
export class Seller extends Context.Service<Seller, Caller<Integration>>()("@crossdock/http/Seller") {}

/**
 * The marketplace that calls the marketplace interface, under its own slug.
 */
export class MarketplaceUser extends Context.Service<MarketplaceUser, Caller<MarketplaceCaller>>()(
  "@crossdock/http/MarketplaceUser"
) {}

/**
 * The client that calls the platform interface, within its own company and scopes.
 */
export class PlatformUser extends Context.Service<PlatformUser, Caller<PlatformClient>>()(
  "@crossdock/http/PlatformUser"
) {}

const tokenHeader = HttpApiSecurity.apiKey({ in: "header", key: "x-access-token" })

export class SellerAuthentication extends HttpApiMiddleware.Service<SellerAuthentication, { provides: Seller }>()(
  "@crossdock/http/SellerAuthentication",
  { error, security: { token: tokenHeader } }
) {}

export class MarketplaceAuthentication extends HttpApiMiddleware.Service<
  MarketplaceAuthentication,
  { provides: MarketplaceUser }
>()("@crossdock/http/MarketplaceAuthentication", { error, security: { token: tokenHeader } }) {}

/**
 * A host with a sign-in of its own fills this with a layer of its own (`PlatformHttp.routes`).
 */
export class PlatformAuthentication extends HttpApiMiddleware.Service<
  PlatformAuthentication,
  { provides: PlatformUser }
>()("@crossdock/http/PlatformAuthentication", { error, security: { token: HttpApiSecurity.bearer } }) {}

const callerOf = <K extends Principal["kind"]>(access: typeof Access.Access.Service, kind: K, token: string) =>
  Effect.gen(function* () {
    if (token === "") return yield* new TokenMissing()
    const principal = yield* access.authenticate(kind, token)
    return { principal: principal as Extract<Principal, { kind: K }>, requestId: yield* RequestId }
  })

export const sellerLayer = Layer.effect(
  SellerAuthentication,
  Effect.map(Access.Access, (access) => ({
    token: (answer, { credential }) =>
      Effect.provideServiceEffect(answer, Seller, callerOf(access, "integration", Redacted.value(credential)))
  }))
)

/**
 * A slug in the path other than the token's own is rejected, whether it exists or not (contract, Errors 403).
 */
export const marketplaceLayer = Layer.effect(
  MarketplaceAuthentication,
  Effect.map(Access.Access, (access) => ({
    token: (answer, { credential }) =>
      Effect.gen(function* () {
        const caller = yield* callerOf(access, "marketplace", Redacted.value(credential))
        const params = yield* HttpRouter.params
        if (params.marketplace_slug !== caller.principal.id) {
          return yield* new Forbidden({ reason: "The token is for another marketplace" })
        }
        return yield* Effect.provideService(answer, MarketplaceUser, caller)
      })
  }))
)

/**
 * What comes as another scheme than Bearer reads as a wrong token.
 */
const bearerToken = (credential: string) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    return credential === "" && (request.headers.authorization ?? "") !== "" ? yield* new TokenInvalid() : credential
  })

/**
 * A company in the path other than the token's own is rejected, whether it exists or not, and so is a client without the
 * route's scope (document 3, Authentication 3; contract, Billing and audit).
 */
export const platformLayer = Layer.effect(
  PlatformAuthentication,
  Effect.gen(function* () {
    const access = yield* Access.Access
    const { activateNeeds } = yield* PlatformPolicy
    return {
      token: (answer, { credential, endpoint }) =>
        Effect.gen(function* () {
          const token = yield* bearerToken(Redacted.value(credential))
          const caller = yield* callerOf(access, "platform_client", token)
          const params = yield* HttpRouter.params
          if (params.company_id !== String(caller.principal.companyId)) {
            return yield* new Forbidden({ reason: "The token is for another company" })
          }
          const scope = scopeOf(endpoint.method, endpoint.path, activateNeeds)
          if (scope === undefined || !caller.principal.scopes.includes(scope)) {
            return yield* new Forbidden({ reason: `The token lacks the scope ${scope ?? "of this route"}` })
          }
          return yield* Effect.provideService(answer, PlatformUser, caller)
        })
    }
  })
)
