/**
 * Writes the table of settings in docs/reference/host.md from their declarations. Run after a build: `node
 * scripts/settings-docs.mjs` writes the file, `--check` fails when it differs.
 */
import { readFileSync, writeFileSync } from "node:fs"
import * as Settings from "@crossdock/cli/Settings"

const file = new URL("../docs/reference/host.md", import.meta.url)
const text = readFileSync(file, "utf8")

const rows = Settings.variables.map(({ byDefault, meaning, name }) => `| \`${name}\` | ${byDefault} | ${meaning} |\n`)
const written = text.replace(
  /(## Settings\n[\s\S]*?\|---\|---\|---\|\n)(?:\|.*\n)+/,
  (_, before) => `${before}${rows.join("")}`
)
if (!process.argv.includes("--check")) writeFileSync(file, written)
else if (written !== text) {
  console.error("docs/reference/host.md is stale: npm run docs")
  process.exit(1)
}
