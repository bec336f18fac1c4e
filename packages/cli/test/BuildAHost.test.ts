import { spawn } from "node:child_process"
import { readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { temporaryFolder } from "../../http/test/TemporaryFolder.ts"
import * as Guides from "./Guides.ts"

const page = readFileSync(fileURLToPath(new URL("../../../docs/guides/build-a-host.md", import.meta.url)), "utf8")
const modules = fileURLToPath(new URL("../../../node_modules", import.meta.url))

describe("docs/guides/build-a-host.md", () => {
  it("has a program and commands that lead to a seller's first listings", async () => {
    const folder = temporaryFolder()
    const port = String(await Guides.freePort())
    const at = (text: string) => text.replaceAll("8080", port)
    symlinkSync(modules, join(folder, "node_modules"))
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }')
    writeFileSync(join(folder, "host.ts"), at(/^```ts no-run\n([\s\S]*?)^```/m.exec(page)?.[1] ?? ""))
    const child = spawn(process.execPath, ["host.ts"], {
      cwd: folder,
      env: { PATH: process.env.PATH, TOKEN_SECRET: "a secret of the test, of more than thirty-two bytes" },
      stdio: ["ignore", "pipe", "inherit"]
    })
    try {
      // Its first line says that it listens.
      await new Promise((resolve, reject) => {
        child.stdout?.once("data", resolve)
        child.once("exit", reject)
      })
      const [, , commands = "", requests = ""] = Guides.blocksOf("build-a-host")
      const script = `${commands.replace(/^npm install .*$/m, "").replaceAll("npx ", "")}\n${at(requests)}`
      const { code, output } = await Guides.bash(script, folder, {})
      deepStrictEqual([code, JSON.parse(output.trim().split("\n").at(-1) ?? "").data], [0, []], output)
    } finally {
      child.kill()
    }
  })
})
