/**
 * Metrics and a log line for each request. Neither contains a query, a header or a body.
 */

import { Metrics } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as LogLevel from "effect/LogLevel"
import * as Metric from "effect/Metric"
import type { RequestFacts } from "./RequestFacts.ts"
import { unescaped } from "./Unescaped.ts"

/** Methods that have a series; any other is counted as `other`, so that callers can't create series. */
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

/**
 * Whether the path of a URL is a secret: the link of a confirm page, however it is escaped, cut short or continued, or such
 * a link under a mistyped address. Logs and traces must not show it.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { isSecretPath } from "@crossdock/http"
 *
 * strictEqual(isSecretPath(`/billing/confirm/${"0a".repeat(32)}`), true)
 * strictEqual(isSecretPath("/health/live"), false)
 * ```
 */
export const isSecretPath = (url: string): boolean =>
  /\/billing\/confirm\/|[0-9a-f]{64}/i.test(unescaped(url.split("?")[0] ?? url))

const pathForLog = (url: string): string => (isSecretPath(url) ? "[secret path]" : (url.split("?")[0] ?? url))

/** Rejected sign-ins and requests beyond an allowance are warnings: somebody may be attacking. */
const isWarning = (path: string, status: number): boolean =>
  status === 429 || (status === 401 && path.endsWith("/token"))

/**
 * Counts and logs an answered request. `started` is in epoch milliseconds.
 */
export const observe = (
  request: HttpServerRequest.HttpServerRequest,
  { status }: HttpServerResponse.HttpServerResponse,
  started: number,
  { caller, code, companyId, route }: RequestFacts
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const ms = (yield* Clock.currentTimeMillis) - started
    const series = { method: methods.has(request.method) ? request.method : "other", route: route ?? "none" }
    yield* Metric.update(Metrics.requests.at({ ...series, status: String(status), code: code ?? "OK" }), 1)
    yield* Metric.update(Metrics.requestDuration.at(series), ms / 1000)
    const path = pathForLog(request.url)
    const level = isWarning(path, status) ? "Warn" : "Info"
    if (!(yield* LogLevel.isEnabled(level))) return
    yield* Effect.logWithLevel(level)(`${request.method} ${path} ${status} ${ms} ms`).pipe(
      Effect.annotateLogs({
        method: request.method,
        path,
        status,
        ms,
        ...(route === undefined ? {} : { route }),
        ...(code === undefined ? {} : { code }),
        ...(caller === undefined ? {} : { caller }),
        ...(companyId === undefined ? {} : { company_id: companyId })
      })
    )
  })
