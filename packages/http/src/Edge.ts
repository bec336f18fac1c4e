/**
 * The outermost middleware: gives every request its id, limits the requests of an address, answers 404 and 405, turns
 * defects into 500, and counts and logs each request. No log, trace or metric has a query, a header, a body, or the secret
 * of a URL. A host's server must first call `takeCredentials` on each URL, and pass the query on in a redacted header.
 * Source: docs/reference/authentication.md#query-credentials.
 */
import { Metrics, Text, Transaction } from "@crossdock/kernel"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FindMyWay from "effect/http/FindMyWay"
import * as Headers from "effect/http/Headers"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerError from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import { defect, methodNotAllowed, routeNotFound } from "./Failure.ts"
import { responseOf } from "./internal/Endpoints.ts"
import { Limits } from "./Limits.ts"
import * as RateLimits from "./RateLimits.ts"
import { bytesOf, enter, HttpPolicy, noError, peerOf, RequestFacts, requestIdOf } from "./RequestContext.ts"
import { tokenPaths } from "./TokenApi.ts"

/** Reads every escape, nested ones too, and unifies letter widths: `%25%33%46` is `?`. Takes linear time. */
const unescaped = (url: string): string => {
  if (!/[^\x20-\x24\x26-\x7e]/.test(url)) return url
  const read: Array<string> = []
  for (const char of url) {
    read.push(char)
    while (read.at(-3) === "%" && /^[0-9a-f]{2}$/i.test(`${read.at(-2)}${read.at(-1)}`))
      read.splice(-3, 3, String.fromCharCode(Number.parseInt(`${read.at(-2)}${read.at(-1)}`, 16)))
  }
  // A URL arrives as bytes, one in each character.
  const bytes = Uint8Array.from(read, (char) => char.charCodeAt(0))
  return new TextDecoder().decode(bytes).normalize("NFKC")
}

const isTokenPath = (path: string) => tokenPaths.test(path) || (path.includes("%") && tokenPaths.test(unescaped(path)))

/** The header with the query of a token path. The host must remove a caller's own header of that name. */
export const credentialsHeader = "x-crossdock-query-credentials"

const credentialName = "(?:username|passw(?:or)?d|pwd|secret|token)\\s*[=:]"

