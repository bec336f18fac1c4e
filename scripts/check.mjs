/**
 * `npm run check`: types, format, the rules of the code, and that every generated document is what its generator makes. With
 * `--write` (`npm run docs`) it builds and writes the documents instead. Exits 1 with every fault.
 *
 * Each step is a module that exports `documents` (texts by path), `leftovers` (paths of files that should not be there) or
 * `faults` (sentences).
 */
import { execFile } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { installTools } from "../lab/tools/install.mjs"

const root = fileURLToPath(new URL("../", import.meta.url))
const isWriting = process.argv.includes("--write")

/** Later ones read what earlier ones write. */
const generators = [
  "client-contracts",
  "packages-docs",
  "guide-docs",
  "decisions-docs",
  "lifecycle-docs",
  "command-line-docs",
  "catalog-rules-docs",
  "settings-docs",
  "error-docs",
  "metrics-docs",
  "event-docs",
  "messages-docs",
  "reference-docs",
  "reference-pages",
  "collections",
  "coverage",
  "bundles"
]
const rules = ["import-rules", "glossary", "reference-check", "examples-check", "examples"]

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

/** Runs one step, prints its time and faults, and returns how many it found. */
const timed = async (name, run) => {
  const began = performance.now()
  const faults = await run()
  console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(5)} s  ${name}`)
  for (const fault of faults) console.error(fault)
  return faults.length
}

/** Runs another program. If it fails, what it printed is its one fault. */
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

const inTurn = async (names) => {
  let found = 0
  for (const name of names) found += await step(name)
  return found
}

installTools("test")
process.chdir(root)
const built = await program("tsc", "-b")
const found =
  built > 0
    ? [built]
    : isWriting
      ? [await inTurn(generators)]
      : await Promise.all([
          program("tsc", "-p", "tsconfig.test.json"),
          program("biome", "ci", "--colors=off", "."),
          inTurn([...rules, ...generators])
        ])
// Servers that an example started would keep the process alive.
process.exit(found.some((faults) => faults > 0) ? 1 : 0)
