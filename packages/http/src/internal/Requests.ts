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
import type * as LogSample from "./LogSample.ts"
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
const levelOf = (path: string, status: number): "Info" | "Warn" | "Error" => {
  if (status === 503) return "Warn"
  if (status >= 500) return "Error"
  return status === 429 || (status === 401 && path.endsWith("/token")) ? "Warn" : "Info"
}

/** What an outage or a loop of a client answers thousands of times a second. */
const isSampled = (status: number): boolean => status === 429 || status === 503

/**
 * Counts and logs an answered request. `started` is in epoch milliseconds. Of answers 429 and 503, `sample` chooses those that have a
 * line.
 */
export const observe = (
  request: HttpServerRequest.HttpServerRequest,
  { status }: HttpServerResponse.HttpServerResponse,
  started: number,
  { caller, code, companyId, route }: RequestFacts,
  sample: ReturnType<typeof LogSample.make>
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const ms = now - started
    const series = { method: methods.has(request.method) ? request.method : "other", route: route ?? "none" }
    yield* Metric.update(Metrics.requests.at({ ...series, status: String(status), code: code ?? "OK" }), 1)
    yield* Metric.update(Metrics.requestDuration.at(series), ms / 1000)
    const path = pathForLog(request.url)
    const level = levelOf(path, status)
    if (!(yield* LogLevel.isEnabled(level))) return
    const sampled = isSampled(status) ? sample(`${status} ${code} ${caller}`, now) : ({ isWritten: true } as const)
    if (!sampled.isWritten) return
    const leftOut = "leftOut" in sampled ? sampled.leftOut : 0
    yield* Effect.logWithLevel(level)(`${request.method} ${path} ${status} ${ms} ms`).pipe(
      Effect.annotateLogs({
        method: request.method,
        path,
        status,
        ms,
        ...(route === undefined ? {} : { route }),
        ...(code === undefined ? {} : { code }),
        ...(caller === undefined ? {} : { caller }),
        ...(companyId === undefined ? {} : { company_id: companyId }),
        ...(leftOut === 0 ? {} : { left_out: leftOut })
      })
    )
  })
