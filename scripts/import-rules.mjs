/** Checks that packages import only what docs/architecture.md allows, and domain packages only `effect` and each other. */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../packages/", import.meta.url))

const domain = {
  kernel: [],
  access: ["kernel"],
  audit: ["kernel", "access"],
  catalog: ["kernel", "access", "audit"],
  pricing: ["kernel", "access", "audit"],
  inventory: ["kernel", "access", "audit", "catalog", "pricing"],
  returns: ["kernel"],
  shipments: ["kernel", "access", "audit", "inventory", "returns"],
  marketplaces: ["kernel", "access", "audit", "inventory"],
  orders: ["kernel", "access", "audit", "catalog", "inventory", "shipments", "marketplaces"],
  notifications: ["kernel", "access", "audit", "inventory", "marketplaces"],
  documents: ["kernel", "access", "catalog", "returns", "shipments"],
  billing: ["kernel", "access", "audit"]
}

const anyDomain = Object.keys(domain)

/** Additional imports of the adapters in a domain package. Each adapter is a folder with its own subpath. */
const adapters = {
  notifications: { node: [/^node:/], fetch: [] },
  documents: { pdf: [/^pdf-lib$/, /^fontkit$/, /^bidi-js$/, /^bwip-js\/generic$/, /^qr$/], node: [/^node:/] }
}

/** Any import except the index of platform-node, which would load 700 modules in half a second. */
const anything = /^(?!@effect\/platform-node$)/

/** The packages outside the domain, and what they may import: our packages and others. */
const outer = {
  crypto: {
    own: ["kernel", "access", "audit"],
    others: [/^jose$/],
    folders: { portable: [/^@noble\/(ciphers|hashes)\//] },
    files: { "CheckpointKey.ts": [/^node:crypto$/], "NodeCrypto.ts": [/^node:(crypto|util)$/] }
  },
  "storage-memory": { own: anyDomain, others: [] },
  "storage-sql": {
    own: anyDomain,
    others: [/^effect\/(sql|reactivity)\//],
    // With one file per driver, a host that imports one driver doesn't load the others.
    files: {
      "BetterSqlite3.ts": [/^better-sqlite3$/, /^node:fs\/promises$/],
      "BunSqlite.ts": [/^bun:sqlite$/, /^node:fs\/promises$/],
      "NodeSqlite.ts": [/^node:sqlite$/, /^node:fs\/promises$/],
      "NodePostgres.ts": [/^node:net$/],
      "Postgres.ts": [/^@effect\/sql-pg\//],
      "PostgresUrl.ts": [/^node:(fs|tls)$/]
    }
  },
  "storage-laws": { own: anyDomain, others: [/^@effect\/vitest(\/|$)/] },
  http: { own: anyDomain, others: [/^effect\/(http|http-api|observability)\//, /^bowser$/, /^ipaddr\.js$/] },
  // The client has no server code. scripts/client-contracts.mjs makes its contracts from the contracts of http.
  client: { own: [], others: [/^effect\/http\//] },
  files: { own: ["client"], others: [/^csv-parse$/, /^csv-stringify\/sync$/] },
  rpc: { own: ["client"], others: [/^effect\/(http|rpc)\//] },
  host: {
    own: [...anyDomain, "http"],
    others: [/^effect\/http\//],
    folders: {
      node: [/^@crossdock\/(crypto|documents|notifications)(\/|$)/, /^node:(async_hooks|http)$/],
      portable: [/^@crossdock\/(crypto\/portable|documents|notifications\/fetch)$/]
    }
  },
  // The console serves the page in its folder `app`, which scripts/console-files.mjs bundles.
  console: { own: ["kernel", "access", "audit", "shipments", "http"], others: [/^effect\/(http|http-api)\//] },
  create: { own: [], others: [/^node:/] },
  cli: { own: null, others: [anything] }
}

/** The modules of `effect` that every package may import. HTTP, SQL and processes are folders, which are restricted. */
const core = /^effect\/([A-Z][A-Za-z]*|encoding\/[A-Za-z0-9]+)$/

/** Forbidden words, and globals that would tie a domain package to a runtime. */
const forbidden = [/\bDate\.now\(/, /\bMath\.random\(/, /\bnew Date\(\)/, /\bprocess\./, /^\s*throw\s/m, /\bfetch\(/]

const files = (folder) =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    return statSync(path).isDirectory() ? files(path) : path.endsWith(".ts") ? [path] : []
  })

const withoutComments = (source) => source.replace(/\/\*[\s\S]*?\*\//g, "").replace(/\/\/.*$/gm, "")

const importsOf = (source) => [...source.matchAll(/(?:from|import)\s+"([^"]+)"/g)].map(([, name]) => name)

export const faults = []
for (const name of readdirSync(root)) {
  const allowed = domain[name] ? { own: domain[name], others: [], folders: adapters[name] } : outer[name]
  if (allowed === undefined) {
    faults.push(`packages/${name}: this package has no rule in scripts/import-rules.mjs`)
    continue
  }
  for (const path of files(join(root, name, "src"))) {
    const source = withoutComments(readFileSync(path, "utf8"))
    const where = `packages/${relative(root, path)}`
    const [folder] = relative(join(root, name, "src"), path).split("/")
    const others = [...allowed.others, ...(allowed.folders?.[folder] ?? []), ...(allowed.files?.[folder] ?? [])]
    for (const imported of importsOf(source)) {
      const own = /^@crossdock\/([^/]+)/.exec(imported)?.[1]
      const fine = imported.startsWith(".")
        ? !relative(join(root, name, "src"), join(path, "..", imported)).startsWith("..")
        : own !== undefined && (allowed.own === null || allowed.own.includes(own))
          ? true
          : core.test(imported) || others.some((pattern) => pattern.test(imported))
      if (!fine) faults.push(`${where} must not import ${imported}`)
    }
    if (domain[name] && adapters[name]?.[folder] === undefined) {
      for (const pattern of forbidden) if (pattern.test(source)) faults.push(`${where} must not use ${pattern.source}`)
    }
  }
}

/** Checks that dependencies are imported. Exempt are the drivers of storage-sql and the needs of the bundled command. */
for (const name of readdirSync(root)) {
  const declared = Object.keys(JSON.parse(readFileSync(join(root, name, "package.json"), "utf8")).dependencies ?? {})
  const imported = files(join(root, name, "src")).flatMap((path) => importsOf(readFileSync(path, "utf8")))
  const drivers = declared.includes("@crossdock/storage-sql") ? ["better-sqlite3", "@effect/sql-pg"] : []
  const found = name === "cli" ? ["@crossdock/documents"] : []
  for (const one of declared.filter((one) => ![...drivers, ...found].includes(one))) {
    if (!imported.some((path) => path === one || path.startsWith(`${one}/`))) {
      faults.push(`packages/${name}/package.json declares ${one}, which nothing in src imports`)
    }
  }
}

/** Checks that imports have no cycles, even of types. A reader can then begin with a file that imports no other. */
const importedBy = new Map(
  files(root)
    .filter((path) => path.includes("/src/"))
    .map((path) => [
      path,
      importsOf(withoutComments(readFileSync(path, "utf8"))).flatMap((name) =>
        name.startsWith(".") ? [join(path, "..", name)] : []
      )
    ])
)
const left = new Set(importedBy.keys())
for (let before = -1; before !== left.size; ) {
  before = left.size
  for (const path of left) if (!importedBy.get(path).some((one) => left.has(one))) left.delete(path)
}
faults.push(...[...left].map((path) => `packages/${relative(root, path)} is in a circle of imports, or leads to one`))
