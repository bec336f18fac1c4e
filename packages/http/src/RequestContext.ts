/** The facts of a request while it is answered: its id, caller, network and allowances. */
import type { AccountHolder } from "@crossdock/access"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import ipaddr from "ipaddr.js"
import { type Failure, tooManyRequestsFailure } from "./Failure.ts"
import type { RateLimits } from "./RateLimits.ts"

/** Removes the port that some proxies add: `203.0.113.7:51234`, `[2001:db8::1]:51234`. */
const withoutPort = (text: string) => /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text

const ipv4 = /^(?:::ffff:)?((?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4})$/

/** An IPv4 address, or the 64 bits of an IPv6 address that identify one customer. Any other text is returned unchanged. */
export const networkOf = (text: string): string => {
  // Most addresses are IPv4, and need no parser. A server that also listens on IPv6 sees IPv4 addresses mapped to IPv6.
  const plain = ipv4.exec(text)?.[1]
  if (plain !== undefined) return plain
  const address = withoutPort(text)
  if (!ipaddr.isValid(address)) return text
  // `process` turns an IPv4 address that is mapped to IPv6 into IPv4.
  const parsed = ipaddr.process(address)
  if (parsed.kind() === "ipv4") return parsed.toString()
  const [a, b, c, d] = (parsed as ipaddr.IPv6).parts
  return `${new ipaddr.IPv6([a, b, c, d, 0, 0, 0, 0].map((part) => part ?? 0))}/64`
}

/** The label `code` of answers without an error. */
export const noError = "OK"

/** A route: its path with the names of its parameters, and the metrics of its successful answers. */
export interface Route {
  readonly method: string
  readonly path: string
  readonly succeeded: Metric.Metric<number, unknown>
  readonly duration: Metric.Metric<number, unknown>
}

/** One request's facts. `Edge` makes them, and each part of the service adds its own. */
export interface RequestFacts {
  readonly requestId: string
  /** The caller's network, by which failed sign-ins are counted and requests are limited. */
  readonly network: string
  /** The address of the host's documents; empty for none. */
  readonly docsUrl: string
  route?: Route
  /** The code of an answer outside 2xx. */
  code?: string
  /** The caller, as kind and id. */
  caller?: string
  companyId?: number
  /** Whether the request writes. Writes of a company's own accounts share one queue. */
  isWrite?: boolean
  /** Whether the request has waited for its turn. */
  hasTurn?: boolean
  readonly bytes: number
  /** The host's allowances; undefined outside its `Edge`. */
  readonly allowances: RateLimits | undefined
  /** Functions that give back the request's allowances and end its turn. */
  readonly leave: Array<() => void>
}

export const RequestFacts = Context.Reference<RequestFacts>("@crossdock/http/RequestFacts", {
  defaultValue: () => ({ requestId: "", network: "unknown", docsUrl: "", bytes: 0, allowances: undefined, leave: [] })
})

/** The length of a body in bytes, as its request states it. It is `unstated` with Transfer-Encoding, and 0 without a body. */
export const bytesOf = ({ headers }: HttpServerRequest.HttpServerRequest, unstated: number): number => {
  const stated = Number(headers["content-length"] ?? 0)
  if (headers["transfer-encoding"] !== undefined) return unstated
  return Number.isSafeInteger(stated) && stated >= 0 ? stated : 0
}

/** Counts a request against the allowance of its address or account. Returns a 429 if no allowance is left. */
export const enter = (facts: RequestFacts, by: "account" | "address", caller: string, now: number) => {
  const allowance = facts.allowances?.[by]
  if (allowance === undefined) return undefined
  const retryAfter = allowance.enter(caller, now, facts.bytes)
  if (retryAfter > 0) return tooManyRequestsFailure(retryAfter)
  facts.leave.push(() => allowance.leave(caller, facts.bytes))
  return undefined
}

