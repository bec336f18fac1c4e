/**
 * Installs large tools that few commands need: `node lab/tools/install.mjs test …` names folders beside this file.
 * Each is a private package with a lock file. Its packages are linked into the root's node_modules.
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../", import.meta.url))

/** npm writes this file after everything is installed. */
const isInstalled = (folder) => {
  const written = join(folder, "node_modules/.package-lock.json")
  return existsSync(written) && statSync(written).mtimeMs >= statSync(join(folder, "package-lock.json")).mtimeMs
}

/** npm leaves out an optional package that it can't fetch, and succeeds. The lock names the machines of each package. */
const missing = (folder, names) => {
  const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"))
  const fits = (machines, own) => machines === undefined || machines.includes(own)
  return names.filter((name) => {
    const { cpu, libc, os } = packages[`node_modules/${name}`]
    const isGlibc = process.report?.getReport().header.glibcVersionRuntime !== undefined
    const isForThis = fits(os, process.platform) && fits(cpu, process.arch) && fits(libc, isGlibc ? "glibc" : "musl")
    return isForThis && !existsSync(join(folder, "node_modules", name))
  })
}

const link = (target, path) => {
  if (existsSync(path) || !existsSync(target)) return
  mkdirSync(dirname(path), { recursive: true })
  // existsSync doesn't see a link to something that doesn't exist.
  rmSync(path, { force: true })
  try {
    symlinkSync(relative(dirname(path), target), path)
  } catch (error) {
    // Another process has made the link already.
    if (error.code !== "EEXIST") throw error
  }
}

export const installTools = (name) => {
  const folder = fileURLToPath(new URL(name, import.meta.url))
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  if (!isInstalled(folder)) {
    console.error(`Installing once: ${manifest.description} …`)
    try {
      execFileSync("npm", ["install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund"], {
        stdio: ["ignore", "ignore", "inherit"]
      })
    } catch {
      console.error(`lab/tools/${name} can't be installed: npm says why above.`)
      process.exit(1)
    }
    const left = missing(folder, Object.keys(manifest.optionalDependencies ?? {}))
    if (left.length > 0) {
      rmSync(join(folder, "node_modules/.package-lock.json"), { force: true })
      console.error(`lab/tools/${name} lacks ${left.join(", ")}, which npm couldn't fetch. Run the command again.`)
      process.exit(1)
    }
  }
  const [from, to] = [join(folder, "node_modules"), join(root, "node_modules")]
  for (const one of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
    link(join(from, one), join(to, one))
  }
  // Packages without a binary for this platform have no folder.
  for (const one of existsSync(join(from, ".bin")) ? readdirSync(join(from, ".bin")) : []) {
    link(join(from, ".bin", one), join(to, ".bin", one))
  }
}

for (const name of realpathSync(process.argv[1] ?? "") === fileURLToPath(import.meta.url) ? process.argv.slice(2) : [])
  installTools(name)
