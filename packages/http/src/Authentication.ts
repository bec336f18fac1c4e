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
import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import * as HttpApiSecurity from "@effect/platform/HttpApiSecurity"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { answering, type Failure, forbidden, unauthorized, unavailable } from "./Failure.ts"
import { PlatformPolicy, scopeOf } from "./platform/PlatformScopes.ts"
import { RequestId } from "./RequestContext.ts"

const failures = Schema.Union(unauthorized, forbidden, unavailable)

/**
 * The integration that calls the seller interface.
 */
export class Seller extends Context.Tag("@crossdock/http/Seller")<Seller, Caller<Integration>>() {}

/**
 * The marketplace that calls the marketplace interface, under its own slug.
 */
export class MarketplaceUser extends Context.Tag("@crossdock/http/MarketplaceUser")<
  MarketplaceUser,
  Caller<MarketplaceCaller>
>() {}

const tokenHeader = HttpApiSecurity.apiKey({ in: "header", key: "x-access-token" })

export class SellerAuthentication extends HttpApiMiddleware.Tag<SellerAuthentication>()(
  "@crossdock/http/SellerAuthentication",
  { failure: failures, provides: Seller, security: { token: tokenHeader } }
) {}

export class MarketplaceAuthentication extends HttpApiMiddleware.Tag<MarketplaceAuthentication>()(
  "@crossdock/http/MarketplaceAuthentication",
  { failure: failures, provides: MarketplaceUser, security: { token: tokenHeader } }
) {}

/**
 * The client that calls the platform interface, within its own company and scopes.
 */
export class PlatformUser extends Context.Tag("@crossdock/http/PlatformUser")<PlatformUser, Caller<PlatformClient>>() {}

/**
 * A host with a sign-in of its own fills this with a layer of its own (`PlatformHttp.routes`).
 */
export class PlatformAuthentication extends HttpApiMiddleware.Tag<PlatformAuthentication>()(
  "@crossdock/http/PlatformAuthentication",
  { failure: failures, provides: PlatformUser, security: { token: HttpApiSecurity.bearer } }
) {}

const headerToken = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const token = request.headers["x-access-token"]
  return token === undefined || token === "" ? yield* new TokenMissing() : token
})

const bearerToken = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const { authorization } = request.headers
  if (authorization === undefined || authorization === "") return yield* new TokenMissing()
  return /^bearer +(\S+)$/i.exec(authorization)?.[1] ?? (yield* new TokenInvalid())
})

const callerOf = <K extends Principal["kind"]>(
  access: typeof Access.Access.Service,
  kind: K,
  sent: typeof headerToken | typeof bearerToken = headerToken
) =>
  answering(
    Effect.gen(function* () {
      const token = yield* sent
      const principal = yield* access.authenticate(kind, token)
      return { principal: principal as Extract<Principal, { kind: K }>, requestId: yield* RequestId }
    })
  )

export const sellerLayer = Layer.effect(
  SellerAuthentication,
  Effect.map(Access.Access, (access) => ({ token: () => callerOf(access, "integration") }))
)

/**
 * A slug in the path other than the token's own is refused, whether it exists or not (contract, Errors 403).
 */
export const marketplaceLayer = Layer.effect(
  MarketplaceAuthentication,
  Effect.map(Access.Access, (access) => ({
    token: () =>
      Effect.gen(function* () {
        const caller = yield* callerOf(access, "marketplace")
        const { params } = yield* HttpRouter.RouteContext
        if (params.marketplace_slug !== caller.principal.id) {
          return yield* answering(new Forbidden({ reason: "The token is for another marketplace" }))
        }
        return caller
      }) as Effect.Effect<Caller<MarketplaceCaller>, Failure>
  }))
)

/**
 * A company in the path other than the token's own is refused, whether it exists or not, and so is a client without the
 * route's scope (document 3, Authentication 3; contract, Billing and audit).
 */
export const platformLayer = Layer.effect(
  PlatformAuthentication,
  Effect.gen(function* () {
    const access = yield* Access.Access
    const { activateNeeds } = yield* PlatformPolicy
    return {
      token: () =>
        Effect.gen(function* () {
          const caller = yield* callerOf(access, "platform_client", bearerToken)
          const { params, route } = yield* HttpRouter.RouteContext
          if (params.company_id !== String(caller.principal.companyId)) {
            return yield* answering(new Forbidden({ reason: "The token is for another company" }))
          }
          const scope = scopeOf(route.method, route.path, activateNeeds)
          if (scope === undefined || !caller.principal.scopes.includes(scope)) {
            return yield* answering(new Forbidden({ reason: `The token lacks the scope ${scope ?? "of this route"}` }))
          }
          return caller
        }) as Effect.Effect<Caller<PlatformClient>, Failure>
    }
  })
)
