/**
 * Writes docs/internals/bundles.md: how large each package's own code is in a bundle, and what an entry imports besides
 * `effect`. After `tsc -b`.
 */
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { entriesOf } from "./consumer-project.mjs"
import { publishedPackages } from "./pack-all.mjs"

const root = fileURLToPath(new URL("../", import.meta.url))
const page = new URL("../docs/internals/bundles.md", import.meta.url)

/** What somebody imports who uses rules alone; each stays below 11 KB. */
const bound = 11 * 1024
const rules = {
  "the moves of a shipment": 'export { Lifecycle } from "@crossdock/shipments"',
  "the stock rules": 'export { Level, StockUpdate } from "@crossdock/inventory"',
  "the billing rules": 'export { Agreement, BillingCycle } from "@crossdock/billing"',
  "the product rules": 'export { ProductChanges, ProductRules, ReferenceIndex } from "@crossdock/catalog"'
}

/** Pages of examples that run without a server, each with its bound in bytes. */
const pages = {
  "examples/rules-alone": { script: "./examples/rules-alone/src/main.ts", bound: 24 * 1024 }
}

/** Everything that isn't in the bundle is left as an import. */
const only = (pattern) => ({
  name: "only",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^[^./]/ }, ({ path }) => (pattern.test(path) ? undefined : { path, external: true }))
})

/**
 * The gzipped size of minified code, and what loading it imports, used or not, as Node does. Packages that don't match the
 * pattern are not in it.
 */
const bundle = async (contents, pattern) => {
  const { metafile, outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "neutral",
    plugins: [only(pattern)],
    metafile: true,
    write: false
  })
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports)
  return {
    bytes: gzipSync(outputFiles[0].contents).length,
    imports: imports.filter(({ external, kind }) => external && kind === "import-statement").map(({ path }) => path)
  }
}

const ours = /^@crossdock\//
const packageOf = (path) => /^(?:@[^/]+\/)?[^/]+/.exec(path)[0]
const isBuiltIn = (path) => path.startsWith("node:")

/** `[]` when it runs anywhere, with effect alone. */
const outside = (imports) =>
  [...new Set(imports.map((path) => (isBuiltIn(path) ? path : packageOf(path))))]
    .filter((one) => one !== "effect")
    .sort()

const ruleRows = await Promise.all(
  Object.entries(rules).map(async ([name, contents]) => ({ name, bytes: (await bundle(contents, ours)).bytes }))
)

const pageRows = await Promise.all(
  Object.entries(pages).map(async ([name, { bound, script }]) => {
    const [own, all] = await Promise.all([/^$/, ours].map((pattern) => bundle(`import "${script}"`, pattern)))
    return { name, bound, own: own.bytes, bytes: all.bytes }
  })
)

const entryRows = await Promise.all(
  publishedPackages
    .flatMap(({ manifest }) => entriesOf(manifest))
    .map(async (entry) => {
      const everything = `export * from "${entry}"`
      const itself = new RegExp(`^${packageOf(entry)}(/|$)`)
      const [alone, all] = await Promise.all([bundle(everything, itself), bundle(everything, ours)])
      return { entry, own: alone.bytes, all: all.bytes, imports: outside(all.imports) }
    })
)

/** Each package's root, and the entries for which something has to be installed or that need Node. */
const shown = entryRows.filter(({ entry, imports }) => entry === packageOf(entry) || imports.length > 0)

const kilobytes = (bytes) => (bytes / 1024).toFixed(1)
const table = (head, rows) => [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n")

const written = `# Bundles

Minified and gzipped, in KB of 1,024 bytes. \`effect\` and packages of others are not counted. \`npm run docs\` writes this page; \`npm test\` fails when a bundle is above its bound, an entry imports something else than is said here, or a size is 5 % off.

## Rules alone

${table(
  ["Imported", "KB", "Bound"],
  ruleRows.map(({ name, bytes }) => [name, kilobytes(bytes), kilobytes(bound)])
)}

With the code of other Crossdock packages that they need, and without Effect's Schema and runtime.

## Pages

${table(
  ["Page", "Own KB", "With ours", "Bound"],
  pageRows.map(({ bound, bytes, name, own }) => [`\`${name}\``, kilobytes(own), kilobytes(bytes), kilobytes(bound)])
)}

The script of a page that works without a server. The bound is that of its own code with ours.

## Entries

Everything that an entry exports, which a bundler then cuts to what is used: the package's own code, and with the code of the Crossdock packages that it needs. What an entry imports besides effect has to be installed, or comes with Node. An entry that isn't listed imports nothing else.

${table(
  ["Entry", "Own KB", "With ours", "Imports besides effect"],
  shown.map(({ entry, own, all, imports }) => [`\`${entry}\``, kilobytes(own), kilobytes(all), imports.join(", ")])
)}
`

/** Sizes differ a little between versions of zlib; everything else has to be the same. */
const sizes = (text) => [...text.matchAll(/\| (\d+\.\d) /g)].map(([, size]) => Number(size))
const isNear = (size, at, all) => Math.abs(size - all[at]) <= Math.max(0.1, all[at] * 0.05)
const withoutSizes = (text) => text.replaceAll(/\| \d+\.\d /g, "| ")
const isStale = (text) =>
  withoutSizes(text) !== withoutSizes(written) || !sizes(text).every((size, at) => isNear(size, at, sizes(written)))

const before = existsSync(page) ? readFileSync(page, "utf8") : ""
export const documents = { "docs/internals/bundles.md": isStale(before) ? written : before }

export const faults = [...ruleRows.map((row) => ({ ...row, bound })), ...pageRows]
  .filter((row) => row.bytes >= row.bound)
  .map(({ bound, bytes, name }) => `${name}: ${bytes} bytes, which is not below ${bound}`)
