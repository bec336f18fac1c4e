/**
 * The outermost middleware: gives every request its id, bounds the requests of an address, answers 404 and 405, turns
 * defects into 500, and writes the log line of each request.
 */

import { Transaction } from "@crossdock/kernel"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FindMyWay from "effect/http/FindMyWay"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerError from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { defect, methodNotAllowed, routeNotFound } from "./Failure.ts"
import * as Allowance from "./internal/Allowance.ts"
import { responseOf } from "./internal/ErrorAnswers.ts"
import * as FairShares from "./internal/FairShares.ts"
import * as LogSample from "./internal/LogSample.ts"
import { bytesOf, enter, RequestFacts } from "./internal/RequestFacts.ts"
import * as Requests from "./internal/Requests.ts"
import { Limits } from "./Limits.ts"
import * as QueryCredentials from "./QueryCredentials.ts"
import { HttpPolicy, peerAddress, RequestId, requestIdOf } from "./RequestContext.ts"

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

const isRouteNotFound = (error: unknown): boolean =>
  HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound"

/**
 * A load balancer asks for a host's health however busy the host is.
 */
const isHealth = (path: string): boolean => path === "/health/live" || path === "/health/ready"

const left = ({ leave }: RequestFacts) =>
  Effect.sync(() => {
    for (const one of leave) one()
  })

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
      (policy) => (app) =>
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          const requestId = requestIdOf(request)
          const path = request.url.split("?")[0] ?? ""
          const started = yield* Clock.currentTimeMillis
          const facts: RequestFacts = { bytes: bytesOf(request, Limits.bodyBytes), allowances, leave: [] }
          const admission = isHealth(path) ? Effect.void : enter(facts, "address", yield* peerAddress, started)
          const answer = isPath(path) ? app : responseOf(routeNotFound(sentPath(request)))
          return yield* Effect.matchEffect(admission, { onFailure: responseOf, onSuccess: () => answer }).pipe(
            Effect.ensuring(left(facts)),
            Effect.catchIf(isRouteNotFound, () => unrouted(request)),
            Effect.catchCauseIf(
              (cause) => !Cause.hasInterruptsOnly(cause),
              (cause) => Effect.andThen(logged(cause), responseOf(defect))
            ),
            Effect.tap((response) => Requests.observe(request, response, started, facts, sample)),
            Effect.map((response) =>
              HttpServerResponse.setHeaders(response, {
                "x-request-id": requestId,
                ...(isTokenPath(path) ? { "cache-control": "no-store" } : {})
              })
            ),
            Effect.provideService(RequestFacts, facts),
            Effect.provideService(RequestId, requestId),
            Effect.provideService(Transaction.KeepsOut, true),
            Effect.annotateLogs("request_id", requestId)
          )
          // A request runs outside of the layer that has the policy.
        }).pipe(Effect.provideService(HttpPolicy, policy))
    ),
    { global: true }
  )
}
