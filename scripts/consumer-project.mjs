/** A project that uses the published packages: its programs, and how they are compiled. */
import { spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const tsc = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url))

/** The modules of a package that can be imported: "@crossdock/kernel", "@crossdock/kernel/Bulk", … */
export const entriesOf = ({ name, exports }) =>
  Object.entries(exports)
    .filter(([, target]) => typeof target !== "string")
    .map(([entry]) => name + entry.slice(1))

/** Whether an entry runs only on Bun. Other runtimes don't have Bun's own modules. */
export const isForBun = (entry) => entry.endsWith("/BunSqlite")

/** A program that imports every entry. It fails if an entry exports nothing. */
export const importsEvery = (entries) => `
${entries.map((entry, nth) => `import * as m${nth} from "${entry}"`).join("\n")}

const all = { ${entries.map((entry, nth) => `"${entry}": m${nth}`).join(", ")} }
const empty = Object.entries(all).flatMap(([entry, module]) => (Object.keys(module).length === 0 ? [entry] : []))
if (empty.length > 0) throw new Error(\`\${empty.join(", ")} export nothing\`)
console.log(\`\${Object.keys(all).length} entries imported\`)
`

export const writeProject = (folder, programs, manifest = {}) => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module", ...manifest }, null, 2))
  for (const [name, text] of Object.entries(programs)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}

const moduleOf = { nodenext: "nodenext", bundler: "esnext" }

/** Compiles the project into `out` and returns the errors. All strict checks are on, also for our declarations. */
export const compile = (folder, moduleResolution) => {
  const compilerOptions = {
    module: moduleOf[moduleResolution],
    moduleResolution,
    target: "es2024",
    // Effect's declarations use types of the browser.
    lib: ["es2024", "dom"],
    types: ["node"],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    outDir: "out"
  }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }))
  const { status, stdout, stderr } = spawnSync("node", [tsc, "-p", folder, "--pretty", "false"], { encoding: "utf8" })
  return status === 0 ? [] : (stdout + stderr).split("\n").filter((line) => line !== "")
}
