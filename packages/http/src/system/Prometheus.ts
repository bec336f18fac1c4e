/**
 * The runtime's metrics as Prometheus text (exposition format 0.0.4).
 */
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type * as MetricPair from "effect/MetricPair"
import * as MetricState from "effect/MetricState"
import * as Option from "effect/Option"

const escaped = (text: string): string => text.replace(/[\\"\n]/g, (c) => (c === "\n" ? "\\n" : `\\${c}`))

const labels = (pairs: ReadonlyArray<readonly [string, string]>): string =>
  pairs.length === 0 ? "" : `{${pairs.map(([name, value]) => `${name}="${escaped(value)}"`).join(",")}}`

interface Family {
  readonly type: string
  readonly lines: ReadonlyArray<string>
}

const family = (name: string, tags: ReadonlyArray<readonly [string, string]>, state: unknown): Family => {
  if (MetricState.isCounterState(state)) return { type: "counter", lines: [`${name}${labels(tags)} ${state.count}`] }
  if (MetricState.isGaugeState(state)) return { type: "gauge", lines: [`${name}${labels(tags)} ${state.value}`] }
  if (MetricState.isHistogramState(state)) {
    const buckets = state.buckets.map(([bound, count]) => {
      const le = Number.isFinite(bound) ? String(bound) : "+Inf"
      return `${name}_bucket${labels([...tags, ["le", le]])} ${count}`
    })
    const sums = [`${name}_sum${labels(tags)} ${state.sum}`, `${name}_count${labels(tags)} ${state.count}`]
    return { type: "histogram", lines: [...buckets, ...sums] }
  }
  return { type: "untyped", lines: [] }
}

/**
 * Families by name, each with its help and type once.
 */
export const text = (pairs: ReadonlyArray<MetricPair.MetricPair.Untyped>): string => {
  const families = new Map<string, { readonly head: ReadonlyArray<string>; readonly lines: Array<string> }>()
  for (const { metricKey, metricState } of pairs) {
    const name = metricKey.name.replace(/[^A-Za-z0-9_:]/g, "_")
    const { lines, type } = family(
      name,
      metricKey.tags.map((tag) => [tag.key, tag.value]),
      metricState
    )
    if (lines.length === 0) continue
    const help = Option.getOrElse(metricKey.description, () => name)
    const known = families.get(name) ?? {
      head: [`# HELP ${name} ${help.replaceAll("\n", " ")}`, `# TYPE ${name} ${type}`],
      lines: []
    }
    known.lines.push(...lines)
    families.set(name, known)
  }
  return [...families.values()].flatMap(({ head, lines }) => [...head, ...lines, ""]).join("\n")
}

export const response = Effect.map(Metric.snapshot, (pairs) =>
  HttpServerResponse.text(text(pairs), { contentType: "text/plain; version=0.0.4; charset=utf-8" })
)
