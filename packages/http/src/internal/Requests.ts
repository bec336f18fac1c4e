/**
 * Metrics and a log line for each request. Neither contains a query, a header or a body.
 */

import { Metrics } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as LogLevel from "effect/LogLevel"
import * as References from "effect/References"
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
const levelOf = (url: string, status: number): "Info" | "Warn" | "Error" => {
  if (status === 503) return "Warn"
  if (status >= 500) return "Error"
  return status === 429 || (status === 401 && pathForLog(url).endsWith("/token")) ? "Warn" : "Info"
}

const unsampled = { isWritten: true, leftOut: 0 } as const

/** What an outage or a loop of a client answers thousands of times a second. */
const isSampled = (status: number): boolean => status === 429 || status === 503

/**
 * Counts and logs an answered request, which came and was answered at these times in epoch milliseconds. Of answers 429 and
 * 503, `sample` chooses those that have a line.
 */
export const observe = (
  { method, url }: HttpServerRequest.HttpServerRequest,
  status: number,
  started: number,
  answered: number,
  { caller, code, companyId, requestId, route }: RequestFacts,
  sample: ReturnType<typeof LogSample.make>
): Effect.Effect<void> =>
  Effect.withFiber(({ context }) => {
    const ms = answered - started
    const series = { method: methods.has(method) ? method : "other", route: route ?? "none" }
    const counted = { ...series, status: String(status), code: code ?? "OK" }
    Metrics.requests.at(counted).updateUnsafe(1, context)
    Metrics.requestDuration.at(series).updateUnsafe(ms / 1000, context)
    const level = levelOf(url, status)
    if (LogLevel.isLessThan(level, Context.get(context, References.MinimumLogLevel))) return Effect.void
    const sampled = isSampled(status) ? sample(`${status} ${code} ${caller}`, answered) : unsampled
    if (!sampled.isWritten) return Effect.void
    const path = pathForLog(url)
    return Effect.annotateLogs(Effect.logWithLevel(level)(`${method} ${path} ${status} ${ms} ms`), {
      request_id: requestId,
      method,
      path,
      status,
      ms,
      ...(route === undefined ? {} : { route }),
      ...(code === undefined ? {} : { code }),
      ...(caller === undefined ? {} : { caller }),
      ...(companyId === undefined ? {} : { company_id: companyId }),
      ...(sampled.leftOut === 0 ? {} : { left_out: sampled.leftOut })
    })
  })
