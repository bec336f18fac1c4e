/**
 * Where every request comes in and every answer goes out: request ids, 404 and 405, defects.
 */

import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FindMyWay from "effect/http/FindMyWay"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerError from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { responseOf } from "./ErrorAnswers.ts"
import { defect, methodNotAllowed, routeNotFound } from "./Failure.ts"
import { RequestId, requestIdOf } from "./RequestContext.ts"
import * as Requests from "./Requests.ts"

/**
 * Paths are matched with case, without a trailing slash and as they are (contract, Errors).
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
 * What an `HttpApi` says of its paths.
 */
export interface Interface {
  readonly groups: Readonly<Record<string, { readonly endpoints: Readonly<Record<string, Endpoint>> }>>
}

const endpointsOf = ({ groups }: Interface): ReadonlyArray<Endpoint> =>
  Object.values(groups).flatMap(({ endpoints }) => Object.values(endpoints))

/**
 * The methods that a known path takes, found the way the host's router finds routes.
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
 * No path has an empty part, so none ends in a slash; the router would take it for an empty id.
 */
const isPath = (path: string): boolean => path === "/" || !/\/(\/|$)/.test(path)

/**
 * What nobody may keep: tokens, and what is said of credentials.
 */
const isTokenPath = (path: string): boolean => path.endsWith("/token")

/**
 * A caller that disconnects can leave a failed rollback behind; that is not a fault worth an error line.
 */
const logged = (cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  Cause.hasInterrupts(cause)
    ? Effect.logDebug("A request ended when its caller went away", cause)
    : Effect.logError("A request ended in a defect", cause)

const isRouteNotFound = (error: unknown): boolean =>
  HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound"

/**
 * Goes around all routes of a host. A defect is logged with its cause and answered without it. `pages` are the paths
 * that are no part of an interface; they take GET.
 */
export const layer = (interfaces: ReadonlyArray<Interface>, pages: ReadonlyArray<HttpRouter.PathInput> = []) => {
  const allowedAt = methodsAt([...interfaces.flatMap(endpointsOf), ...pages.map((path) => ({ method: "GET", path }))])

  const unrouted = ({ method, url }: HttpServerRequest.HttpServerRequest, path: string) => {
    const allowed = allowedAt(url)
    return responseOf(allowed === undefined ? routeNotFound(path) : methodNotAllowed(method, allowed))
  }

  return HttpRouter.middleware(
    (app) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const requestId = requestIdOf(request)
        const path = request.url.split("?")[0] ?? ""
        const started = yield* Clock.currentTimeMillis
        const answer = isPath(path) ? app : responseOf(routeNotFound(path))
        return yield* answer.pipe(
          Effect.catchIf(isRouteNotFound, () => unrouted(request, path)),
          Effect.catchCauseIf(
            (cause) => !Cause.hasInterruptsOnly(cause),
            (cause) => Effect.andThen(logged(cause), responseOf(defect))
          ),
          Effect.tap((response) => Requests.observe(request, response, started)),
          Effect.map((response) =>
            HttpServerResponse.setHeaders(response, {
              "x-request-id": requestId,
              ...(isTokenPath(path) ? { "cache-control": "no-store" } : {})
            })
          ),
          Effect.provideService(RequestId, requestId),
          Effect.annotateLogs("request_id", requestId)
        )
      }),
    { global: true }
  )
}
