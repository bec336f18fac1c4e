/** Draws the packages in docs/architecture.md from their package.json, with the dependencies that others don't imply. */
import { readdirSync, readFileSync } from "node:fs"

const root = new URL("../", import.meta.url)
const page = new URL("docs/architecture.md", root)

const needs = new Map(
  readdirSync(new URL("packages/", root))
    .map((folder) => JSON.parse(readFileSync(new URL(`packages/${folder}/package.json`, root), "utf8")))
    .filter((one) => !one.private)
    .map((one) => [
      one.name.replace("@crossdock/", ""),
      Object.keys(one.dependencies ?? {}).flatMap((name) => /^@crossdock\/(.+)/.exec(name)?.[1] ?? [])
    ])
)

const reached = (name) => new Set(needs.get(name)?.flatMap((next) => [next, ...reached(next)]))

const direct = (name) => {
  const all = needs.get(name) ?? []
  const indirect = new Set(all.flatMap((next) => [...reached(next)]))
  return all.filter((next) => !indirect.has(next)).sort()
}

const arrows = [...needs.keys()].sort().flatMap((name) => {
  const to = direct(name)
  return to.length === 0 ? [] : [`  ${name} --> ${to.join(" & ")}`]
})

const text = readFileSync(page, "utf8")
const written = text.replace(
  /```mermaid\nflowchart LR\n[\s\S]*?```/,
  `\`\`\`mermaid\nflowchart LR\n${arrows.join("\n")}\n\`\`\``
)

export const documents = { "docs/architecture.md": written }
