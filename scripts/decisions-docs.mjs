/**
 * Writes how many decisions each page has into docs/internals/decisions/README.md. With --check it exits 1 when a number is
 * stale or a page is not listed.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

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

const missing = readdirSync(folder).filter((name) => name !== "README.md" && !text.includes(`(${name})`))
for (const name of missing) console.error(`${fileURLToPath(page)} doesn't list ${name}`)
if (missing.length > 0) process.exit(1)

if (process.argv.includes("--check")) {
  if (written !== text) {
    console.error(`${fileURLToPath(page)} is stale: node scripts/decisions-docs.mjs`)
    process.exit(1)
  }
} else writeFileSync(page, written)
