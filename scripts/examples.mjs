/**
 * Compiles and runs the examples of the documentation: each `@example` of a docstring in the packages' sources, and each
 * `ts` block of a README that imports something. Arguments name packages; without any, all are run.
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = fileURLToPath(new URL("../", import.meta.url))
const target = join(root, ".examples")

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

const inReadme = (source) =>
  [...source.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code).filter((code) => /^import /m.test(code))

const named = process.argv.slice(2).map((path) => path.replace(/^packages\//, "").replace(/\/$/, ""))
const packages = readdirSync(join(root, "packages")).filter((name) => named.length === 0 || named.includes(name))

rmSync(target, { recursive: true, force: true })
mkdirSync(target)
const written = packages.flatMap((name) => {
  const folder = join(root, "packages", name)
  const codes = [
    ...files(join(folder, "src")).flatMap((path) => inDocstrings(readFileSync(path, "utf8"))),
    ...(existsSync(join(folder, "README.md")) ? inReadme(readFileSync(join(folder, "README.md"), "utf8")) : [])
  ]
  return codes.map((code, nth) => {
    const path = join(target, `${name}-${nth + 1}.ts`)
    writeFileSync(path, `${code}\nexport {}\n`)
    return path
  })
})

writeFileSync(
  join(target, "tsconfig.json"),
  JSON.stringify({
    extends: "../tsconfig.base.json",
    compilerOptions: {
      composite: false,
      incremental: false,
      noEmit: true,
      types: ["node"],
      lib: ["ES2024", "DOM"],
      noUnusedLocals: false
    },
    include: ["*.ts"]
  })
)
try {
  execFileSync(join(root, "node_modules/.bin/tsc"), ["-p", join(target, "tsconfig.json")], { stdio: "inherit" })
} catch {
  process.exit(1)
}

let failed = 0
for (const path of written) {
  try {
    await import(pathToFileURL(path).href)
  } catch (error) {
    failed++
    console.error(`${path} (a copy of an example in the documentation) failed:`, error)
  }
}
if (failed === 0) rmSync(target, { recursive: true })
console.log(`${written.length} examples of ${packages.length} packages, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
