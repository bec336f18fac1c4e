/**
 * Where every request comes in and every answer goes out: request ids, one error body on every path, 404 and 405.
 */
import type * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiError from "@effect/platform/HttpApiError"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpLayerRouter from "@effect/platform/HttpLayerRouter"
import type * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as HashMap from "effect/HashMap"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Decode from "./Decode.ts"
import { defect, Failure, methodNotAllowed, routeNotFound, validationFailed } from "./Failure.ts"
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

type AnyApi = HttpApi.HttpApi.AnyWithProps

interface Endpoint {
  readonly method: string
  readonly path: string
}

const endpointsOf = (api: HttpApi.HttpApi.Any): ReadonlyArray<Endpoint> =>
  Object.values((api as unknown as AnyApi).groups).flatMap(
    (group) => Object.values(group.endpoints) as ReadonlyArray<Endpoint>
  )

const literal = (part: string): string => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

/**
 * Each path once, as a pattern, with its methods.
 */
const pathsOf = (endpoints: ReadonlyArray<Endpoint>) => {
  const methods = new Map<string, Array<string>>()
  for (const { method, path } of endpoints) methods.set(path, [...(methods.get(path) ?? []), method])
  return [...methods].map(([path, allowed]) => ({
    pattern: new RegExp(
      `^${path
        .split("/")
        .map((part) => (part.startsWith(":") ? "[^/]+" : literal(part)))
        .join("/")}$`
    ),
    allowed: allowed.includes("GET") ? [...allowed, "HEAD"] : allowed
  }))
}

/**
 * No path has an empty part, so none ends in a slash; the router would take it for an empty id.
 */
const isPath = (path: string): boolean => path === "/" || !/\/(\/|$)/.test(path)

/**
 * What nobody may keep: tokens, and what is said of credentials.
 */
const isTokenPath = (path: string): boolean => path.endsWith("/token")

type Routes = Effect.Effect<HttpServerResponse.HttpServerResponse>

/**
 * Registers an interface's routes. Unlike the router's own way, errors leave the route as they are, so that `layer` can
 * give them the one body.
 */
export const mount = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>
): Layer.Layer<
  never,
  never,
  | HttpLayerRouter.HttpRouter
  | HttpRouter.HttpRouter.DefaultServices
  | HttpApiGroup.HttpApiGroup.ToService<Id, Groups>
  | R
> =>
  HttpApiBuilder.Router.unwrap((built) =>
    Layer.effectDiscard(
      Effect.gen(function* () {
        const router = yield* HttpLayerRouter.HttpRouter
        const own = new Set(
          endpointsOf(api as unknown as HttpApi.HttpApi.Any).map(({ method, path }) => `${method} ${path}`)
        )
        const routes = [...built.routes].filter((route) => own.has(`${route.method} ${route.path}`))
        for (const route of routes) {
          // The group gave the handler all that it needs; the router's own way would give it everything once more.
          const handler = route.handler as unknown as Routes
          yield* router.add(route.method as "GET", route.path as HttpLayerRouter.PathInput, handler)
        }
      })
    )
  ) as Layer.Layer<
    never,
    never,
    | HttpLayerRouter.HttpRouter
    | HttpRouter.HttpRouter.DefaultServices
    | HttpApiGroup.HttpApiGroup.ToService<Id, Groups>
    | R
  >

const failureOf = (
  error: unknown,
  request: HttpServerRequest.HttpServerRequest,
  paths: ReturnType<typeof pathsOf>
): Failure | undefined => {
  if (error instanceof Failure) return error
  if (typeof error !== "object" || error === null || !("_tag" in error)) return undefined
  if (error._tag === "RouteNotFound") {
    const path = request.url.split("?")[0] ?? ""
    const known = paths.find(({ pattern }) => pattern.test(path))
    // The method may be allowed and the path not be taken all the same: too long, or not well encoded.
    return known === undefined || known.allowed.includes(request.method)
      ? routeNotFound(path)
      : methodNotAllowed(request.method, known.allowed)
  }
  return error instanceof HttpApiError.HttpApiDecodeError
    ? validationFailed(Decode.violations(error.issues))
    : undefined
}

/**
 * The answer of a failure.
 */
export const responseOf = (failure: Failure, requestId: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.unsafeJson(
    {
      message: failure.message,
      code: failure.code,
      request_id: requestId,
      ...(failure.errors === undefined ? {} : { errors: failure.errors })
    },
    { status: failure.status, ...(failure.headers === undefined ? {} : { headers: failure.headers }) }
  )

/**
 * Goes around all routes of a host. A defect is logged with its cause and answered without it. `pages` are the paths
 * that are no part of an interface; they take GET.
 */
export const layer = (apis: ReadonlyArray<HttpApi.HttpApi.Any>, pages: ReadonlyArray<string> = []) => {
  const paths = pathsOf([...apis.flatMap(endpointsOf), ...pages.map((path) => ({ method: "GET", path }))])
  return HttpLayerRouter.middleware(
    (app) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const requestId = requestIdOf(request)
        const path = request.url.split("?")[0] ?? ""
        const started = yield* Clock.currentTimeMillis
        // A request has its fiber to itself: what is set here need not be put back.
        yield* FiberRef.update(FiberRef.currentContext, Context.add(RequestId, requestId))
        yield* FiberRef.update(FiberRef.currentLogAnnotations, HashMap.set<string, unknown>("request_id", requestId))
        const answering = app.pipe(
          Effect.catchAllCause((cause) => {
            const failure = Option.getOrUndefined(
              Option.map(Cause.failureOption(cause), (error) => failureOf(error, request, paths))
            )
            if (failure !== undefined) return Effect.succeed(responseOf(failure, requestId))
            if (Cause.isInterruptedOnly(cause)) return Effect.failCause(cause)
            return Effect.as(Effect.logError("A request ended in a defect", cause), responseOf(defect, requestId))
          })
        )
        const response = isPath(path) ? yield* answering : responseOf(routeNotFound(path), requestId)
        yield* Requests.observe(request, response, (yield* Clock.currentTimeMillis) - started)
        const answer = HttpServerResponse.setHeader(response, "x-request-id", requestId)
        return isTokenPath(path) ? HttpServerResponse.setHeader(answer, "cache-control", "no-store") : answer
      }),
    { global: true }
  )
}
