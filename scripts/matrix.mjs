/**
 * `npm run lab -- matrix` runs every law on every storage, and the HTTP tests on every runtime.
 * It exits with 1 if a test failed or if there were no tests. Laws about documented gaps of a storage are skipped.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { everyLaw } from "../packages/storage-laws/dist/EveryLaw.js"
import { nodeOf, versions } from "./nodes.mjs"

const folder = mkdtempSync(join(tmpdir(), "crossdock-matrix-"))
const outputFile = join(folder, "report.json")

/** All tests of a vitest run. `MATRIX` adds the projects of Bun and Deno. */
const testsOf = (args, [command, ...before] = ["node"]) => {
  rmSync(outputFile, { force: true })
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--reporter=json", `--outputFile=${outputFile}`, ...args]
  const { stderr } = spawnSync(command, [...before, ...vitest], {
    encoding: "utf8",
    env: { ...process.env, MATRIX: "1", SLOW: "also" },
    maxBuffer: 1 << 30
  })
  try {
    return JSON.parse(readFileSync(outputFile, "utf8")).testResults.flatMap(({ assertionResults }) => assertionResults)
  } catch {
    console.error(stderr)
    return []
  }
}

let isGreen = true

const show = (what, where, tests, each = 1) => {
  const count = (...outcomes) => each * tests.filter(({ status }) => outcomes.includes(status)).length
  const [passed, failed] = [count("passed"), count("failed")]
  console.log(
    `${what.padEnd(6)}${where.padEnd(60)}${passed} passed, ${failed} failed, ${count("pending", "skipped")} skipped`
  )
  for (const { fullName, status } of tests) if (status === "failed") console.error(`  FAILED ${fullName}`)
  isGreen &&= passed > 0 && failed === 0
}

const groups = {
  "packages/storage-memory/test/StorageMemory.test.ts": undefined,
  "packages/storage-sql/test/StorageSqlite.test.ts": undefined,
  "packages/storage-sql/test/StoragePostgres.test.ts": undefined,
  "packages/storage-sql/test/SqliteDrivers.test.ts": undefined,
  "packages/storage-sql/test/PostgresLocale.test.ts": undefined,
  "packages/storage-sql/test/ApplicationStorage.test.ts": undefined,
  "packages/storage-sql/test/OwnStock.test.ts": "stock group on a database of its own",
  "packages/storage-sql/test/ApplicationStock.test.ts": "stock group in a table of the program's",
  "examples/existing-backend/test/laws.test.ts": "stock group on a shop's own tables",
  "examples/worker/test/StorageDurableObject.test.ts": undefined
}

for (const [file, name] of Object.entries(groups)) {
  const laws = testsOf([file]).filter(({ ancestorTitles }) =>
    ancestorTitles.some((suite) => /^(Storage laws: |Laws of )/.test(suite))
  )
  for (const [where, tests] of Map.groupBy(laws, ({ ancestorTitles: [suite] }) => name ?? suite.slice(14)))
    show("laws", where, tests)
  if (laws.length === 0) show("laws", file, [])
}
for (const [where, file] of [
  ["SQLite of Bun", "examples/bun"],
  ["SQLite of Deno", "examples/deno"]
]) {
  const laws = testsOf([file]).filter(({ title }) => title.startsWith("keeps every law"))
  show("laws", where, laws, everyLaw.length)
}

for (const version of versions) {
  show("HTTP", `Node ${version}`, testsOf(["--project=all", "packages/http"], nodeOf(version)))
}
for (const [where, project] of [
  ["Bun", "bun"],
  ["Deno", "deno"],
  ["workerd", "worker"]
])
  show("HTTP", where, testsOf([`--project=${project}`]))

rmSync(folder, { recursive: true, force: true })
process.exit(isGreen ? 0 : 1)
