/**
 * Checks that public modules of domain packages with a function or a table have an example.
 * Exceptions are what READMEs show together (`layer`, `make` of a module with a `layer`, `run` of a worker) and `/testing`.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

const root = fileURLToPath(new URL("../", import.meta.url))

const packages = [
  "access",
  "audit",
  "billing",
  "catalog",
  "crypto",
  "documents",
  "inventory",
  "kernel",
  "marketplaces",
  "notifications",
  "orders",
  "pricing",
  "returns",
  "shipments"
]

/** The index of a package, and the indexes of its folders with subpaths. */
const indexesOf = (source) => [
  join(source, "index.ts"),
  ...readdirSync(source, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "testing")
    .map(({ name }) => join(source, name, "index.ts"))
    .filter((path) => existsSync(path))
]

const reexport = /export (?:type )?(?:\*(?: as \w+)?|\{([^}]*)\}) from "([^"]+)"/g

const named = (names) => names.split(",").map((name) => name.trim())

/** Whether a value is a plain function. Schemas, services and other classes can be called too. */
const isPlainFunction = (value) =>
  typeof value === "function" && !/^class\b/.test(String(value)) && !Schema.isSchema(value) && !Context.isKey(value)

const isPlain = (value) => typeof value === "object" && value !== null && !Layer.isLayer(value)

/** Whether a value is a table: a list of records, or records by name. */
const isTable = (value) => isPlain(value) && Object.values(value).length > 1 && Object.values(value).every(isPlain)

const isWiring = (name, path, module) =>
  name === "layer" || (name === "make" && "layer" in module) || (name === "run" && path.endsWith("Worker.ts"))

/** Whether a module has a function or a table but no example. `names` limits the exports that count. */
const lacksExample = async (path, names) => {
  const module = await import(pathToFileURL(path).href)
  const isShown = (name) =>
    (names?.includes(name) ?? true) &&
    (isTable(module[name]) || (isPlainFunction(module[name]) && !isWiring(name, path, module)))
  return Object.keys(module).some(isShown) && !readFileSync(path, "utf8").includes("@example")
}

export const faults = []
for (const name of packages) {
  for (const index of indexesOf(join(root, "packages", name, "src"))) {
    const text = readFileSync(index, "utf8")
    if (text.replaceAll(reexport, "").trim() !== "") faults.push(`${relative(root, index)}: must only re-export`)
    for (const [, names, module] of text.matchAll(reexport)) {
      const path = join(index, "..", module)
      if (await lacksExample(path, names && named(names))) {
        faults.push(`${relative(root, path)}: has a function or a table, but no @example`)
      }
    }
  }
}
