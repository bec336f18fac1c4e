/** Limits the gzipped size of rules and pages without Effect, and lists the imports of entries. Run it after `tsc -b`. */
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { entriesOf } from "./consumer-project.mjs"
import { publishedPackages } from "./pack-all.mjs"

const root = fileURLToPath(new URL("../", import.meta.url))

/** The maximum size of rules alone: 11 KB. */
const bound = 11 * 1024
const rules = {
  "the moves of a shipment": 'export { Lifecycle } from "@crossdock/shipments"',
  "the stock rules": 'export { Level, StockUpdate } from "@crossdock/inventory"',
  "the billing rules": 'export { Agreement, BillingCycle } from "@crossdock/billing"',
  "the product rules": 'export { ProductChanges, ProductShapeCheck, ReferenceIndex } from "@crossdock/catalog"'
}

/** The imports that are needed to load an entry. An entry that isn't listed must not need any. */
const imported = {
  create: "node:fs, node:path, node:url",
  "create/main": "node:fs, node:path, node:readline/promises, node:url, node:util",
  "cli/CommandLine": "@effect/sql-pg, better-sqlite3, node:fs, node:fs/promises, node:tls",
  "cli/Crossdock":
    "@effect/platform-node, @effect/sql-pg, better-sqlite3, bowser, csv-parse, csv-stringify, ipaddr.js, jose, node:async_hooks, node:child_process, node:crypto, node:dns, node:fs, node:fs/promises, node:http, node:https, node:module, node:net, node:os, node:path, node:perf_hooks, node:readline, node:tls, node:url, node:util, node:worker_threads, node:zlib",
  "cli/Host":
    "@effect/platform-node, @effect/sql-pg, better-sqlite3, bowser, ipaddr.js, jose, node:async_hooks, node:crypto, node:dns, node:fs, node:fs/promises, node:http, node:https, node:module, node:net, node:os, node:path, node:perf_hooks, node:tls, node:url, node:util, node:worker_threads",
  "cli/Sandbox": "jose, node:crypto, node:fs/promises, node:util",
  "cli/Server": "bowser, ipaddr.js, node:http, node:net",
  "cli/Settings": "@effect/sql-pg, better-sqlite3, bowser, ipaddr.js, node:fs, node:fs/promises, node:tls",
  "cli/Storage": "@effect/sql-pg, better-sqlite3, node:fs, node:fs/promises, node:tls",
  console: "bowser, ipaddr.js",
  crypto: "jose, node:crypto, node:util",
  "crypto/TokenCodecJose": "jose",
  "crypto/portable": "@noble/ciphers, @noble/hashes, jose",
  "documents/node": "node:fs/promises, node:os, node:worker_threads",
  "documents/pdf": "bidi-js, bwip-js, fontkit, pdf-lib, qr",
  files: "csv-parse, csv-stringify",
  host: "bowser, ipaddr.js",
  "host/node":
    "jose, node:async_hooks, node:crypto, node:dns, node:fs/promises, node:http, node:https, node:os, node:util, node:worker_threads",
  "host/portable": "@noble/ciphers, @noble/hashes, jose",
  http: "bowser, ipaddr.js",
  "http/contracts": "ipaddr.js",
  "notifications/node": "node:crypto, node:dns, node:http, node:https",
  "storage-laws": "@effect/vitest",
  "storage-laws/EveryLaw": "@effect/vitest",
  "storage-sql/BetterSqlite3": "better-sqlite3, node:fs/promises",
  "storage-sql/BunSqlite": "bun:sqlite, node:fs/promises",
  "storage-sql/NodePostgres": "node:net",
  "storage-sql/NodeSqlite": "node:fs/promises, node:sqlite",
  "storage-sql/Postgres": "@effect/sql-pg, node:fs, node:tls"
}

/** Bundles only modules that match the pattern. All others remain imports. */
const only = (pattern) => ({
  name: "only",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^[^./]/ }, ({ path }) => (pattern.test(path) ? undefined : { path, external: true }))
})

const ours = /^@crossdock\//

const options = { bundle: true, format: "esm", platform: "neutral", metafile: true, write: false }

/** The gzipped size of minified code. Only our packages are included. */
const sizeOf = async (contents) => {
  const stdin = { contents, resolveDir: root }
  const { outputFiles } = await build({ ...options, stdin, minify: true, plugins: [only(ours)] })
  return gzipSync(outputFiles[0].contents).length
}

const packageOf = (path) => /^(?:@[^/]+\/)?[^/]+/.exec(path)[0]
const isBuiltIn = (path) => path.startsWith("node:")

/** The packages and modules among the imports, without effect. Without such imports, the code runs anywhere. */
const outside = (imports) =>
  [...new Set(imports.map((path) => (isBuiltIn(path) ? path : packageOf(path))))]
    .filter((one) => one !== "effect")
    .sort()

const ruleRows = await Promise.all(
  Object.entries(rules).map(async ([name, contents]) => ({ name, bytes: await sizeOf(contents) }))
)

const tooLarge = ruleRows
  .filter(({ bytes }) => bytes >= bound)
  .map(({ bytes, name }) => `${name}: ${bytes} bytes, which is not below ${bound}`)

const entries = publishedPackages.flatMap(({ manifest }) => entriesOf(manifest))

/** One build has all entries, because they share most modules. */
const { metafile } = await build({
  ...options,
  entryPoints: entries.map((entry, nth) => ({ in: entry, out: String(nth) })),
  absWorkingDir: root,
  outdir: "none",
  splitting: true,
  plugins: [only(ours)]
})

/** The imports that loading a module needs. Node also loads imports that the code doesn't use. */
const importsFrom = (file) => {
  const seen = new Set([file])
  for (const one of seen) for (const { external, path } of metafile.inputs[one].imports) if (!external) seen.add(path)
  return [...seen]
    .flatMap((one) => metafile.inputs[one].imports)
    .filter(({ external, kind }) => external && kind === "import-statement")
    .map(({ path }) => path)
}

const otherImports = entries.flatMap((entry, nth) => {
  const found = outside(importsFrom(metafile.outputs[`none/${nth}.js`].entryPoint)).join(", ")
  const expected = imported[entry.replace("@crossdock/", "")] ?? ""
  return found === expected ? [] : [`${entry} imports ${found || "nothing"}, not ${expected || "nothing"}`]
})

export const faults = [...tooLarge, ...otherImports]
