/**
 * Writes docs/internals/coverage.md: which test shows each statement of docs/reference. The rows are in coverage-rows.json; a
 * row's `source` is a page of the reference and its anchor, such as `stock#record`.
 */
import { readdirSync, readFileSync } from "node:fs"

const root = new URL("../", import.meta.url)
const rows = JSON.parse(readFileSync(new URL("coverage-rows.json", import.meta.url), "utf8"))

const testFiles = ["packages", "lab", "examples"].flatMap((folder) =>
  readdirSync(new URL(folder, root), { recursive: true })
    .filter((name) => /(\.test|^storage-laws\/src\/\w+Laws)\.ts$/.test(name) && !name.includes("node_modules"))
    .map((name) => `${folder}/${name}`)
)

/** `it("…"`, `it.effect("…"`, `prop("…"`, `law("…"` and the like; the title may be on the next line, and contain escaped quotes. */
const titlePattern = /\b(?:it(?:\.\w+)*|prop|law|concurrent)\(\s*(?:"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g

const titles = new Map()
for (const name of testFiles) {
  for (const [, quoted, template] of readFileSync(new URL(name, root), "utf8").matchAll(titlePattern)) {
    titles.set((quoted ?? template).replaceAll(/\\(.)/g, "$1"), name)
  }
}

const isLater = ({ test }) => test.startsWith("later")
const missing = rows.filter((row) => !isLater(row) && !titles.has(row.test))
const cell = (text) => text.replaceAll("|", "\\|")
const shown = (row) => (isLater(row) ? row.test : `${row.test} (${titles.get(row.test)?.split("/").at(-1)})`)
/** `stock#record` as a link into the reference. */
const reference = ({ source }) => {
  const [page, anchor = ""] = source.split("#")
  const name = anchor.startsWith(`${page}-`) ? anchor.slice(page.length + 1) : anchor
  return `[${page}: ${name.replaceAll("-", " ")}](../reference/${page}.md#${anchor})`
}
const covered = rows.filter((row) => !isLater(row)).length

const text = `# What shows it

Written by \`npm run docs\` from \`scripts/coverage-rows.json\`; don't edit it. Each row is a statement of the
[reference](../reference/README.md), with the title of a test that fails when it is not true. "later" names the part of
the project that a row comes with.

${covered} of ${rows.length} rows have a test.

| reference | what | test |
| --- | --- | --- |
${rows.map((row) => `| ${reference(row)} | ${cell(row.what)} | ${cell(shown(row))} |`).join("\n")}
`

export const documents = { "docs/internals/coverage.md": text }

export const faults = missing.map(({ test, what }) => `No test has the title "${test}" (${what})`)
