/** `npm run lab -- templates [name …]` makes a project from each template and runs its tests. It needs the network. */
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { templateNames } from "@crossdock/create"
import { packAll } from "./pack-all.mjs"
import { serve } from "./package-registry.mjs"

const work = mkdtempSync(join(tmpdir(), "crossdock-templates-"))
const npm = (folder, ...args) => promisify(execFile)("npm", args, { cwd: folder, timeout: 300_000, maxBuffer: 1e8 })
const names = process.argv.length > 2 ? process.argv.slice(2) : templateNames
let failed = 0
try {
  packAll(join(work, "tarballs"))
  const registry = await serve(join(work, "tarballs"))
  const create = ["create", "--yes", `--registry=${registry.url}`, "crossdock"]
  for (const name of names) {
    const started = performance.now()
    const outcome = await npm(work, ...create, name, "--", "--template", name, "--yes")
      .then(() => writeFileSync(join(work, name, ".npmrc"), `@crossdock:registry=${registry.url}\n`))
      .then(() => npm(join(work, name), "install", "--no-audit", "--no-fund", "--prefer-offline"))
      .then(() => npm(join(work, name), "test"))
      .then(
        () => "passed",
        ({ stderr, stdout }) => `failed\n${stdout}${stderr}`
      )
    if (outcome !== "passed") failed += 1
    console.log(`${name.padEnd(10)}${((performance.now() - started) / 1000).toFixed(0).padStart(4)} s  ${outcome}`)
  }
  registry.close()
} finally {
  rmSync(work, { recursive: true, force: true })
}
process.exitCode = failed === 0 ? 0 : 1
