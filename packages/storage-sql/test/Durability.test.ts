import { spawnSync } from "node:child_process"
import { createRequire } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Directory } from "@crossdock/access"
import * as Fresh from "@crossdock/storage-laws/Fresh"
import { StorageSql } from "@crossdock/storage-sql"
import { it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { build, type Plugin } from "esbuild"
import { sqliteFile, temporaryFolder } from "./Databases.ts"

const fixture = (name: string) => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url))

const onFile = Layer.provideMerge(StorageSql.layer, sqliteFile)

const normal = 1

it.layer(onFile)("SQLite's settings", (it) => {
  it.effect("leave the wait for the disk to the log's own syncs", () =>
    Effect.gen(function* () {
      const [sql, directory] = [yield* SqlClient.SqlClient, yield* Directory]
      yield* directory.putCompanies([Fresh.company(yield* Fresh.companyId)])
      deepStrictEqual(yield* sql`PRAGMA journal_mode`, [{ journal_mode: "wal" }])
      deepStrictEqual(yield* sql`PRAGMA synchronous`, [{ synchronous: normal }])
    })
  )
})

/**
 * The driver is native and stays where it is; all else goes into one file, so that plain Node runs the sources.
 */
const driverStays: Plugin = {
  name: "driver",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^better-sqlite3$/ }, () => ({
      path: createRequire(import.meta.url).resolve("better-sqlite3"),
      external: true
    }))
}

const run = (command: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  Effect.sync(() => {
    const { status, stderr, stdout } = spawnSync(command, [...args], {
      encoding: "utf8",
      env: { ...process.env, ...env }
    })
    strictEqual(status, 0, stderr)
    return stdout
  })

const compiler = spawnSync("cc", ["--version"]).status === 0

// Needs a C compiler to look at a process's calls from outside.
it.live.skipIf(process.platform !== "linux" || !compiler)(
  "every commit to SQLite waits for the disk before it is answered",
  () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const [library, program, log] = [join(folder, "syncs.so"), join(folder, "commits.mjs"), join(folder, "log")]
      yield* run("cc", ["-shared", "-fPIC", "-o", library, fixture("countSyncs.c")])
      yield* Effect.promise(() =>
        build({
          entryPoints: [fixture("commits.ts")],
          outfile: program,
          bundle: true,
          platform: "node",
          format: "esm",
          conditions: ["@crossdock/source"],
          banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)" },
          plugins: [driverStays]
        })
      )
      const counts: ReadonlyArray<number> = JSON.parse(
        yield* run("node", [program, join(folder, "test.db"), log], { LD_PRELOAD: library, SYNC_LOG: log })
      )
      strictEqual(counts.length, 20)
      assertTrue(
        counts.every((count) => count >= 1),
        `syncs of each commit: ${counts}`
      )
    })
)