/** Credentials in a path: a name such as `password` with a value, user information, or anything after a token path. */
const secretInPath = new RegExp(`${credentialName}|/[^/:@]*:[^/@]*@|/token/?[^\\w/-]`, "i")
const secretInQuery = /[?&;#](?:username|password)\s*[=:]/i

/** The end of a token path. The query of a mistyped token path is secret too. */
const endOfTokenPath = /\/token\/?$/i

/** The start of a path up to the first character that may be a separator or a part of an escape. */
const plainStart = /^[\w./~-]*/

/**
 * Splits off the query of a token path, and any query with credentials. If the path has credentials, even escaped, the URL
 * is cut before its first special character, and `query` is empty. The result is undefined for all other URLs.
 */
export const takeCredentials = (url: string): { readonly url: string; readonly query: string } | undefined => {
  const [path = ""] = url.split("?", 1)
  const said = unescaped(path)
  if (secretInPath.test(said)) return { url: plainStart.exec(path)?.[0] || "/", query: "" }
  if (!endOfTokenPath.test(said) && !secretInQuery.test(unescaped(url))) return undefined
  return { url: path, query: url.slice(path.length + 1) }
}

/** Headers that traces must hide. */
export const redactedHeaders = Layer.succeed(Headers.CurrentRedactedNames, [
  "cookie",
  "set-cookie",
  "authorization",
  "x-api-key",
  "x-access-token",
  credentialsHeader
])

/** Whether to write a line, and how many lines of its kind were left out since the last one. */
type Sample = { readonly isWritten: false } | { readonly isWritten: true; readonly leftOut: number }

/** Samples log lines: one a second of each of the last 1,000 kinds. `now` is in milliseconds. */
export const lineSample = () => {
  const kinds = new Map<string, { readonly at: number; leftOut: number }>()
  return (kind: string, now: number): Sample => {
    const last = kinds.get(kind)
    if (last !== undefined && Math.abs(now - last.at) < 1_000) {
      last.leftOut++
      return { isWritten: false }
    }
    kinds.delete(kind)
    kinds.set(kind, { at: now, leftOut: 0 })
    const [oldest] = kinds.keys()
    if (kinds.size > 1_000 && oldest !== undefined) kinds.delete(oldest)
    return { isWritten: true, leftOut: last?.leftOut ?? 0 }
  }
}

/** Methods with a metric of their own. All others are counted as `other`, so that callers can't create metrics. */
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

/** Whether a URL's path is a confirm page's secret link, even if escaped, cut, longer or mistyped. Logs must not show it. */
export const isSecretPath = (url: string): boolean =>
  /\/billing\/confirm\/|[0-9a-f]{64}/i.test(unescaped(url.split("?")[0] ?? url))

const pathForLog = (url: string): string => (isSecretPath(url) ? "[secret path]" : (url.split("?")[0] ?? url))

/** The level of a log line. Rejected sign-ins and requests beyond an allowance are warnings: they may be an attack. */
const levelOf = (url: string, status: number): "Info" | "Warn" | "Error" => {
  if (status === 503) return "Warn"
  if (status >= 500) return "Error"
  return status === 429 || (status === 401 && /\/(token|console\/session)$/.test(pathForLog(url))) ? "Warn" : "Info"
}

const unsampled = { isWritten: true, leftOut: 0 } as const

/** Counts and logs an answered request. Times are epoch milliseconds; `sample` chooses the lines of 429 and 503. */
const observe = (
  { method, url }: HttpServerRequest.HttpServerRequest,
  status: number,
  started: number,
  answered: number,
  { caller, code, companyId, requestId, route }: RequestFacts,
  sample: ReturnType<typeof lineSample>
): Effect.Effect<void> =>
  Effect.withFiber(({ context }) => {
    const ms = answered - started
    const series = { method: methods.has(method) ? method : "other", route: route?.path ?? "none" }
    // The route of a GET also answers a HEAD.
    const own = route?.method === method ? route : undefined
    const counted =
      own !== undefined && status === 200 && code === undefined
        ? own.succeeded
        : Metrics.requests.at({ ...series, status: String(status), code: code ?? noError })
    counted.updateUnsafe(1, context)
    const duration = own?.duration ?? Metrics.requestDuration.at(series)
    duration.updateUnsafe(ms / 1000, context)
    const level = levelOf(url, status)
    if (LogLevel.isLessThan(level, Context.get(context, References.MinimumLogLevel))) return Effect.void
    // An outage or a client in a loop may cause thousands of these answers a second.
    const isFrequent = status === 429 || status === 503
    const sampled = isFrequent ? sample(`${status} ${code} ${caller}`, answered) : unsampled
    if (!sampled.isWritten) return Effect.void
    const path = pathForLog(url)
    return Effect.annotateLogs(Effect.logWithLevel(level)(`${method} ${path} ${status} ${ms} ms`), {
      request_id: requestId,
      method,
      path,
      status,
      ms,
      ...(route === undefined ? {} : { route: route.path }),
      ...(code === undefined ? {} : { code }),
      ...(caller === undefined ? {} : { caller }),
      ...(companyId === undefined ? {} : { company_id: companyId }),
      ...(sampled.leftOut === 0 ? {} : { left_out: sampled.leftOut })
    })
  })

/** Paths are case-sensitive and have no trailing slash. Source: docs/reference/requests.md#paths. */
export const routerConfig = {
  caseSensitive: true,
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
  maxParamLength: 500
} as const

type Endpoint = { readonly method: string; readonly path: HttpRouter.PathInput }

/** The part of an `HttpApi` that lists its endpoints. */
export interface Interface {
  readonly groups: Readonly<Record<string, { readonly endpoints: Readonly<Record<string, Endpoint>> }>>
}

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf("/"))

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)

const endsOf = (path: string): string => `/${path.split("/")[1]}${path.slice(path.lastIndexOf("/"))}`

/** A path with its ids as the OpenAPI document names them. */
const named = (path: string): string => path.replaceAll(/:(\w+)/g, "{$1}")

/** The known paths and their methods, found by the same rules as the host's router. */
const knownPaths = (endpoints: ReadonlyArray<Endpoint>) => {
  const methods = new Map<HttpRouter.PathInput, ReadonlyArray<string>>()
  for (const { method, path } of endpoints) methods.set(path, [...(methods.get(path) ?? []), method])
  const reads = [...methods].flatMap(([path, allowed]) => (allowed.includes("GET") ? [path] : []))
  const readsNear = (path: string) => {
    const parent = parentOf(path)
    return parent === "" ? [] : reads.filter((one) => one === parent || parentOf(one) === parent).map(named)
  }
  const router = FindMyWay.make<Readonly<Record<"allowed" | "reads", ReadonlyArray<string>>>>(routerConfig)
  for (const [path, allowed] of methods) {
    const isRead = allowed.includes("GET")
    router.on("GET", path, { allowed: isRead ? [...allowed, "HEAD"] : allowed, reads: isRead ? [] : readsNear(path) })
  }
  const plain = [...methods.keys()].filter((path) => !path.includes(":"))
  const all = [...methods.keys()].map(named)
  /** The known paths with the same number of segments, with the ids of the requested path. */
  const alike = (path: string): ReadonlyArray<string> => {
    const sent = path.split("/")
    return [...methods.keys()].flatMap((one) => {
      const segments = one.split("/")
      const own = segments.map((segment, at) => (segment.startsWith(":") ? sent[at] : segment))
      return segments.length === sent.length ? [own.join("/")] : []
    })
  }
  return {
    at: (url: string) => router.find("GET", url)?.handler,
    /** Known paths to suggest: the most similar, or else those with the same first and last segment, parent or name. */
    nearest: (path: string): ReadonlyArray<string> => {
      // Longer paths aren't compared with the known ones.
      if (path.length > 100) return []
      const bare = path.replace(/\/+$/, "")
      const close =
        Text.nearestName(alike(bare), bare) ?? [...plain, ...all].find((one) => endsOf(one) === endsOf(bare))
      const parent = parentOf(bare)
      // Callers may add an id to the path of a read, because other interfaces have one there.
      const above = parent === "" ? null : router.find("GET", parent)
      if (close === undefined && above?.handler.allowed.includes("HEAD")) return [parent]
      const parents = [path, parentOf(path)].filter(Boolean)
      const beside = plain.filter((one) => parents.includes(parentOf(one))).slice(0, 5)
      if (close !== undefined || beside.length > 0) return close === undefined ? beside : [close]
      const name = Text.nearestName(plain.map(nameOf), nameOf(path))
      return plain.filter((one) => nameOf(one) === name).slice(0, 1)
    }
  }
}

