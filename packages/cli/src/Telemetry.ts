/**
 * Traces, metrics and logs over OTLP, as the standard variables say. Without an endpoint nothing of it is loaded.
 */
import { Metrics } from "@crossdock/kernel"
import { ConfigProvider, Effect, Layer, Option, Random, Tracer } from "effect"
import type { Settings } from "./Settings.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** By the specification an endpoint alone turns its signals on. An empty variable counts as unset. */
const provided = (environment: Environment) =>
  ConfigProvider.layer(
    ConfigProvider.fromUnknown({
      OTEL_SERVICE_NAME: "crossdock",
      OTEL_TRACES_EXPORTER: "otlp",
      OTEL_METRICS_EXPORTER: "otlp",
      OTEL_LOGS_EXPORTER: "otlp",
      ...Object.fromEntries(Object.entries(environment).filter(([, value]) => (value ?? "").trim() !== ""))
    })
  )

const load = Effect.promise(() => Promise.all([import("effect/observability"), import("effect/http")]))

/** The gauges that are read when somebody looks are also read for exports, which ask nobody. */
const refreshing = Layer.effectDiscard(
  Effect.flatMap(Metrics.Gauges, ({ refresh }) =>
    Effect.forkScoped(Effect.forever(Effect.andThen(refresh, Effect.sleep("10 seconds"))))
  )
)

/** Sends this share of the traces that begin here. One that began elsewhere follows its caller's decision. */
const sampling = (share: number) =>
  Layer.effect(
    Tracer.Tracer,
    Effect.gen(function* () {
      const [tracer, random] = [yield* Tracer.Tracer, yield* Random.Random]
      return Tracer.make({
        ...tracer,
        span: (options) => {
          const isChosen = Option.isSome(options.parent) || random.nextDoubleUnsafe() < share
          return tracer.span({ ...options, sampled: options.sampled && isChosen })
        }
      })
    })
  )

/**
 * The exporters that `environment` asks for, until the layer's scope ends; what they have by then is sent first. The logs are
 * sent besides being written. A receiver that fails is left alone for a minute, and what happens meanwhile is not sent.
 */
export const layer = (
  { telemetry: { logs, metrics, protocol, sampledShare, traces } }: Pick<Settings, "telemetry">,
  environment: Environment
): Layer.Layer<never> => {
  if (!logs && !metrics && !traces) return Layer.empty
  return Layer.unwrap(
    Effect.map(load, ([{ Otlp, OtlpSerialization }, { FetchHttpClient }]) =>
      Layer.merge(sampledShare < 1 ? sampling(sampledShare) : Layer.empty, metrics ? refreshing : Layer.empty).pipe(
        Layer.provideMerge(Otlp.layerFromConfig({ loggerMergeWithExisting: true })),
        Layer.provide(protocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf),
        Layer.provide(FetchHttpClient.layer),
        Layer.provide(provided(environment))
      )
    )
  ) as Layer.Layer<never>
}
