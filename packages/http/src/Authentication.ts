/** Identifies the caller by the request's token, before any other part of the request is read. */
import type {
  AccountHolder,
  Caller,
  Integration,
  MarketplaceCaller,
  PlatformClient,
  Principal,
  System,
  TokenExpired
} from "@crossdock/access"
import { Access, Forbidden, TokenInvalid } from "@crossdock/access"
import type { Stored } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { badRequest, Failure, forbidden, tooManyRequests, unauthorized, unavailable } from "./Failure.ts"
import { Limits } from "./Limits.ts"
import { PlatformPolicy, scopeOf } from "./platform/PlatformScopes.ts"
import { identified, RequestFacts, requestIdForm } from "./RequestContext.ts"

const error = [badRequest, unauthorized, forbidden, tooManyRequests, unavailable] as const

export class Seller extends Context.Service<Seller, Caller<Integration>>()("@crossdock/http/Seller") {}

/** The calling marketplace, under its own slug. */
export class MarketplaceUser extends Context.Service<MarketplaceUser, Caller<MarketplaceCaller>>()(
  "@crossdock/http/MarketplaceUser"
) {}

/** The calling client of the platform interface, within its own company and scopes. */
export class PlatformUser extends Context.Service<PlatformUser, Caller<PlatformClient>>()(
  "@crossdock/http/PlatformUser"
) {}

/** The calling operator of the host, whom audit records name as `operator:` and the username. */
export class OperatorUser extends Context.Service<OperatorUser, Caller<System>>()("@crossdock/http/OperatorUser") {}

const documented = HttpApiSecurity.annotate(
  OpenApi.Description,
  `The access_token of a sign-in. It lasts ${Limits.tokenHours} hours`
)

const tokenHeader = HttpApiSecurity.apiKey({ in: "header", key: "x-access-token" }).pipe(documented)

const bearer = HttpApiSecurity.bearer.pipe(documented)

/** Turns an `x-access-token` into a `Seller`. */
export class SellerAuthentication extends HttpApiMiddleware.Service<SellerAuthentication, { provides: Seller }>()(
  "@crossdock/http/SellerAuthentication",
  { error, security: { token: tokenHeader } }
) {}

/** Turns an `x-access-token` into a `MarketplaceUser`. */
export class MarketplaceAuthentication extends HttpApiMiddleware.Service<
  MarketplaceAuthentication,
  { provides: MarketplaceUser }
>()("@crossdock/http/MarketplaceAuthentication", { error, security: { token: tokenHeader } }) {}

/** Turns a bearer token into a `PlatformUser`. A host with its own sign-in provides its own layer. */
export class PlatformAuthentication extends HttpApiMiddleware.Service<
  PlatformAuthentication,
  { provides: PlatformUser }
>()("@crossdock/http/PlatformAuthentication", { error, security: { token: bearer } }) {}

/** Turns a bearer token into an `OperatorUser`. It ignores cookies, so no other site can send a request as an operator. */
export class OperatorAuthentication extends HttpApiMiddleware.Service<
  OperatorAuthentication,
  { provides: OperatorUser }
>()("@crossdock/http/OperatorAuthentication", { error, security: { token: bearer } }) {}

type Kind = AccountHolder["kind"]

const signInPath: { readonly [K in Kind]: string } = {
  integration: "POST /aggregator/v1/token",
  marketplace: "POST /auth/{marketplace_slug}/token",
  platform_client: "POST /service/panel/authentication/v1.0/company/{company_id}/oauth/token",
  operator: "POST /operator/v1/token"
}

const isBearer = (kind: Kind) => kind === "platform_client" || kind === "operator"

const tokenMissing = (kind: Kind) => {
  const header = isBearer(kind) ? "Authorization, after Bearer" : "x-access-token"
  const message = `Send the token in the header ${header}; get one at ${signInPath[kind]}.`
  return new Failure({ code: "TOKEN_MISSING", message })
}

/** Finds the caller of a request by its token, which may be "". If the result is undefined, the answer is 401. */
export type Identify<P extends AccountHolder> = (
  request: HttpServerRequest.HttpServerRequest,
  token: string
) => Stored<P | undefined, Failure | TokenInvalid | TokenExpired>

/** Identifies callers by their tokens. An `Authorization` header with a scheme other than Bearer is an invalid token. */
const tokens =
  <K extends Kind>(access: typeof Access.Access.Service, kind: K): Identify<Access.HolderOf[K]> =>
  ({ headers }, token) =>
    token === ""
      ? Effect.fail(
          isBearer(kind) && (headers.authorization ?? "") !== ""
            ? new TokenInvalid({ fault: "malformed" })
            : tokenMissing(kind)
        )
      : access.authenticate(kind, token).pipe(
          Effect.catchIf(
            (error) => error._tag === "TokenInvalid" && error.fault === "otherInterface",
            () => {
              const message = `The token is for another interface. Get one for this interface at ${signInPath[kind]}.`
              return Effect.fail(new Failure({ code: "TOKEN_INVALID", message }))
            }
          )
        )

const notSignedIn = new Failure({
  code: "TOKEN_INVALID",
  message: "The request's sign-in is not valid. Sign in again."
})

