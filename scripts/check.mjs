/**
 * `npm run check` checks types, format, rules, and that generated documents are up to date. Names of steps select steps.
 * With `--write` (`npm run docs`) it builds, and writes the documents. If there are faults, it prints them and exits with 1.
 *
 * A step exports `documents` (texts by path), `leftovers` (files that should not exist) or `faults` (sentences).
 */
import { execFile } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { installTools } from "../lab/tools/install.mjs"
import { bundleCommand } from "./bundle-command.mjs"
import { generateSources } from "./generated-sources.mjs"

const root = fileURLToPath(new URL("../", import.meta.url))
const isWriting = process.argv.includes("--write")

/** The generators in order: later ones read the output of earlier ones. */
const generators = [
  "packages-docs",
  "guide-docs",
  "lifecycle-docs",
  "concepts-docs",
  "command-line-docs",
  "catalog-rules-docs",
  "settings-docs",
  "error-docs",
  "metrics-docs",
  "event-docs",
  "reference-docs",
  "site"
]
const rules = [
  "import-rules",
  "glossary",
  "reference-check",
  "coverage",
  "rules-check",
  "bundles",
  "examples-check",
  "examples"
]

const textOf = (path) => (existsSync(path) ? readFileSync(path, "utf8") : undefined)

const write = (documents, leftovers) => {
  for (const path of leftovers) rmSync(join(root, path))
  for (const [path, text] of Object.entries(documents)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}

const stale = (documents, leftovers) => [
  ...leftovers,
  ...Object.entries(documents).flatMap(([path, text]) => (textOf(join(root, path)) === text ? [] : [path]))
]

const found = []

const timed = async (name, run) => {
  const began = performance.now()
  found.push(...(await run()))
  process.stdout.write(`${((performance.now() - began) / 1000).toFixed(1).padStart(5)} s  ${name}\n`)
}

/** Runs another program. If the program fails, its output is one fault. */
const program = (command, ...args) =>
  timed(
    [command, ...args].join(" "),
    () =>
      new Promise((resolve) => {
        execFile(command, args, { cwd: root, maxBuffer: 1e8 }, (error, stdout, stderr) =>
          resolve(error === null ? [] : [`${stdout}${stderr}`.trim() || error.message])
        )
      })
  )

const step = (name) =>
  timed(name, async () => {
    const { documents = {}, faults = [], leftovers = [] } = await import(`./${name}.mjs`)
    if (isWriting) write(documents, leftovers)
    return isWriting
      ? faults
      : [...faults, ...stale(documents, leftovers).map((path) => `${path} is stale: npm run docs`)]
  })

const asked = process.argv.slice(2).filter((name) => !name.startsWith("--"))

const unknown = asked.filter((name) => ![...rules, ...generators].includes(name))
if (unknown.length > 0) {
  process.stderr.write(`There is no check ${unknown.join(", ")}. The checks: ${[...rules, ...generators].join(", ")}\n`)
  process.exit(1)
}

const inTurn = async (names) => {
  for (const name of names) if (asked.length === 0 || asked.includes(name)) await step(name)
}

installTools("test")
generateSources()
process.chdir(root)
// The logs of examples aren't faults, and would hide real faults.
console.log = () => {}
await program("tsc", "-b", "--builders", "4", "--checkers", "1")
await bundleCommand()
if (found.length === 0) {
  await (isWriting
    ? inTurn(generators)
    : Promise.all([
        ...(asked.length === 0
          ? [program("tsc", "-p", "tsconfig.test.json", "--checkers", "1"), program("biome", "ci", "--colors=off", ".")]
          : []),
        inTurn([...rules, ...generators])
      ]))
}
process.stderr.write(found.map((fault) => `${fault}\n`).join(""))
if (found.length > 0)
  process.stderr.write(`Faults: ${found.length}. npm run format mends the format, npm run docs what is stale.\n`)
// Servers that examples start would keep the process alive.
process.exit(found.length > 0 ? 1 : 0)
