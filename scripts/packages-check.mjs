/**
 * Checks the tarballs of published packages after the build: contents, manifests, publint and "are the types wrong".
 * An empty project with the tarballs must compile and import every entry. It needs no network.
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, posix } from "node:path"
import { fileURLToPath } from "node:url"
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { bundleOf, isBundled } from "./bundle-command.mjs"
import { compile, entriesOf, importsEvery, isForBun, writeProject } from "./consumer-project.mjs"
import { packAll, publishedPackages } from "./pack-all.mjs"

const root = fileURLToPath(new URL("../", import.meta.url))

/** The version that all published packages share (.changeset/config.json). */
const [{ version }] = publishedPackages.map(({ manifest }) => manifest)
const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
const promised = { version, engines, license: "MIT", type: "module" }

const ofManifest = (manifest) => [
  ...(manifest.sideEffects === false || manifest.sideEffects?.length > 0
    ? []
    : [`package.json: "sideEffects" is neither false nor a list of modules`]),
  ...Object.entries(promised)
    .filter(([field, value]) => JSON.stringify(manifest[field]) !== JSON.stringify(value))
    .map(([field, value]) => `package.json: "${field}" is not ${JSON.stringify(value)}`),
  // The package that creates projects runs before anything is installed.
  ...(manifest.peerDependencies?.effect === undefined && !/\bcreate\b/.test(manifest.name)
    ? ["package.json: effect is no peer dependency"]
    : []),
  ...(manifest.dependencies?.effect === undefined ? [] : ["package.json: effect is a dependency, so there can be two"]),
  ...Object.entries(manifest.dependencies ?? {})
    .filter(([name, range]) => name.startsWith("@crossdock/") && range !== `^${version}`)
    .map(([name, range]) => `package.json: ${name} is ${range}, not ^${version}`)
]

/** Files that a tarball has in addition to `files`. */
const always = ["package.json", "README.md", "CHANGELOG.md", "LICENSE"]

const ofFiles = (manifest, paths) => {
  const has = new Set(paths)
  const bundled = [bundleOf[manifest.name.replace("@crossdock/", "")] ?? []].flat()
  return [
    ...[...always, ...bundled].filter((path) => !has.has(path)).map((path) => `${path} is missing`),
    ...paths
      .filter(
        (path) => !always.includes(path) && !manifest.files.some((one) => path === one || path.startsWith(`${one}/`))
      )
      .map((path) => `${path} is not meant to be published`),
    ...paths
      .filter((path) => /\.test\.ts$|\.tsbuildinfo$/.test(path) && !path.startsWith("templates/"))
      .map((path) => `${path} is not for users`),
    ...paths
      .filter((path) => /^dist\/.*\.js$/.test(path) && !isBundled(path) && !has.has(path.replace(/\.js$/, ".d.ts")))
      .map((path) => `${path} has no types`)
  ]
}

/** The faults of source maps and declaration maps. A map must lead to files of the tarball. */
const ofMaps = (folder, paths) => {
  const has = new Set(paths)
  return paths
    .filter((path) => path.endsWith(".map"))
    .flatMap((path) =>
      JSON.parse(readFileSync(join(folder, path), "utf8"))
        .sources.map((source) => posix.join(posix.dirname(path), source))
        .filter((source) => !has.has(source))
        .map((source) => `${path} leads to ${source}, which is not published`)
    )
}

/** The imports in the compiler's output, where import statements begin a line, but types may be imported anywhere. */
const importsOf = (source) => [
  ...source.matchAll(/^(?:import|export)\b(?:[\w$*{}\s,]*\bfrom)?\s*"([^"\s]+)"/gm),
  ...source.matchAll(/\bimport\("([^"\s]+)"\)/g)
]

