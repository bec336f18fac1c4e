/**
 * A built command of the host in a process of its own.
 */
import { execFile } from "node:child_process"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A short command spends most of its time compiling the modules that it loads. */
export const compileCache = { NODE_COMPILE_CACHE: join(tmpdir(), "crossdock-compile-cache") }

export const run = (
  name: string,
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>,
  input = ""
): Promise<Ended> =>
  new Promise((resolve) => {
    const script = fileURLToPath(new URL(`../dist/${name}.js`, import.meta.url))
    const env = { PATH: process.env.PATH, ...compileCache, ...environment }
    const child = execFile(process.execPath, [script, ...args], { env }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr })
    )
    child.stdin?.end(input)
  })

/** The program `crossdock`. */
export const crossdock = (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>,
  input?: string
): Promise<Ended> => run("../../../packages/cli/bin/crossdock", args, environment, input)
