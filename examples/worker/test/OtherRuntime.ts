/**
 * What a host on another runtime is tested with: the laws of its storage, and a sign-in over HTTP.
 */
import { execFile, spawn } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { everyLaw } from "@crossdock/storage-laws/EveryLaw"
import { describe, it } from "@effect/vitest"
import { strictEqual } from "@effect/vitest/utils"
import { build } from "esbuild"
import { afterAll, expect } from "vitest"
import { withoutVitest } from "./Assertions.ts"

export interface Options {
  readonly name: string
  /** Its program, in node_modules of the root. */
  readonly binary: string
  readonly args: ReadonlyArray<string>
  /** The program that shows the laws, and the example's own. */
  readonly laws: URL
  readonly main: URL
  readonly port: number
}

const modules = fileURLToPath(new URL("../../../node_modules/", import.meta.url))

export const describeRuntime = ({ args, binary, laws, main, name, port }: Options): void => {
  const program = join(modules, binary)
  const isThere = existsSync(program)
  if (!isThere) console.warn(`SKIPPED: ${name} is not installed for this machine (node_modules/${binary})`)
  describe.skipIf(!isThere)(`A host on ${name}`, () => {
    const folder = mkdtempSync(join(tmpdir(), "crossdock-runtime-"))
    afterAll(() => rmSync(folder, { recursive: true, force: true }))

    const bundle = async (entry: URL, outfile: string) => {
      await build({
        entryPoints: [fileURLToPath(entry)],
        bundle: true,
        outfile,
        format: "esm",
        platform: "node",
        target: "es2024",
        conditions: ["@crossdock/source"],
        external: ["bun:*"],
        plugins: [withoutVitest],
        // What esbuild makes of a `require` of CommonJS needs one.
        banner: { js: 'import { createRequire as r_ } from "node:module"; const require = r_(import.meta.url);' }
      })
      return outfile
    }

    it("keeps every law of the storage on its own SQLite", { timeout: 200_000 }, async () => {
      const file = await bundle(laws, join(folder, "laws.mjs"))
      const { stdout } = await promisify(execFile)(program, [...args, file, join(folder, "laws.db")])
      strictEqual(stdout.trim(), `${everyLaw.length} of ${everyLaw.length} laws kept`)
    })

    it("answers over HTTP", { timeout: 100_000 }, async () => {
      const env = { ...process.env, PORT: String(port), DATABASE: join(folder, "host.db") }
      const child = spawn(program, [...args, fileURLToPath(main)], { env, stdio: "inherit" })
      try {
        const answer = () =>
          fetch(`http://127.0.0.1:${port}/health/ready`).then(
            ({ status }) => status,
            () => 0
          )
        await expect.poll(answer, { timeout: 60_000, interval: 300 }).toBe(200)
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
