/**
 * Writes how many decisions each page has into docs/internals/decisions/README.md.
 */
import { readdirSync, readFileSync } from "node:fs"

const folder = new URL("../docs/internals/decisions/", import.meta.url)
const page = new URL("README.md", folder)
const read = (url) => readFileSync(url, "utf8")

/** The rows of the page's tables, without their heads. */
const decisionsOf = (name) => {
  const rows = (read(new URL(name, folder)).match(/^\|.*$/gm) ?? []).filter((row) => !/^\|[-|]+$/.test(row))
  return rows.filter((row) => !row.startsWith("| Decision |")).length
}

const text = read(page)
const written = text.replace(
  /^(\| \[[^\]]+\]\(([^)]+)\) \|.*\|) \d+ \|$/gm,
  (_, row, name) => `${row} ${decisionsOf(name)} |`
)

export const documents = { "docs/internals/decisions/README.md": written }

export const faults = readdirSync(folder)
  .filter((name) => name !== "README.md" && !text.includes(`(${name})`))
  .map((name) => `docs/internals/decisions/README.md doesn't list ${name}`)
