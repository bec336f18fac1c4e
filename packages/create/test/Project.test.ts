import { throws } from "node:assert/strict"
import { execFile } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import * as Project from "@crossdock/create"
import { afterAll, describe, it } from "@effect/vitest"
import { assertFalse, assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const work = mkdtempSync(join(tmpdir(), "crossdock-create-"))
afterAll(() => rmSync(work, { recursive: true, force: true }))

interface Manifest {
  readonly name: string
  readonly version: string
  readonly scripts: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))

/** Runs a program; its exit code, and all that it printed. */
const ran = (file: string, args: ReadonlyArray<string>, cwd: string) => {
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...env } = process.env
  return promisify(execFile)(file, args, { cwd, env }).then(
    ({ stderr, stdout }) => ({ code: 0, output: stdout + stderr }),
    ({ code, stderr, stdout }) => ({ code, output: String(stdout) + stderr })
  )
}

const create = (...args: ReadonlyArray<string>) =>
  ran(process.execPath, [join(root, "packages/create/bin/create.js"), ...args], work)

describe("A new project", () => {
  it.each(Project.templateNames)("from %s has the versions of this release, a README and a test", (template) => {
    const folder = join(work, `versions-${template}`)
    Project.write(folder, template)
    const { dependencies = {}, devDependencies = {}, name, scripts } = manifestOf(folder)
    strictEqual(name, `versions-${template}`)
    assertTrue(existsSync(join(folder, ".gitignore")) && existsSync(join(folder, "README.md")))
    assertTrue("test" in scripts)
    const { devDependencies: ours = {} } = manifestOf(root)
    for (const [one, range] of Object.entries({ ...dependencies, ...devDependencies })) {
      const version = one.startsWith("@crossdock/")
        ? manifestOf(join(root, one.replace("@crossdock/", "packages/"))).version
        : ours[one]
      if (version !== undefined) strictEqual(`${one} ${range}`, `${one} ^${version}`)
    }
  })

  // The worker's test needs wrangler, which `npm run lab -- templates` installs.
  it.each(["server", "backend", "rules", "receiver"] as const)("from %s passes its tests at once", async (template) => {
    const folder = join(work, template)
    Project.write(folder, template)
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
    const [program = "", ...args] = (manifestOf(folder).scripts.test ?? "").split(" ")
    const file = program === "node" ? process.execPath : join(root, "node_modules/.bin", program)
    const { code, output } = await ran(file, args, folder)
    strictEqual(code, 0, output)
    assertFalse(/\b(tests|Tests) +0\b/.test(output), output)
  })

  it.skipIf(process.platform !== "linux")("fails where no folder can be made", () => {
    throws(
      () => Project.write("/proc/shop", "rules"),
      /^Error: The folder \/proc\/shop can't be made\. Choose another one\.$/
    )
  })

  it("isn't written where the system can't look, as in a folder that this user can't open", () => {
    throws(
      () => Project.write(`/${"a".repeat(300)}`, "rules"),
      /^Error: \/a{300}\/.* can't be read\. Choose another folder\.$/
    )
  })

  it("is created by name and template, and never over another folder's files", async () => {
    const first = await create("shop", "--template", "receiver", "--yes")
    strictEqual(first.code, 0, first.output)
    strictEqual(manifestOf(join(work, "shop")).name, "shop")
    const again = await create("shop", "--template", "rules", "--yes")
    strictEqual(again.code, 2)
    assertTrue(again.output.includes("shop isn't an empty folder"), again.output)
  })

  it.each([
    [["Not A Name"], `"Not A Name" can't be a package's name`],
    [["fine", "--template", "nothing"], 'There is no template "nothing". Use one of: server, backend'],
    [["--wrong"], "Unknown option '--wrong'"],
    [["one", "two"], "There is one name, not 2: one two"],
    [["node_modules"], `"node_modules" can't be a package's name`]
  ] as const)("is rejected with a sentence: %s", async (args, sentence) => {
    const { code, output } = await create(...args)
    strictEqual(code, 2)
    assertTrue(output.includes(sentence), output)
  })

  it("is never written through a link, over a file, or beside a manifest that can't be read", async () => {
    const outside = join(work, "outside")
    mkdirSync(outside)
    const linked = join(work, "linked")
    mkdirSync(linked)
    symlinkSync(join(outside, "README.md"), join(linked, "README.md"))
    deepStrictEqual(Project.write(linked, "rules").kept, ["README.md"])
    const leading = join(work, "leading")
    mkdirSync(leading)
    symlinkSync(outside, join(leading, "test"))
    for (const [name, manifest] of [
      ["leading", undefined],
      ["malformed", "{"],
      ["listed", "[]"],
      ["texts", '{"scripts":"test"}']
    ] as const) {
      const folder = join(work, name)
      mkdirSync(folder, { recursive: true })
      if (manifest !== undefined) writeFileSync(join(folder, "package.json"), manifest)
      const found = (() => {
        try {
          return Project.write(folder, "rules")
        } catch (error) {
          return (error as Error).message
        }
      })()
      assertTrue(typeof found === "string" && /Move it away first|Correct it first/.test(found), name)
      assertFalse(existsSync(join(folder, "README.md")), name)
    }
    deepStrictEqual(readdirSync(outside), [])
    writeFileSync(join(work, "a-file"), "")
    const { code, output } = await create("a-file", "--yes")
    strictEqual(code, 2)
    assertTrue(output.includes("a-file isn't an empty folder"), output)
    assertFalse(output.includes("    at "), output)
  })

  it("in a folder with a project keeps its files, and adds the scripts and dependencies that it lacks", () => {
    const folder = join(work, "mine")
    mkdirSync(folder)
    const own = { name: "mine", scripts: { test: "my tests" }, dependencies: { fastify: "^4.0.0" } }
    writeFileSync(join(folder, "package.json"), JSON.stringify(own))
    writeFileSync(join(folder, "README.md"), "# Mine\n")
    const { kept, written } = Project.write(folder, "backend")
    deepStrictEqual(kept, ["README.md"])
    assertTrue(written.includes("src/Server.ts"))
    const { dependencies, name, scripts } = manifestOf(folder)
    deepStrictEqual([name, scripts.test, dependencies?.fastify], ["mine", "my tests", "^4.0.0"])
    assertTrue("start" in scripts && dependencies !== undefined && "@crossdock/host" in dependencies)
    strictEqual(readFileSync(join(folder, "README.md"), "utf8"), "# Mine\n")
  })
})
