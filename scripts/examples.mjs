/**
 * Compiles and runs each `@example`, each `ts` block with imports in a guide, and the client calls on the site.
 * A block that begins with "ts no-run" is only compiled, because it starts a server or is part of a program.
 */
import { execFile } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { inspect, promisify } from "node:util"
import { programs } from "./operation-examples.mjs"

const root = fileURLToPath(new URL("../", import.meta.url))
const target = join(root, ".examples")
const run = promisify(execFile)

const files = (folder) =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    if (statSync(path).isDirectory()) return files(path)
    return path.endsWith(".ts") && !path.endsWith(".d.ts") ? [path] : []
  })

const inDocstrings = (source) =>
  [...source.matchAll(/@example\n\s*\* ```ts\n([\s\S]*?)\n\s*\* ```/g)].map(([, code]) =>
    code.replaceAll(/^\s*\* ?/gm, "")
  )

const inPage = (source) =>
  [...source.matchAll(/^```ts( no-run)?\n([\s\S]*?)^```/gm)]
    .map(([, mark, code]) => ({ code, runs: mark === undefined }))
    .filter(({ code }) => /^import /m.test(code))

const packages = readdirSync(join(root, "packages"))
const guides = readdirSync(join(root, "docs/guides"))
const pageOf = (path) => (existsSync(path) ? inPage(readFileSync(path, "utf8")) : [])

const examples = [
  ...programs.map((code, nth) => ({ code, runs: false, name: `operation-${nth + 1}.ts` })),
  ...pageOf(join(root, "README.md")).map((one, nth) => ({ ...one, name: `README-${nth + 1}.ts` })),
  ...packages.flatMap((name) => {
    const folder = join(root, "packages", name)
    const ofSource = files(join(folder, "src")).flatMap((path) => inDocstrings(readFileSync(path, "utf8")))
    const all = [...ofSource.map((code) => ({ code, runs: true })), ...pageOf(join(folder, "README.md"))]
    return all.map((one, nth) => ({ ...one, name: `${name}-${nth + 1}.ts` }))
  }),
  ...guides.flatMap((guide) =>
    pageOf(join(root, "docs/guides", guide)).map((one, nth) => ({ ...one, name: `guides-${guide}-${nth + 1}.ts` }))
  )
]

rmSync(target, { recursive: true, force: true })
mkdirSync(target)
for (const { code, name } of examples) writeFileSync(join(target, name), `${code}\nexport {}\n`)

writeFileSync(
  join(target, "tsconfig.json"),
  JSON.stringify({
    extends: "../tsconfig.base.json",
    compilerOptions: {
      composite: false,
      incremental: false,
      noEmit: true,
      customConditions: [],
      types: ["node"],
      lib: ["ES2024", "DOM"],
      noUnusedLocals: false
    },
    include: ["*.ts"]
  })
)

export const faults = []
await run("tsc", ["-p", join(target, "tsconfig.json")]).catch(({ stdout }) => faults.push(stdout))
for (const { name } of examples.filter(({ runs }) => runs && faults.length === 0)) {
  const path = join(target, name)
  try {
    await import(pathToFileURL(path).href)
  } catch (error) {
    faults.push(`${path} (a copy of an example in the documentation) failed: ${inspect(error)}`)
  }
}
if (faults.length === 0) rmSync(target, { recursive: true })
