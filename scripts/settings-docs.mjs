/** Writes the table of settings in docs/reference/host.md from their declarations. */
import { readFileSync } from "node:fs"
import * as Settings from "@crossdock/cli/Settings"

const file = new URL("../docs/reference/host.md", import.meta.url)
const text = readFileSync(file, "utf8")

const rows = Settings.variables.map(({ byDefault, meaning, name }) => `| \`${name}\` | ${byDefault} | ${meaning} |\n`)
const written = text.replace(
  /(## Settings\n[\s\S]*?\|---\|---\|---\|\n)(?:\|.*\n)+/,
  (_, before) => `${before}${rows.join("")}`
)
export const documents = { "docs/reference/host.md": written }
