/**
 * Runs the `sh` blocks of a guide as they are written, in their order.
 */
import { spawn } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as TestCommand from "../../../lab/system-tests/test/TestCommand.ts"

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Blocks that begin with "sh no-run" are not among them. */
export const blocksOf = (guide: string): ReadonlyArray<string> =>
  [...readFileSync(fileOf(`../../../docs/guides/${guide}.md`), "utf8").matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(
    ([, block = ""]) => block
  )

export const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" ? (address?.port ?? 0) : 0
      server.close(() => resolve(port))
    })
  })

/** Runs a script in a folder that has the program `crossdock`; whatever it started in the background ends with it. */
export const bash = (script: string, folder: string, environment: Readonly<Record<string, string>>) => {
  mkdirSync(join(folder, "node_modules/@crossdock"), { recursive: true })
  const cli = join(folder, "node_modules/@crossdock/cli")
  if (!existsSync(cli)) symlinkSync(fileOf("../"), cli)
  const program = `#!/bin/sh\nexec ${process.execPath} ${fileOf("../bin/crossdock.js")} "$@"\n`
  writeFileSync(join(folder, "crossdock"), program, { mode: 0o755 })
  const PATH = `${folder}:${process.execPath.replace(/\/node$/, "")}:${process.env.PATH}`
  return new Promise<{ readonly code: number | null; readonly output: string }>((resolve) => {
    const child = spawn(
      "bash",
      ["--norc", "-c", `set -eo pipefail; trap 'kill $(jobs -p) 2> /dev/null || true; wait' EXIT\n${script}`],
      {
        cwd: folder,
        env: { ...TestCommand.compileCache, PATH, ...environment }
      }
    )
    let output = ""
    const collect = (text: Buffer) => {
      output += text
    }
    child.stdout.on("data", collect)
    child.stderr.on("data", collect)
    child.once("close", (code) => resolve({ code, output }))
  })
}
