/** Checks that the tests in coverage-rows.json exist. Its rows are rules of docs/reference, each with the title of its test. */
import { readdirSync, readFileSync } from "node:fs"

const root = new URL("../", import.meta.url)
const rows = Object.values(JSON.parse(readFileSync(new URL("coverage-rows.json", import.meta.url), "utf8")))

const testFiles = ["packages", "lab", "examples"].flatMap((folder) =>
  readdirSync(new URL(folder, root), { recursive: true })
    .filter((name) => /(\.test|^storage-laws\/src\/\w+Laws)\.ts$/.test(name) && !name.includes("node_modules"))
    .map((name) => `${folder}/${name}`)
)

/** Matches the start of a test, such as `it("…"`, `prop("…"` or `law("…"`. The title may be on the next line. */
const titlePattern =
  /\b(?:it(?:\.(?!skip\b|todo\b)\w+)*|prop|law|concurrent)\(\s*(?:"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g

/** The titles of all tests and laws. */
export const titles = new Set()
for (const name of testFiles) {
  for (const [, quoted, template] of readFileSync(new URL(name, root), "utf8").matchAll(titlePattern)) {
    titles.add((quoted ?? template).replaceAll(/\\(.)/g, "$1"))
  }
}

export const faults = rows
  .flatMap(Object.entries)
  .filter(([, test]) => !titles.has(test))
  .map(([what, test]) => `No test has the title "${test}" (${what})`)
