/** Starts the server on Bun or Deno for the tests of the HTTP interfaces, once for the whole run. */
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { TestProject } from "vitest/node"
import type {} from "./HttpWorkerSetup.ts"
import * as RuntimeBundle from "./RuntimeBundle.ts"

const program = fileURLToPath(new URL("HttpRuntime.ts", import.meta.url))

export default async ({ name, provide }: TestProject): Promise<() => void> => {
  const { args, binary } = RuntimeBundle.runtimes[name as RuntimeBundle.RuntimeName]
  const child = spawn(binary, [...args, program], { stdio: ["ignore", "pipe", "inherit"] })
  for await (const port of createInterface(child.stdout)) {
    provide("worker", `http://127.0.0.1:${port}`)
    break
  }
  return () => {
    child.kill("SIGKILL")
  }
}
