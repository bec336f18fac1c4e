/**
 * What every handler may know of its request.
 */

import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"

/**
 * The caller's own when it sent a sane one, else a new one.
 */
export const RequestId = Context.Reference<string>("@crossdock/http/RequestId", { defaultValue: () => "" })

/**
 * How the host reads a request. `trustProxy` takes the caller's address from X-Forwarded-For; `queryCredentials` false
 * rejects credentials in URLs. `publicUrl` is where browsers reach the host.
 */
export const HttpPolicy = Context.Reference<{
  readonly trustProxy: boolean
  readonly queryCredentials: boolean
  readonly publicUrl: string
}>("@crossdock/http/HttpPolicy", {
  defaultValue: () => ({ trustProxy: false, queryCredentials: true, publicUrl: "" })
})

const sane = /^[A-Za-z0-9._-]{1,128}$/

export const requestIdOf = (request: HttpServerRequest.HttpServerRequest): string => {
  const sent = request.headers["x-request-id"]
  return sent !== undefined && sane.test(sent) ? sent : globalThis.crypto.randomUUID()
}

/**
 * The caller's network address, by which failed sign-ins are counted. Of X-Forwarded-For the last entry counts: the
 * trusted proxy wrote it, the ones before are whatever the caller sent.
 */
export const peerAddress = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const { trustProxy } = yield* HttpPolicy
  const forwarded = trustProxy ? request.headers["x-forwarded-for"]?.split(",").at(-1)?.trim() : undefined
  return forwarded ?? Option.getOrElse(request.remoteAddress, () => "unknown")
})