/** Finds imports that aren't declared. Bundled code imports Node's modules by older names. */
const ofImports = (folder, manifest, paths) => {
  const declared = [...Object.keys(manifest.dependencies ?? {}), ...Object.keys(manifest.peerDependencies ?? {})]
  return paths
    .filter((path) => /\.(js|d\.ts)$/.test(path) && !isBundled(path))
    .flatMap((path) =>
      importsOf(readFileSync(join(folder, path), "utf8"))
        .map(([, name]) => name)
        .filter((name) => !/^(\.|node:|bun:)/.test(name))
        .filter((name) => !declared.some((one) => name === one || name.startsWith(`${one}/`)))
        .map((name) => `${path} imports ${name}, which the package doesn't declare`)
    )
}

const ofPublint = async (manifest, tarball) => {
  const { messages } = await publint({ pack: { tarball }, level: "suggestion", strict: true })
  return messages.map((message) => `publint: ${formatMessage(message, manifest, { color: false })}`)
}

/** Kinds of module resolution that aren't supported. The packages are ES modules, and need a resolution with `exports`. */
const notSupported = ["node10", "node16-cjs"]

const ofTypes = async (tarball) => {
  const { problems } = await checkPackage(createPackageFromTarballData(new Uint8Array(tarball)))
  return problems
    .filter(({ resolutionKind }) => !notSupported.includes(resolutionKind))
    .map(({ kind, entrypoint, resolutionKind }) => `types: ${kind} of ${entrypoint} in ${resolutionKind}`)
}

const bytesOf = (path) => {
  const { buffer, byteOffset, byteLength } = readFileSync(path)
  return buffer.slice(byteOffset, byteOffset + byteLength)
}

/** Makes an empty project with the tarballs in its node_modules, and with links to their dependencies. */
const install = (project, tarballs) => {
  const modules = join(project, "node_modules")
  const installed = tarballs.map(({ filename, name }) => {
    const folder = join(modules, name)
    mkdirSync(folder, { recursive: true })
    execFileSync("tar", ["-xzf", join(project, filename), "-C", folder, "--strip-components=1"])
    return { folder, filename, manifest: JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) }
  })
  const others = installed.flatMap(({ manifest }) =>
    Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies, "@types/node": "" })
  )
  for (const name of new Set(others)) {
    const [at, link] = [join(root, "node_modules", name), join(modules, name)]
    if (existsSync(link) || !existsSync(at)) continue
    mkdirSync(join(link, ".."), { recursive: true })
    symlinkSync(at, link)
  }
  return installed
}

const filesOf = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => posix.join(one.parentPath.slice(folder.length + 1), one.name))

const project = mkdtempSync(join(tmpdir(), "crossdock-packages-"))
try {
  const installed = install(project, packAll(project))
  const faults = []
  for (const { folder, filename, manifest } of installed) {
    const paths = filesOf(folder)
    const tarball = bytesOf(join(project, filename))
    const found = [
      ...ofManifest(manifest),
      ...ofFiles(manifest, paths),
      ...ofMaps(folder, paths),
      ...ofImports(folder, manifest, paths),
      ...(await ofPublint(manifest, tarball)),
      ...(await ofTypes(tarball))
    ]
    faults.push(...found.map((fault) => `${manifest.name}: ${fault}`))
  }
  const entries = installed.flatMap(({ manifest }) => entriesOf(manifest))
  writeProject(project, {
    "every.ts": importsEvery(entries.filter((entry) => !isForBun(entry))),
    "bun.ts": importsEvery(entries.filter(isForBun))
  })
  for (const resolution of ["nodenext", "bundler"]) {
    faults.push(...compile(project, resolution).map((fault) => `compiled with ${resolution}: ${fault}`))
  }
  if (faults.length === 0) {
    execFileSync("node", ["out/every.js"], { cwd: project, stdio: "inherit" })
    execFileSync("node", ["node_modules/@crossdock/cli/bin/crossdock.js", "--version"], {
      cwd: project,
      stdio: "inherit"
    })
  }
  for (const fault of faults) console.error(fault)
  console.log(`${installed.length} packages, ${entries.length} entries, ${faults.length} faults`)
  process.exitCode = faults.length === 0 ? 0 : 1
} finally {
  rmSync(project, { recursive: true })
}
