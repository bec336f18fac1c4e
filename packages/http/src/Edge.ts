/**
 * The outermost middleware: gives every request its id, bounds the requests of an address, answers 404 and 405, turns
 * defects into 500, and writes the log line of each request.
 */

import { Transaction } from "@crossdock/kernel"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FindMyWay from "effect/http/FindMyWay"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerError from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import { defect, methodNotAllowed, routeNotFound } from "./Failure.ts"
import * as Allowance from "./internal/Allowance.ts"
import { responseOf } from "./internal/Endpoints.ts"
import * as FairShares from "./internal/FairShares.ts"
import * as LogSample from "./internal/LogSample.ts"
import { bytesOf, enter, RequestFacts } from "./internal/RequestFacts.ts"
import { observe } from "./internal/Requests.ts"
import { Limits } from "./Limits.ts"
import * as QueryCredentials from "./QueryCredentials.ts"
import { HttpPolicy, peerOf, requestIdOf } from "./RequestContext.ts"

/**
 * Paths are case-sensitive and have no trailing slash. Source: docs/reference/requests.md#paths.
 */
export const routerConfig = {
  caseSensitive: true,
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
  maxParamLength: 500
} as const

interface Endpoint {
  readonly method: string
  readonly path: HttpRouter.PathInput
}

/**
 * The part of an `HttpApi` that lists its endpoints.
 */
export interface Interface {
  readonly groups: Readonly<Record<string, { readonly endpoints: Readonly<Record<string, Endpoint>> }>>
}

const endpointsOf = ({ groups }: Interface): ReadonlyArray<Endpoint> =>
  Object.values(groups).flatMap(({ endpoints }) => Object.values(endpoints))

/**
 * Finds the methods of a known path by the same rules as the host's router.
 */
const methodsAt = (endpoints: ReadonlyArray<Endpoint>) => {
  const methods = new Map<HttpRouter.PathInput, ReadonlyArray<string>>()
  for (const { method, path } of endpoints) methods.set(path, [...(methods.get(path) ?? []), method])
  const router = FindMyWay.make<ReadonlyArray<string>>(routerConfig)
  for (const [path, allowed] of methods) {
    router.on("GET", path, allowed.includes("GET") ? [...allowed, "HEAD"] : allowed)
  }
  return (url: string) => router.find("GET", url)?.handler
}

/**
 * No route has an empty segment. The router would match one as an empty id.
 */
const isPath = (path: string): boolean => path === "/" || !/\/(\/|$)/.test(path)

/**
 * The path as the caller sent it, also where a host is mounted under a prefix; without credentials.
 */
const sentPath = ({ originalUrl }: HttpServerRequest.HttpServerRequest): string => {
  const url = originalUrl.replace(/^[a-z]+:\/\/[^/?#]*/i, "")
  return (QueryCredentials.take(url)?.url ?? url).split("?")[0] || "/"
}

/**
 * Answers about tokens and credentials must not be cached.
 */
const isTokenPath = (path: string): boolean => path.endsWith("/token")

/**
 * A caller that disconnects can cause a failed rollback, which is not worth an error line.
 */
const logged = (cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  Cause.hasInterrupts(cause)
    ? Effect.logDebug("The caller disconnected before its request was answered", cause)
    : Effect.logError("A request failed with an unexpected error", cause)

const isRouteNotFound = (cause: Cause.Cause<unknown>): boolean => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  return HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound"
}

/** Gives back the allowances of a request, once. */
const left = ({ leave }: RequestFacts): void => {
  for (const one of leave.splice(0)) one()
}

const contextOf = (context: Context.Context<never>, facts: RequestFacts): Context.Context<never> => {
  const annotations = { ...Context.get(context, References.CurrentLogAnnotations), request_id: facts.requestId }
  const known = Context.add(Context.add(context, RequestFacts, facts), References.CurrentLogAnnotations, annotations)
  return Context.add(known, Transaction.OwnTransactionOnly, true)
}

/**
 * A load balancer asks for a host's health however busy the host is.
 */
const isHealth = (path: string): boolean => path === "/health/live" || path === "/health/ready"

/**
 * `pages` are GET paths outside the interfaces. `allowances` bound the requests of an account and of an address.
 */
export interface Options {
  readonly pages?: ReadonlyArray<HttpRouter.PathInput>
  readonly allowances?: Allowance.Allowances
}

/**
 * The middleware of a host, for the interfaces that it mounts. A defect is logged with its cause, which the answer leaves
 * out.
 */
export const layer = (
  interfaces: ReadonlyArray<Interface>,
  { allowances: bounds = Allowance.generous, pages = [] }: Options = {}
) => {
  const allowedAt = methodsAt([...interfaces.flatMap(endpointsOf), ...pages.map((path) => ({ method: "GET", path }))])

  const unrouted = (request: HttpServerRequest.HttpServerRequest) => {
    const allowed = allowedAt(request.url)
    return responseOf(
      allowed === undefined ? routeNotFound(sentPath(request)) : methodNotAllowed(request.method, allowed)
    )
  }

  const sample = LogSample.make()
  const allowances = {
    account: Allowance.make(bounds.account),
    address: Allowance.make(bounds.address),
    share: FairShares.make(bounds.share, bounds.writes)
  }

  return HttpRouter.middleware(
    Effect.map(
      HttpPolicy,
      ({ docsUrl, trustedProxies }) =>
        (app) =>
          Effect.withFiber((fiber) => {
            const clock = fiber.getRef(Clock.Clock)
            const started = clock.currentTimeMillisUnsafe()
            const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
            const scope = Context.getUnsafe(fiber.context, Scope.Scope)
            const [path = ""] = request.url.split("?", 1)
            const facts: RequestFacts = {
              requestId: requestIdOf(request),
              network: peerOf(request, trustedProxies),
              docsUrl,
              bytes: bytesOf(request, Limits.bodyBytes),
              allowances,
              leave: []
            }
            const answered = (response: HttpServerResponse.HttpServerResponse) => {
              left(facts)
              const line = observe(request, response.status, started, clock.currentTimeMillisUnsafe(), facts, sample)
              // The scope closes after the answer was sent.
              return Effect.as(
                Scope.addFinalizer(scope, line),
                HttpServerResponse.setHeaders(response, {
                  "x-request-id": facts.requestId,
                  ...(isTokenPath(path) ? { "cache-control": "no-store" } : {})
                })
              )
            }
            const failed = <E>(cause: Cause.Cause<E>) => {
              left(facts)
              if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
              const response = isRouteNotFound(cause)
                ? unrouted(request)
                : Effect.andThen(logged(cause), responseOf(defect))
              return Effect.flatMap(response, answered)
            }
            const rejection = isHealth(path) ? undefined : enter(facts, "address", facts.network, started)
            const admitted = isPath(path) ? app : responseOf(routeNotFound(sentPath(request)))
            const answer = rejection === undefined ? admitted : responseOf(rejection)
            const whole = Effect.matchCauseEffect(answer, { onSuccess: answered, onFailure: failed })
            return Effect.updateContext(whole, (context: Context.Context<never>) => contextOf(context, facts))
          })
    ),
    { global: true }
  )
}