const waiting = (facts: RequestFacts, line: string, isOfWrites = false): Effect.Effect<void> => {
  if (facts.allowances === undefined || facts.hasTurn) return Effect.void
  facts.hasTurn = true
  return facts.allowances.share.enter(line, facts.leave, isOfWrites)
}

/** Waits for a turn in the queue of this name, such as that of a company's opened links. */
export const turnOf = (line: string) => Effect.flatMap(RequestFacts, (facts) => waiting(facts, line))

/** Waits for the caller's turn, after the body was received. Writes of a company share a queue, because they lock its row. */
export const turn: Effect.Effect<void> = Effect.flatMap(RequestFacts, (facts) => {
  if (facts.caller === undefined) return Effect.void
  return facts.isWrite && facts.companyId !== undefined
    ? waiting(facts, `writes of ${facts.companyId}`, true)
    : waiting(facts, facts.caller)
})

/** Records the caller of a request for its log line, and counts the request against the caller's allowance. */
export const identified = (
  facts: RequestFacts,
  principal: AccountHolder,
  { method }: HttpServerRequest.HttpServerRequest,
  now: number
): Effect.Effect<void, Failure> => {
  facts.caller = `${principal.kind}:${principal.id}`
  if ("companyId" in principal) facts.companyId = principal.companyId
  const rejection = enter(facts, "account", facts.caller, now)
  if (rejection !== undefined) return Effect.fail(rejection)
  // No route reads the body of a GET or HEAD, so these wait now instead of after their body.
  return method === "GET" || method === "HEAD" ? waiting(facts, facts.caller) : Effect.void
}

/** The request's id: a valid id that the caller sent, or else a new id. Source: docs/reference/requests.md#request-id. */
export const RequestId: Effect.Effect<string> = Effect.map(RequestFacts, ({ requestId }) => requestId)

/** The caller's network, by which failed sign-ins are counted and requests are limited. */
export const peerAddress: Effect.Effect<string> = Effect.map(RequestFacts, ({ network }) => network)

/**
 * The host's settings for requests. Behind `trustedProxies`, the caller's address is in X-Forwarded-For. Without
 * `queryCredentials`, credentials in URLs are rejected. `lenientQuery` ignores unknown query parameters. Browsers reach the
 * host at `publicUrl`. `docs` in error bodies leads to a document below `docsUrl`. If that is empty, there is no `docs`.
 */
export const HttpPolicy = Context.Reference<{
  readonly trustedProxies: number
  readonly queryCredentials: boolean
  readonly lenientQuery: boolean
  readonly publicUrl: string
  readonly docsUrl: string
}>("@crossdock/http/HttpPolicy", {
  defaultValue: () => ({ trustedProxies: 0, queryCredentials: true, lenientQuery: false, publicUrl: "", docsUrl: "" })
})

/** The form of an `x-request-id`. Any other id is replaced. */
export const requestIdForm = /^[A-Za-z0-9._-]{1,128}$/

export const requestIdOf = (request: HttpServerRequest.HttpServerRequest): string => {
  const sent = request.headers["x-request-id"]
  return sent !== undefined && requestIdForm.test(sent) ? sent : globalThis.crypto.randomUUID()
}

/** The entry of X-Forwarded-For that the outermost of `proxies` added. The caller may have written the earlier entries. */
export const forwardedAddress = (header: string, proxies: number): string =>
  header.split(",").slice(-Math.max(1, proxies))[0]?.trim() ?? ""

/** The network of the caller's address. If there are trusted proxies, the address is in a header. */
export const peerOf = (request: HttpServerRequest.HttpServerRequest, trustedProxies: number): string => {
  const header = trustedProxies === 0 ? undefined : request.headers["x-forwarded-for"]
  const forwarded = header === undefined ? undefined : forwardedAddress(header, trustedProxies)
  return networkOf(
    forwarded !== undefined && ipaddr.isValid(withoutPort(forwarded))
      ? forwarded
      : Option.getOrElse(request.remoteAddress, () => "unknown")
  )
}
