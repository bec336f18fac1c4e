import { existsSync, globSync, statfsSync } from "node:fs"
import type { TestProjectInlineConfiguration } from "vitest/config"
import { installTools } from "./lab/tools/install.mjs"
import { bundleCommand } from "./scripts/bundle-command.mjs"
import { generateSources } from "./scripts/generated-sources.mjs"
import { slowTests } from "./slow-tests.ts"

// `@crossdock/source` lets tests run on the packages' source, without a build.
const conditions = ["@crossdock/source"]

// One real PostgreSQL for the whole run.
const globalSetup = ["lab/postgres/src/PostgresGlobalSetup.ts"]

// @effect/sql-sqlite-node 4.0.0-beta.102 imports `effect/unstable/…`, which Effect 4.1 has as `effect/…`.
const alias = [{ find: /^effect\/unstable\//, replacement: "effect/" }]
const server = { deps: { inline: ["@effect/sql-sqlite-node"] } }

/** `npm run test:slow` runs the slow tests, `SLOW=also` all of them. A file that the command names runs in any case. */
const { SLOW } = process.env
const isNamed = (file: string): boolean => process.argv.some((name) => name.endsWith(".test.ts") && file.endsWith(name))
const slow = Object.values(slowTests).flat()

// Databases of tests are in memory where there is room: a sixth of the time went to the disk.
const memory = "/dev/shm"
if (process.env.TMPDIR === undefined && existsSync(memory)) {
  const { bavail, bsize } = statfsSync(memory)
  if (bavail * bsize > 4e9) process.env.TMPDIR = memory
}

installTools("test")
generateSources()
if (existsSync("packages/cli/dist/main.js")) await bundleCommand()
if (SLOW !== undefined) for (const tools of ["runtimes", "applications", "browser"]) installTools(tools)

const missing = slow.filter((file) => !existsSync(file))
if (missing.length > 0) throw new Error(`slow-tests.ts names files that don't exist: ${missing.join(", ")}`)

/** Of the files that these patterns match, those of this run. */
const ofThisRun = (patterns: ReadonlyArray<string>) =>
  globSync(patterns, { exclude: ["**/node_modules/**"] }).filter(
    (file) => SLOW === "also" || isNamed(file) || slow.includes(file) === (SLOW !== undefined)
  )

const project = (
  name: string,
  include: ReadonlyArray<string>,
  setup: ReadonlyArray<string> = globalSetup
): TestProjectInlineConfiguration => ({
  resolve: { conditions, alias },
  ssr: { resolve: { conditions } },
  // Vitest loads `globalSetup` in an environment of its own.
  environments: { __vitest__: { resolve: { conditions } } },
  test: {
    name,
    include: [...include],
    // Only a test that hangs takes this long, even on a busy machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // Modules are loaded once a worker instead of once a file; no test mocks one or changes its state.
    isolate: false,
    // V8 of Node 24.21 ends a process in rare runs, with "Check failed: jit_page.has_value()", when it replaces the wrapper of a function
    // that WebAssembly has called 1,000 times, such as those of `fetch`.
    execArgv: ["--wasm-wrapper-tiering-budget=2147483647"],
    globalSetup: [...setup],
    setupFiles: ["packages/kernel/test/runs.ts"],
    server
  }
})

const rulesAlone = project("rules-alone", ofThisRun(["examples/rules-alone/test/**/*.test.ts"]))

/**
 * The tests of the interfaces that need nothing of their host but its answers. The others look into its database, choose its
 * settings, need a proxy or Chinese fonts, or send what this client of HTTP can't.
 */
const overHttp =
  "packages/http/test/{Audit,Billing,CatalogReads,ErrorCodes,Facts,Listings,OpenApiDocuments,Orders,OwnPages,Products,QueryParameters,Returns,Sentences,ShipmentReads,ShipmentTrail,Shipments,StockAndPrices}.test.ts"

export default [
  project(
    "all",
    ofThisRun(["packages/*/test/**/*.test.ts", "lab/*/test/**/*.test.ts", "examples/!(rules-alone)/test/**/*.test.ts"])
  ),
  // The rules need no database, so their tests start none.
  { ...rulesAlone, test: { ...rulesAlone.test, globalSetup: [] } },
  ...(SLOW !== undefined ? [project("worker", globSync(overHttp), ["examples/worker/test/HttpWorkerSetup.ts"])] : []),
  // `npm run lab -- matrix`
  ...(process.env.MATRIX === undefined
    ? []
    : ["bun", "deno"].map((name) => project(name, globSync(overHttp), ["examples/worker/test/HttpRuntimeSetup.ts"])))
]
