/** Writes the table of docs/reference/metrics.md from packages/kernel/src/Metrics.ts. */
import { readFileSync } from "node:fs"
import { Metrics } from "@crossdock/kernel"

const page = new URL("../docs/reference/metrics.md", import.meta.url)

const row = ({ labels, meaning, name, type, unit }) =>
  `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(", ") || "–"} | ${unit} | ${meaning} |`

const table = ["| Name | Type | Labels | Unit | Meaning |", "|---|---|---|---|---|", ...Metrics.all.map(row)].join("\n")
const text = readFileSync(page, "utf8")
const written = text.replace(
  /<!-- metrics -->[\s\S]*<!-- \/metrics -->/,
  () => `<!-- metrics -->\n\n${table}\n\n<!-- /metrics -->`
)

export const documents = { "docs/reference/metrics.md": written }
