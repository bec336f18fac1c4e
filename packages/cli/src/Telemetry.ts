/** Exports traces, metrics and logs over OTLP, as the standard variables say. Without an endpoint, no exporter is loaded. */
import { Metrics } from "@crossdock/kernel"
import { Config, ConfigProvider, Effect, Layer, Option, Random, Tracer } from "effect"
import type { Environment } from "./Terminal.ts"
import { reader, word } from "./Variable.ts"

const url = reader("be an http or https URL", (text) => (/^https?:\/\/[^\s/]+/.test(text) ? text : undefined))

/** Reads the headers of exports. An error doesn't show them, since they may contain a secret. */
const headers = reader("be pairs name=value, escaped as in a URL and separated by commas", (text) =>
  text.split(",").every((pair) => /^\s*[\w-]+=(?:[^%]|%[0-9a-f]{2})*$/i.test(pair)) ? text : undefined
)

const protocol = word("be http/protobuf or http/json", ["http/protobuf", "http/json"])

const sampler = word("be parentbased_always_on, always_on or parentbased_traceidratio", [
  "parentbased_always_on",
  "always_on",
  "parentbased_traceidratio"
])

const share = reader("be a number from 0 to 1", (text) =>
  /^(0(\.\d{1,9})?|1(\.0{1,9})?)$/.test(text) ? Number(text) : undefined
)

const truth = reader("be true or false", (text) =>
  /^(true|false)$/i.test(text) ? text.toLowerCase() === "true" : undefined
)

const signal = (name: string) =>
  Config.all([
    Config.option(url(`OTEL_EXPORTER_OTLP_${name}_ENDPOINT`)),
    Config.withDefault(word("be otlp or none", ["otlp", "none"])(`OTEL_${name}_EXPORTER`), "otlp")
  ])

/** Reads the variables of OpenTelemetry that could stop the host or be misunderstood. Effect's exporters read the others. */
export const settings = Config.map(
  Config.all({
    disabled: Config.withDefault(truth("OTEL_SDK_DISABLED"), false),
    endpoint: Config.option(url("OTEL_EXPORTER_OTLP_ENDPOINT")),
    traces: signal("TRACES"),
    metrics: signal("METRICS"),
    logs: signal("LOGS"),
    headers: Config.all(
      ["", "TRACES_", "METRICS_", "LOGS_"].map((name) => Config.option(headers(`OTEL_EXPORTER_OTLP_${name}HEADERS`)))
    ),
    protocol: Config.withDefault(protocol("OTEL_EXPORTER_OTLP_PROTOCOL"), "http/protobuf"),
    sampler: Config.withDefault(sampler("OTEL_TRACES_SAMPLER"), "parentbased_always_on"),
    sampledShare: Config.withDefault(share("OTEL_TRACES_SAMPLER_ARG"), 1)
  }),
  ({ disabled, endpoint, logs, metrics, protocol, sampledShare, sampler, traces }) => {
    const isOn = ([own, wanted]: typeof traces) =>
      !disabled && wanted === "otlp" && Option.isSome(Option.orElse(own, () => endpoint))
    const share = sampler === "parentbased_traceidratio" ? sampledShare : 1
    return { protocol, traces: isOn(traces), sampledShare: share, metrics: isOn(metrics), logs: isOn(logs) }
  }
)

/** The exporters' environment. By the specification, an endpoint turns signals on, and empty variables count as unset. */
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

/** Refreshes gauges for exports. Some gauges are computed only when they are read. */
const refreshing = Layer.effectDiscard(
  Effect.flatMap(Metrics.Gauges, ({ refresh }) =>
    Effect.forkScoped(Effect.forever(Effect.andThen(refresh, Effect.sleep("10 seconds"))))
  )
)

/** Exports this fraction of the traces that begin here. Traces that began elsewhere follow the decision of the caller. */
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

/** The exporters that `environment` selects. After an export fails, nothing is exported for a minute. */
export const layer = (
  {
    telemetry: { logs, metrics, protocol, sampledShare, traces }
  }: { readonly telemetry: Config.Success<typeof settings> },
  environment: Environment
): Layer.Layer<never> => {
  if (!logs && !metrics && !traces) return Layer.empty
  return Layer.unwrap(
    Effect.promise(async () => {
      const [{ Otlp, OtlpSerialization }, { layerNodeHttp }] = await Promise.all([
        import("effect/observability"),
        import("@effect/platform-node/NodeHttpClient")
      ])
      return Layer.merge(
        sampledShare < 1 ? sampling(sampledShare) : Layer.empty,
        metrics ? refreshing : Layer.empty
      ).pipe(
        Layer.provideMerge(Otlp.layerFromConfig({ loggerMergeWithExisting: true })),
        Layer.provide(protocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf),
        Layer.provide(layerNodeHttp),
        Layer.provide(provided(environment))
      )
    })
  ) as Layer.Layer<never>
}
