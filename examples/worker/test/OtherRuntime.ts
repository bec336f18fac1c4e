/** The tests of a host on another runtime: the laws of its storage, and a sign-in over HTTP. */
import { execFile, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { everyLaw } from "@crossdock/storage-laws/EveryLaw"
import { describe, it } from "@effect/vitest"
import { strictEqual } from "@effect/vitest/utils"
import { afterAll, expect } from "vitest"
import * as RuntimeBundle from "./RuntimeBundle.ts"

export interface Options {
  readonly runtime: RuntimeBundle.RuntimeName
  /** The program that tests the laws. `main` is the program of the example. */
  readonly laws: URL
  readonly main: URL
}

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

export const describeRuntime = ({ laws, main, runtime }: Options): void => {
  const { args, binary } = RuntimeBundle.runtimes[runtime]
  const isThere = RuntimeBundle.isInstalled(runtime)
  if (!isThere) console.warn(`SKIPPED: ${runtime} is not installed for this machine (${binary})`)
  describe.skipIf(!isThere)(`A host on ${runtime}`, () => {
    const folder = mkdtempSync(join(tmpdir(), "crossdock-runtime-"))
    afterAll(() => rmSync(folder, { recursive: true, force: true }))

    it("keeps every law of the storage on its own SQLite", { timeout: 200_000 }, async () => {
      const file = await RuntimeBundle.make(laws, join(folder, "laws.mjs"))
      const { stdout } = await promisify(execFile)(binary, [...args, file, join(folder, "laws.db")])
      strictEqual(stdout.trim(), `${everyLaw.length} of ${everyLaw.length} laws kept`)
    })

    it("answers over HTTP", { timeout: 100_000 }, async () => {
      const port = await freePort()
      const env = { ...process.env, PORT: String(port), DATABASE: join(folder, "host.db") }
      const child = spawn(binary, [...args, fileURLToPath(main)], { env, stdio: "inherit" })
      try {
        const answer = () =>
          fetch(`http://127.0.0.1:${port}/health/ready`).then(
            ({ status }) => status,
            () => 0
          )
        await expect.poll(answer, { timeout: 60_000, interval: 300 }).toBe(200)
        strictEqual(child.exitCode, null)
        const { status } = await fetch(`http://127.0.0.1:${port}/aggregator/v1/token`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ username: "nobody", password: "wrong" })
        })
        strictEqual(status, 401)
      } finally {
        child.kill("SIGKILL")
      }
    })
  })
}
