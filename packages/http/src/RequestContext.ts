/**
 * What every handler can read about its request.
 */

import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"
import { networkOf } from "./internal/CallerNetwork.ts"

/**
 * The id of the request: the caller's own if it is valid, else a new one. Source: docs/reference/requests.md#request-id.
 */
export const RequestId = Context.Reference<string>("@crossdock/http/RequestId", { defaultValue: () => "" })

/**
 * The host's settings for requests. `trustProxy` takes the caller's address from X-Forwarded-For; without
 * `queryCredentials`, credentials in URLs are rejected; `lenientQuery` ignores unknown query parameters; `publicUrl` is the
 * address by which browsers reach the host; `docsUrl` is that of its documents, to which the `docs` of error bodies lead,
 * or empty for none.
 */
export const HttpPolicy = Context.Reference<{
  readonly trustProxy: boolean
  readonly queryCredentials: boolean
  readonly lenientQuery: boolean
  readonly publicUrl: string
  readonly docsUrl: string
}>("@crossdock/http/HttpPolicy", {
  defaultValue: () => ({ trustProxy: false, queryCredentials: true, lenientQuery: false, publicUrl: "", docsUrl: "" })
})

const valid = /^[A-Za-z0-9._-]{1,128}$/

export const requestIdOf = (request: HttpServerRequest.HttpServerRequest): string => {
  const sent = request.headers["x-request-id"]
  return sent !== undefined && valid.test(sent) ? sent : globalThis.crypto.randomUUID()
}

/**
 * The caller's network, by which failed sign-ins are counted and requests are limited. Only the last entry of X-Forwarded-For is used: the
 * trusted proxy wrote it, while the caller could have sent the others.
 */
export const peerAddress = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const { trustProxy } = yield* HttpPolicy
  const forwarded = trustProxy ? request.headers["x-forwarded-for"]?.split(",").at(-1)?.trim() : undefined
  return networkOf(forwarded ?? Option.getOrElse(request.remoteAddress, () => "unknown"))
})
