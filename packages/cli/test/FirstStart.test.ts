import { spawn } from "node:child_process"
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as PostgresDatabase from "@crossdock/storage-laws/PostgresDatabase"
import type {} from "@crossdock/storage-laws/PostgresGlobalSetup"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Effect, Redacted } from "effect"
import { inject } from "vitest"
import { temporaryFolder } from "../../http/test/TemporaryFolder.ts"
import * as TestCommand from "../../system-tests/test/TestCommand.ts"

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const guide = readFileSync(fileOf("../../../docs/guides/first-start.md"), "utf8")
const blocks = [...guide.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block)

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" ? (address?.port ?? 0) : 0
      server.close(() => resolve(port))
    })
  })

/** Runs a script in a folder; whatever it started in the background ends with it. */
const bash = (script: string, folder: string, environment: Readonly<Record<string, string>>) =>
  new Promise<{ readonly code: number | null; readonly output: string }>((resolve) => {
    const child = spawn("bash", ["-c", `set -eo pipefail; trap 'kill $(jobs -p); wait' EXIT\n${script}`], {
      cwd: folder,
      env: { ...TestCommand.compileCache, ...environment }
    })
    let output = ""
    const collect = (text: Buffer) => {
      output += text
    }
    child.stdout.on("data", collect)
    child.stderr.on("data", collect)
    child.once("close", (code) => resolve({ code, output }))
  })

describe("docs/guides/first-start.md", () => {
  const folder = temporaryFolder()

  it("leads from an empty PostgreSQL to a first order by commands alone", () =>
    PostgresDatabase.make(inject("postgres")).pipe(
      Effect.tap((url) =>
        Effect.promise(async () => {
          mkdirSync(join(folder, "node_modules/@crossdock"), { recursive: true })
          symlinkSync(fileOf("../"), join(folder, "node_modules/@crossdock/cli"))
          const program = `#!/bin/sh\nexec ${process.execPath} ${fileOf("../dist/main.js")} "$@"\n`
          writeFileSync(join(folder, "crossdock"), program, { mode: 0o755 })
          const script = blocks.join("\n").replaceAll("8080", String(await freePort()))
          const PATH = `${folder}:${process.execPath.replace(/\/node$/, "")}:${process.env.PATH}`
          const { code, output } = await bash(script, folder, { PATH, DATABASE_URL: Redacted.value(url) })
          const order = readFileSync(join(folder, "orders.jsonl"), "utf8").trim().split("\n")
          deepStrictEqual([code, order.length, output.match(/FAULT|Error:|\n\s+at .*/g)], [0, 1, null])
          deepStrictEqual(JSON.parse(order[0] ?? "").marketplace, "night-market")
          deepStrictEqual(output.match(/^(on hand|reserved) +\d+/gm), ["on hand     25", "reserved    2"])
        }).pipe(Effect.asVoid)
      ),
      Effect.scoped,
      Effect.runPromise
    ))
})
