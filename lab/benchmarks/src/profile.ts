/** `npm run lab -- profile order` measures a host's processor time per request, by layer. `--help` says more. */
import "@crossdock/cli/NodeVersion"
import * as CommandLine from "@crossdock/system-tests/CommandLine"
import * as ProfiledContender from "./ProfiledContender.ts"
import * as products from "./products.ts"
import { round, scenarios, usualClients } from "./Scenarios.ts"

const seeded = 10_000
const all = [...scenarios(seeded), products.scenario]
const options = await CommandLine.optionsOf({
  name: "profile",
  does: `Shows where a host's processor time of one request goes, by layer, and the statements and files of it. Scenarios: ${all.map(({ name }) => name).join("; ")}.`,
  options: {
    scenario: CommandLine.words("scenario", "order create", "the scenario, by a part of its name"),
    clients: CommandLine.wholeOrNone("clients", 0, "connections; 0 is the scenario's own number"),
    requests: CommandLine.whole("requests", 2_000, "requests that are measured"),
    functions: CommandLine.wholeOrNone("functions", 0, "functions listed, by their own time")
  }
})
const found = all.find(({ name }) => name.includes(options.scenario))
if (found === undefined) {
  process.stderr.write(`No scenario's name contains ${options.scenario}\n`)
  process.exit(2)
}
const scenario = {
  ...found,
  clients: options.clients || (found.clients ?? usualClients),
  requests: options.requests
}

interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  readonly children?: ReadonlyArray<number>
}

interface Profile {
  readonly nodes: ReadonlyArray<ProfileNode>
  readonly samples: ReadonlyArray<number>
  readonly timeDeltas: ReadonlyArray<number>
}

const { ask, contender } = await ProfiledContender.start(seeded)

/** The layer of a frame. It is undefined for built-in functions, whose time belongs to their caller. */
const layerOf = ({ functionName, url }: ProfileNode["callFrame"]): string | undefined => {
  if (functionName === "(garbage collector)") return "garbage collector"
  if (functionName === "(program)" || functionName === "(idle)" || functionName === "(root)") return functionName
  if (url === "") return undefined
  if (url.startsWith("node:")) return "Node"
  const effect = /node_modules\/(?:effect|@effect\/[^/]+)\/dist\/(\w[\w-]*\/|)/.exec(url)?.[1]
  if (effect !== undefined) return `effect/${["internal/", ""].includes(effect) ? "" : effect}`
  if (url.includes("/better-sqlite3/") || url.endsWith("/SqliteConnection.js") || url.endsWith("/ProfiledHost.js"))
    return "SQLite"
  return /packages\/([\w-]+)\/dist/.exec(url)?.[1] ?? "other"
}

await round(contender, { ...scenario, requests: scenario.warmUp })
const files = await ProfiledContender.filesEntered({ ask, contender }, scenario)
await round(contender, scenario, () => ask("count"))
const { statements } = await ask<{
  readonly statements: ReadonlyArray<readonly [string, { readonly count: number; readonly micros: number }]>
}>("counts")
const { perSecond } = await round(contender, scenario, () => ask("begin"))
const { cpu, profile } = await ask<{ readonly cpu: number; readonly profile: Profile }>("end")
await contender.stop()

const layers = new Map<string, number>()
const functions = new Map<string, number>()
const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
const parents = new Map(profile.nodes.flatMap(({ children = [], id }) => children.map((child) => [child, id] as const)))
const layerAt = (id: number | undefined): string => {
  const node = id === undefined ? undefined : nodes.get(id)
  return node === undefined ? "other" : (layerOf(node.callFrame) ?? layerAt(parents.get(node.id)))
}
const add = (sums: Map<string, number>, key: string, micros: number) => sums.set(key, (sums.get(key) ?? 0) + micros)
for (const [at, id] of profile.samples.entries()) {
  const micros = profile.timeDeltas[at] ?? 0
  const layer = layerAt(id)
  if (layer === "(idle)") continue
  add(layers, layer, micros)
  const frame = nodes.get(id)?.callFrame
  if (frame !== undefined)
    add(
      functions,
      `${frame.functionName || "(anonymous)"} ${frame.url.split("/").slice(-3).join("/")}:${frame.lineNumber + 1}`,
      micros
    )
}
const { requests } = scenario
const total = [...layers.values()].reduce((sum, micros) => sum + micros, 0)
const descending = (sums: Map<string, number>) => [...sums].sort(([, a], [, b]) => b - a)
const write = (line: string) => process.stdout.write(`${line}\n`)
write(
  `${scenario.name}: ${Math.round(perSecond)} per second while profiled, ${(cpu / requests).toFixed(2)} ms of processor time each\n`
)
write(`${"layer".padEnd(22)}${"ms".padStart(8)}${"share".padStart(8)}`)
for (const [layer, micros] of descending(layers))
  write(
    `${layer.padEnd(22)}${(micros / 1000 / requests).toFixed(3).padStart(8)}${`${Math.round((100 * micros) / total)} %`.padStart(8)}`
  )
for (const [name, micros] of descending(functions).slice(0, options.functions))
  write(`${(micros / 1000 / requests).toFixed(4)}  ${name}`)
const perRequest = (of: "count" | "micros") => statements.reduce((sum, [, one]) => sum + one[of], 0) / requests
write(`\n${perRequest("count").toFixed(1)} statements a request, ${Math.round(perRequest("micros"))} microseconds:`)
for (const [text, { count, micros }] of statements)
  write(
    `${(count / requests).toFixed(2)} ${String(Math.round(micros / requests)).padStart(5)}  ${text.replaceAll(/\s+/g, " ").trim().slice(0, 120)}`
  )
write(`\n${files.length} files entered: ${files.join(", ")}`)
process.exit(0)