/** Whether a path has no empty segment. No route has an empty segment, but the router would take it for an empty id. */
const isPath = (path: string): boolean => path === "/" || !/\/(\/|$)/.test(path)

/** The path as the caller sent it, without credentials, and with the prefix under which a host is mounted. */
const sentPath = ({ originalUrl }: HttpServerRequest.HttpServerRequest): string => {
  const url = originalUrl.replace(/^[a-z]+:\/\/[^/?#]*/i, "")
  return (takeCredentials(url)?.url ?? url).split("?")[0] || "/"
}

/** Logs a defect. A caller that disconnects can cause a failed rollback, which is not worth an error line. */
const logged = (cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  Cause.hasInterrupts(cause)
    ? Effect.logDebug("The caller disconnected before its request was answered", cause)
    : Effect.logError("A request failed with an unexpected error", cause)

const isRouteNotFound = (cause: Cause.Cause<unknown>): boolean =>
  Option.exists(
    Cause.findErrorOption(cause),
    (error) => HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound"
  )

/** Gives back the allowances that a request occupies. It does so only once. */
const giveBack = ({ leave }: RequestFacts): void => {
  for (const one of leave.splice(0)) one()
}

const contextOf = (context: Context.Context<never>, facts: RequestFacts): Context.Context<never> => {
  const annotations = { ...Context.get(context, References.CurrentLogAnnotations), request_id: facts.requestId }
  const known = Context.add(Context.add(context, RequestFacts, facts), References.CurrentLogAnnotations, annotations)
  return Context.add(known, Transaction.OwnTransactionOnly, true)
}

/** `pages` are GET paths outside the interfaces. `allowances` bound the requests of an account and of an address. */
export interface Options {
  readonly pages?: ReadonlyArray<HttpRouter.PathInput>
  readonly allowances?: RateLimits.Allowances
}

/** The middleware of the mounted interfaces. A defect is logged with its cause, but the answer doesn't show the cause. */
export const layer = (
  interfaces: ReadonlyArray<Interface>,
  { allowances: bounds = RateLimits.generousAllowances, pages = [] }: Options = {}
) => {
  const groups = interfaces.flatMap((one) => Object.values(one.groups))
  const endpoints = groups.flatMap((group) => Object.values(group.endpoints))
  const known = knownPaths([...endpoints, ...pages.map((path) => ({ method: "GET", path }))])

  const unrouted = (request: HttpServerRequest.HttpServerRequest) => {
    const found = known.at(request.url)
    if (found !== undefined && isPath(request.url.split("?")[0] ?? ""))
      return responseOf(methodNotAllowed(request.method, found.allowed, found.reads))
    const [sent, [path = ""]] = [sentPath(request), request.url.split("?")]
    const mounted = sent.endsWith(path) ? sent.slice(0, sent.length - path.length) : ""
    const near = known.nearest(path).map((one) => mounted + one)
    return responseOf(routeNotFound(sent, near))
  }

  const sample = lineSample()
  const allowances = RateLimits.make(bounds)

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
              giveBack(facts)
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
              giveBack(facts)
              if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
              const response = isRouteNotFound(cause)
                ? unrouted(request)
                : Effect.andThen(logged(cause), responseOf(defect))
              return Effect.flatMap(response, answered)
            }
            // A load balancer's health check is answered even if the host is busy.
            const isHealth = path === "/health/live" || path === "/health/ready"
            const rejection = isHealth ? undefined : enter(facts, "address", facts.network, started)
            const admitted = isPath(path) ? app : unrouted(request)
            const answer = rejection === undefined ? admitted : responseOf(rejection)
            const whole = Effect.matchCauseEffect(answer, { onSuccess: answered, onFailure: failed })
            return Effect.updateContext(whole, (context: Context.Context<never>) => contextOf(context, facts))
          })
    ),
    { global: true }
  )
}
