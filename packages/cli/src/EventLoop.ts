/**
 * How late the process's event loop is, as Node's own histogram measures it.
 */
import { monitorEventLoopDelay } from "node:perf_hooks"
import { Metrics } from "@crossdock/kernel"
import { Effect, Layer, Metric } from "effect"

/** Milliseconds between two samples. An idle loop is this late for the histogram, so it is taken off. */
const resolution = 20

const seconds = (nanos: number): number => Math.max(0, nanos / 1e9 - resolution / 1e3)

const quantiles = { "0.5": 50, "0.99": 99, "1": 100 } as const

/** Keeps the gauge of the event loop's delay, each reading since the one before. */
export const layer: Layer.Layer<never> = Layer.effectDiscard(
  Effect.gen(function* () {
    const delay = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const histogram = monitorEventLoopDelay({ resolution })
        histogram.enable()
        return histogram
      }),
      (histogram) => Effect.sync(() => histogram.disable())
    )
    const { add } = yield* Metrics.Gauges
    yield* add(
      Effect.gen(function* () {
        for (const [quantile, percent] of Object.entries(quantiles)) {
          // Nothing was measured yet.
          const value = delay.count === 0 ? 0 : seconds(delay.percentile(percent))
          yield* Metric.update(Metrics.eventLoopDelay.at({ quantile }), value)
        }
        delay.reset()
      })
    )
  })
)
