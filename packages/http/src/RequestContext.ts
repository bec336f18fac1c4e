/**
 * What every handler can read about its request.
 */

import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"
import { isAddress, networkOf } from "./internal/CallerNetwork.ts"
import { RequestFacts } from "./internal/RequestFacts.ts"

/**
 * The id of the request: the caller's own if it is valid, else a new one. Source: docs/reference/requests.md#request-id.
 */
export const RequestId: Effect.Effect<string> = Effect.map(RequestFacts, ({ requestId }) => requestId)

/**
 * The caller's network, by which failed sign-ins are counted and requests are limited.
 */
export const peerAddress: Effect.Effect<string> = Effect.map(RequestFacts, ({ network }) => network)

/**
 * The host's settings for requests. Behind `trustedProxies`, the caller's address is in X-Forwarded-For; without
 * `queryCredentials`, credentials in URLs are rejected; `lenientQuery` ignores unknown query parameters; `publicUrl` is the
 * address by which browsers reach the host; `docsUrl` is that of its documents, to which the `docs` of error bodies lead,
 * or empty for none.
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

const valid = /^[A-Za-z0-9._-]{1,128}$/

export const requestIdOf = (request: HttpServerRequest.HttpServerRequest): string => {
  const sent = request.headers["x-request-id"]
  return sent !== undefined && valid.test(sent) ? sent : globalThis.crypto.randomUUID()
}

/**
 * The caller's address as the outermost of `proxies` wrote it into X-Forwarded-For. Each proxy adds one entry at the end; the
 * caller could have sent those before. A caller that came past some of the proxies is the first of the fewer entries.
 */
export const forwardedAddress = (header: string, proxies: number): string =>
  header.split(",").slice(-Math.max(1, proxies))[0]?.trim() ?? ""

/**
 * The network of the caller's address. Behind `trustedProxies` proxies the address is in a header.
 */
export const peerOf = (request: HttpServerRequest.HttpServerRequest, trustedProxies: number): string => {
  const header = trustedProxies === 0 ? undefined : request.headers["x-forwarded-for"]
  const forwarded = header === undefined ? undefined : forwardedAddress(header, trustedProxies)
  return networkOf(
    forwarded !== undefined && isAddress(forwarded)
      ? forwarded
      : Option.getOrElse(request.remoteAddress, () => "unknown")
  )
}
