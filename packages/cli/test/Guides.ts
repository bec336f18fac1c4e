/**
 * Runs the `sh` blocks of a guide as they are written, in their order.
 */
import { spawn } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as TestCommand from "../../../lab/system-tests/test/TestCommand.ts"
import * as InProcess from "./InProcess.ts"

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

const allOf = (text: string) => Buffer.from(text, "base64").toString("utf8")
const listOf = (text: string) => allOf(text).split("\0").slice(0, -1)
const encoded = (text: string) => Buffer.from(text).toString("base64")

/** Runs what the program of `bash` sends: arguments, environment and standard input, a line each. */
const commands = async () => {
  const server = createServer((socket) => {
    let received = ""
    socket.setEncoding("utf8").on("data", async (text) => {
      received += text
      const lines = received.split("\n")
      if (lines.length !== 4) return
      const [args = "", environment = "", input = ""] = lines
      const variables = listOf(environment).map((one) => [one.split("=", 1)[0], one.slice(one.indexOf("=") + 1)])
      const surroundings = { environment: Object.fromEntries(variables), input: allOf(input) }
      const { code, stderr, stdout } = await InProcess.run(listOf(args), surroundings)
      socket.end(`${code}\n${encoded(stdout)}\n${encoded(stderr)}\n`)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { port: (server.address() as AddressInfo).port, close: () => server.close() }
}

/**
 * What runs until it is stopped is a process of its own. Every other command runs in this one: forty processes of a guide would
 * load the same modules.
 */
const program = (port: number) => `#!/bin/bash
case "$1" in start | listen) exec ${process.execPath} ${fileOf("../bin/crossdock.js")} "$@" ;; esac
line() { base64 | tr -d '\\n'; echo; }
exec 3<> /dev/tcp/127.0.0.1/${port}
{ printf '%s\\0' "$@" | line; env -0 | line; if [ -S /dev/stdin ]; then echo; else line; fi; } >&3
{ read -r code; read -r stdout; read -r stderr; } <&3
base64 -d <<< "$stdout"
base64 -d <<< "$stderr" >&2
exit "$code"
`

/** Runs a script in a folder that has the program `crossdock`; whatever it started in the background ends with it. */
export const bash = async (script: string, folder: string, environment: Readonly<Record<string, string>>) => {
  mkdirSync(join(folder, "node_modules/@crossdock"), { recursive: true })
  const cli = join(folder, "node_modules/@crossdock/cli")
  if (!existsSync(cli)) symlinkSync(fileOf("../"), cli)
  const { close, port } = await commands()
  writeFileSync(join(folder, "crossdock"), program(port), { mode: 0o755 })
  const PATH = `${folder}:${process.execPath.replace(/\/node$/, "")}:${process.env.PATH}`
  const before = process.cwd()
  process.chdir(folder)
  const ended = await new Promise<{ readonly code: number | null; readonly output: string }>((resolve) => {
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
  process.chdir(before)
  close()
  return ended
}
