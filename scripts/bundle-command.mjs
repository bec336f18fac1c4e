/**
 * Makes two programs of the build that load in one file, and does nothing when they are up to date:
 * - `packages/cli/dist/command.js`, the command: a thousand modules take a second longer to load, and 70 MB more. What it imports
 *   dynamically is in `command-*.js` beside it. Other programs import the modules.
 * - `packages/documents/dist/node/DocumentThread.bundle.js`, a drawing thread: its 300 modules take twice as long.
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

/** A package's bundle, by its folder's name. */
export const bundleOf = { cli: relative("packages/cli", bundle), documents: relative("packages/documents", thread) }

/** Whether a file of a package is part of a bundle. */
export const isBundled = (path) => /^dist\/(command(-\w+)?|node\/DocumentThread\.bundle)\.js$/.test(path)

/** Drivers are loaded on use: the bundle's own import would load them with every command. */
const lazyDriver = {
  name: "lazy-driver",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^better-sqlite3$/ }, ({ path }) => ({ path, namespace: "driver" }))
    onLoad({ filter: /.*/, namespace: "driver" }, ({ path }) => ({
      contents: `import { createRequire } from "node:module"; export default createRequire(import.meta.url)("${path}")`
    }))
  }
}

/** Importing one of Node's modules reads all its exports, even those that load more: HTTP's load a client for 50 ms. */
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

/** Our modules that read files beside them still find them in their own package. */
const ownFiles = {
  name: "own-files",
  setup: ({ onLoad }) =>
    onLoad({ filter: /packages\/(documents|create)\/dist\/.*\.js$/ }, ({ path }) => {
      const [, folder] = /packages\/([^/]+)\//.exec(relative(root, path)) ?? []
      const beside = `new URL(${JSON.stringify(relative(join(root, "packages", folder), path))}, import.meta.resolve("@crossdock/${folder}/package.json")).href`
      return { contents: readFileSync(path, "utf8").replaceAll("import.meta.url", beside), resolveDir: dirname(path) }
    })
}

/** Writes the bundled packages' licences beside the bundle: each copy must have them. */
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
    // A third of its text is white space.
    minifyWhitespace: true
  })
  writeLicences(bundle, command.metafile)
  writeLicences(thread, drawing.metafile)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleCommand()