const callerOf = <P extends AccountHolder>(identify: Identify<P>, token: Redacted.Redacted) =>
  Effect.withFiber<
    { principal: P; requestId: string },
    Effect.Error<ReturnType<Identify<P>>>,
    HttpServerRequest.HttpServerRequest
  >((fiber) => {
    const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
    const facts = fiber.getRef(RequestFacts)
    return Effect.flatMap(identify(request, Redacted.value(token)), (principal) => {
      if (principal === undefined) return notSignedIn
      const entered = identified(facts, principal, request, fiber.getRef(Clock.Clock).currentTimeMillisUnsafe())
      return Effect.as(entered, { principal, requestId: facts.requestId })
    })
  })

/** Accepts the callers of the seller interface that `identify` recognizes, for a host with its own sign-in. */
export const sellerBy = (identify: Identify<Integration>) =>
  Layer.succeed(SellerAuthentication, {
    token: (answer, { credential }) => Effect.provideServiceEffect(answer, Seller, callerOf(identify, credential))
  })

/** Accepts seller tokens. Source: docs/reference/authentication.md#seller-token. */
export const sellerLayer = Layer.unwrap(Effect.map(Access.Access, (access) => sellerBy(tokens(access, "integration"))))

/** Accepts callers that `identify` recognizes, under their own slug. Every other slug gets the same rejection. */
export const marketplaceBy = (identify: Identify<MarketplaceCaller>) =>
  Layer.succeed(MarketplaceAuthentication, {
    token: (answer, { credential }) =>
      Effect.gen(function* () {
        const caller = yield* callerOf(identify, credential)
        const params = yield* HttpRouter.params
        if (params.marketplace_slug !== caller.principal.id)
          return yield* new Forbidden({
            reason: `The token belongs to the marketplace ${caller.principal.id}. Send it with that slug in the path.`
          })
        return yield* Effect.provideService(answer, MarketplaceUser, caller)
      })
  })

/** Accepts marketplace tokens. Source: docs/reference/authentication.md#marketplace-token. */
export const marketplaceLayer = Layer.unwrap(
  Effect.map(Access.Access, (access) => marketplaceBy(tokens(access, "marketplace")))
)

/** Accepts callers with the route's scope, in their own company's path. Any other company gets the same rejection. */
export const platformBy = (identify: Identify<PlatformClient>) =>
  Layer.effect(
    PlatformAuthentication,
    Effect.map(PlatformPolicy, ({ activateNeeds }) => ({
      token: (answer, { credential, endpoint }) =>
        Effect.gen(function* () {
          const caller = yield* callerOf(identify, credential)
          const params = yield* HttpRouter.params
          if (params.company_id !== String(caller.principal.companyId))
            return yield* new Forbidden({
              reason: `The token belongs to company ${caller.principal.companyId}. Send it with that id in the path.`
            })
          const scope = scopeOf(endpoint.method, endpoint.path, activateNeeds)
          if (scope === undefined || !caller.principal.scopes.includes(scope))
            return yield* new Forbidden({
              reason:
                scope === undefined
                  ? "No scope permits this route. Ask the host's operator for access."
                  : `The token lacks the scope ${scope}. Sign in as a client that has it.`
            })
          return yield* Effect.provideService(answer, PlatformUser, caller)
        })
    }))
  )

export const platformLayer = Layer.unwrap(
  Effect.map(Access.Access, (access) => platformBy(tokens(access, "platform_client")))
)

/** Accepts operators' tokens. Source: docs/reference/authentication.md#operator-token. */
export const operatorLayer = Layer.effect(
  OperatorAuthentication,
  Effect.map(Access.Access, (access) => {
    const identify = tokens(access, "operator")
    const caller = (credential: Redacted.Redacted) =>
      Effect.map(callerOf(identify, credential), ({ principal: { id }, requestId }) => ({
        principal: { kind: "system" as const, id: `operator:${id}` },
        requestId
      }))
    return { token: (answer, { credential }) => Effect.provideServiceEffect(answer, OperatorUser, caller(credential)) }
  })
)

/** The caller of a request on the application's own route, by a token of the seller, marketplace or platform interface. */
export const callerOfRequest = (
  access: typeof Access.Access.Service,
  { headers }: Request
): Stored<Caller<Principal>, Failure | TokenInvalid | TokenExpired> => {
  const own = headers.get("x-access-token") ?? ""
  const bearer = /^bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1]
  const [token, kinds]: readonly [string, ReadonlyArray<Principal["kind"]>] =
    own === "" && bearer !== undefined ? [bearer, ["platform_client"]] : [own, ["integration", "marketplace"]]
  if (token === "") return tokenMissing("integration").asEffect()
  const isOfOther = (error: { readonly _tag: string }) =>
    error._tag === "TokenInvalid" && "fault" in error && error.fault === "otherInterface"
  const tries = kinds.map((kind) => access.authenticate(kind, token))
  const found = tries.reduce((before, next) => Effect.catchIf(before, isOfOther, () => next))
  const sent = headers.get("x-request-id")
  return Effect.map(found, (principal) => ({
    principal,
    requestId: sent !== null && requestIdForm.test(sent) ? sent : null
  }))
}
