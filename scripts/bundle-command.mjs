/**
 * Bundles two programs of the build into one file each, so that they load quickly. Up-to-date bundles stay.
 * `packages/cli/dist/command.js` is the command; modules that it imports dynamically are in `command-*.js`.
 * `packages/documents/dist/node/DocumentThread.bundle.js` is a thread that draws documents.
 */
import { globSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

const root = fileURLToPath(new URL("../", import.meta.url))
const bundle = "packages/cli/dist/command.js"
const parts = "packages/cli/dist/command-*.js"
const thread = "packages/documents/dist/node/DocumentThread.bundle.js"
const inputs = ["packages/*/dist/**/*.js", "package-lock.json", "scripts/bundle-command.mjs"]

/** The bundle of a package, found by the name of its folder. */
export const bundleOf = { cli: relative("packages/cli", bundle), documents: relative("packages/documents", thread) }

/** Whether a file of a package is part of a bundle. */
export const isBundled = (path) => /^dist\/(command(-\w+)?|node\/DocumentThread\.bundle)\.js$/.test(path)

/** Makes the bundle load a driver only when it is used. */
const lazyDriver = {
  name: "lazy-driver",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^better-sqlite3$/ }, ({ path }) => ({ path, namespace: "driver" }))
    onLoad({ filter: /.*/, namespace: "driver" }, ({ path }) => ({
      contents: `import { createRequire } from "node:module"; export default createRequire(import.meta.url)("${path}")`
    }))
  }
}

/** Gets Node's modules without an `import`, which would read all exports; those of HTTP load a client in 50 ms. */
const lazyExports = {
  name: "lazy-exports",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === "import-statement" ? { path, namespace: "node" } : undefined
    )
    onLoad({ filter: /.*/, namespace: "node" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)})`
    }))
  }
}

const changedAt = (path) => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0

/** Lets our modules find files of their own package. They look for these files beside themselves. */
const ownFiles = {
  name: "own-files",
  setup: ({ onLoad }) =>
    onLoad({ filter: /packages\/(documents|create)\/dist\/.*\.js$/ }, ({ path }) => {
      const [, folder] = /packages\/([^/]+)\//.exec(relative(root, path)) ?? []
      const beside = `new URL(${JSON.stringify(relative(join(root, "packages", folder), path))}, import.meta.resolve("@crossdock/${folder}/package.json")).href`
      return { contents: readFileSync(path, "utf8").replaceAll("import.meta.url", beside), resolveDir: dirname(path) }
    })
}

/** Writes the licences of the bundled packages beside the bundle, because each copy must include them. */
const writeLicences = (path, { inputs }) => {
  const folders = Object.keys(inputs).flatMap(
    (input) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? []
  )
  const texts = [...new Set(folders)].sort().flatMap((folder) =>
    globSync("LICEN[CS]E*", { cwd: join(root, folder) })
      .slice(0, 1)
      .map((name) => `${folder.replace(/^.*node_modules\//, "")}\n\n${readFileSync(join(root, folder, name), "utf8")}`)
  )
  writeFileSync(join(root, path.replace(/\.js$/, ".licences.txt")), texts.join("\n\n"))
}

const common = {
  absWorkingDir: root,
  metafile: true,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node22",
  banner: {
    js: 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);'
  },
  legalComments: "eof",
  logLevel: "error"
}

export const bundleCommand = async () => {
  const newest = Math.max(...globSync(inputs, { cwd: root, exclude: [bundle, parts, thread] }).map(changedAt))
  if (Math.min(changedAt(bundle), changedAt(thread)) >= newest) return
  for (const path of globSync(parts, { cwd: root })) rmSync(join(root, path))
  const command = await build({
    ...common,
    entryPoints: { command: join(root, "packages/cli/dist/main.js") },
    outdir: join(root, dirname(bundle)),
    splitting: true,
    chunkNames: "command-[hash]",
    external: ["bun:sqlite", "pg-native"],
    plugins: [ownFiles, lazyDriver, lazyExports]
  })
  const drawing = await build({
    ...common,
    entryPoints: [join(root, "packages/documents/dist/node/DocumentThread.js")],
    outfile: join(root, thread),
    minifyWhitespace: true
  })
  writeLicences(bundle, command.metafile)
  writeLicences(thread, drawing.metafile)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleCommand()
