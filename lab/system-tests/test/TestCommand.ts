/** A built command of the host in its own process. */
import { execFile } from "node:child_process"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A short command spends most of its time compiling modules. */
export const compileCache = { NODE_COMPILE_CACHE: join(tmpdir(), "crossdock-compile-cache") }

export interface Invocation {
  readonly script: string
  readonly args: ReadonlyArray<string>
}

const scriptOf = (name: string) => fileURLToPath(new URL(`../dist/${name}.js`, import.meta.url))

const start = (
  { args, script }: Invocation,
  environment: Readonly<Record<string, string>>,
  input: string
): Promise<Ended> =>
  new Promise((resolve) => {
    const env = { PATH: process.env.PATH, ...compileCache, ...environment }
    const child = execFile(process.execPath, [script, ...args], { env }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr })
    )
    child.stdin?.end(input)
  })

/** Programs of the lab, in turn in one process. */
export const runAll = async (
  programs: ReadonlyArray<readonly [name: string, args: ReadonlyArray<string>]>
): Promise<ReadonlyArray<Ended>> => {
  const script = fileURLToPath(new URL("ProgramsInOneProcess.ts", import.meta.url))
  const input = JSON.stringify(programs.map(([name, args]) => ({ script: scriptOf(name), args })))
  const { code, stderr, stdout } = await start({ script, args: [] }, {}, input)
  if (code !== 0) throw new Error(`${stderr}${stdout}`)
  return JSON.parse(stdout)
}

/** The program `crossdock`. */
export const crossdock = (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>,
  input = ""
): Promise<Ended> => start({ script: scriptOf("../../../packages/cli/bin/crossdock"), args }, environment, input)
