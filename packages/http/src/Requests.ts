/**
 * What the host says of its requests: counters for Prometheus, and a line in the log. Neither holds a query, a header or
 * a body.
 */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import * as MetricKey from "effect/MetricKey"
import * as MetricLabel from "effect/MetricLabel"

const total = MetricKey.counter("crossdock_http_requests_total", {
  description: "Requests answered, by method and class of status",
  incremental: true
})

const duration = Metric.histogram(
  "crossdock_http_request_duration_seconds",
  MetricBoundaries.fromIterable([0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]),
  "Time from the request's arrival to its answer"
)

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
const classes = ["1xx", "2xx", "3xx", "4xx", "5xx"]

/**
 * Made once, each with its labels in its key: to tag a metric for every request would cost more than to count.
 */
const counters = new Map(
  methods.flatMap((method) =>
    classes.map((status) => [
      `${method} ${status}`,
      Metric.fromMetricKey(
        MetricKey.taggedWithLabels(total, [MetricLabel.make("method", method), MetricLabel.make("status", status)])
      )
    ])
  )
)

/**
 * A link that is a secret by itself, such as a confirm page's, is no word for a log.
 */
export const isSecretPath = (path: string): boolean => /\/[0-9a-f]{64}(?:[/?#]|$)/.test(path)

const shown = (url: string): string => (isSecretPath(url) ? "[secret path]" : (url.split("?")[0] ?? url))

export const observe = (
  request: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse,
  millis: number
): Effect.Effect<void> =>
  Effect.suspend(() => {
    counters.get(`${request.method} ${Math.floor(response.status / 100)}xx`)?.unsafeUpdate(1, [])
    duration.unsafeUpdate(millis / 1000, [])
    return Effect.logDebug(`${request.method} ${shown(request.url)} ${response.status} ${millis} ms`)
  })
