import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { describe, it } from "@effect/vitest"
import { assertInclude, assertTrue } from "@effect/vitest/utils"
import { texts } from "./PdfReading.ts"

describe("the README of documents", () => {
  it("has an example that runs", async () => {
    const readme = await readFile(new URL("../README.md", import.meta.url), "utf8")
    const [, example = ""] = /```js\n([\s\S]*?)```/.exec(readme) ?? []
    const folder = await mkdtemp(join(tmpdir(), "crossdock-readme-"))
    try {
      await symlink(fileURLToPath(new URL("../../../node_modules", import.meta.url)), join(folder, "node_modules"))
      await writeFile(join(folder, "example.mjs"), example)
      const { stdout } = await promisify(execFile)(process.execPath, ["example.mjs"], { cwd: folder })
      assertTrue(stdout.startsWith("invoice.pdf, "), stdout)
      const [page = ""] = await texts(new Uint8Array(await readFile(join(folder, "invoice.pdf"))))
      assertInclude(page, "Rupees Nine Hundred Ninety-Eight Only")
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
