/** A host in a separate process, for the demo and for tests that kill it. */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"

export interface HostProcess {
  readonly url: string
  readonly child: ChildProcess
  /** Everything that the host has written to standard error so far. */
  readonly log: () => string
  /** Sends SIGTERM. Resolves to the exit code. */
  readonly stop: () => Promise<number | null>
  /** Sends SIGKILL. The host can't finish or close anything. */
  readonly kill: () => Promise<void>
}

const ofCommand = (path: string) => fileURLToPath(new URL(`../../../packages/cli/${path}`, import.meta.url))
const main = ofCommand("bin/crossdock.js")

/** The command without bundling, so that a profile names each module. */
export const modules = ofCommand("dist/main.js")
const endsWithParent = new URL("../dist/EndsWithParent.js", import.meta.url).href

/** The flags of `npm start`. Without them, V8 collects garbage late, and glibc keeps freed memory of each thread. */
const flags = ["--max-semi-space-size=16", "--heap-growing-percent=50"]
const memory = { MALLOC_MMAP_THRESHOLD_: "131072", MALLOC_TOP_PAD_: "1048576" }

const exited = (child: ChildProcess): Promise<number | null> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve(child.exitCode)
    : new Promise((resolve) => child.once("exit", resolve))

/** Starts the built host on a free port, and resolves once it listens. The host sees only this environment. */
export const start = (environment: Readonly<Record<string, string>>, program = main): Promise<HostProcess> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...flags, "--import", endsWithParent, program, "start"], {
      env: { PATH: process.env.PATH, PORT: "0", ...memory, ...environment },
      stdio: ["ignore", "pipe", "pipe", "ipc"]
    })
    let log = ""
    let output = ""
    child.stderr?.on("data", (chunk) => {
      log += chunk
    })
    child.stdout?.on("data", (chunk) => {
      output += chunk
      const url = /^listening on (\S+)$/m.exec(output)?.[1]
      if (url === undefined) return
      resolve({
        url,
        child,
        log: () => log,
        stop: () => {
          child.kill("SIGTERM")
          return exited(child)
        },
        kill: async () => {
          child.kill("SIGKILL")
          await exited(child)
        }
      })
    })
    child.once("exit", (code) => reject(new Error(`The host ended with ${code} before it listened\n${log}`)))
  })

/** Starts a host that stops with the scope. */
export const scoped = (environment: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.promise(() => start(environment)),
    ({ stop }) => Effect.promise(stop)
  )

/** Runs a command on a database, with `input` as JSON on standard input. Resolves to the JSON that the command prints. */
export const crossdock = (
  environment: Readonly<Record<string, string>>,
  args: ReadonlyArray<string>,
  input?: unknown
): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      [main, ...args, "--json"],
      { env: { PATH: process.env.PATH, ...environment } },
      (error, stdout, stderr) =>
        error === null
          ? resolve(stdout === "" ? undefined : JSON.parse(stdout))
          : reject(new Error(`${stderr}${stdout}`))
    )
    child.stdin?.end(input === undefined ? "" : JSON.stringify(input))
  })
