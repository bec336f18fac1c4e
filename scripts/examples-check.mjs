/**
 * Checks that every function which a domain package exports is in an example, of its own docstring or another one of its
 * module, which scripts/examples.mjs then compiles and runs.
 *
 * What puts a program together needs no example of its own, since the READMEs show it: `layer`, `make` of a module with a
 * `layer`, and `run` of a worker. Neither do the builders of `/testing`, which the examples themselves use.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import * as Context from "effect/Context"
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

/** The index of a package, and those of the folders that it exports as subpaths. */
const indexesOf = (source) => [
  join(source, "index.ts"),
  ...readdirSync(source, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "testing")
    .map(({ name }) => join(source, name, "index.ts"))
    .filter((path) => existsSync(path))
]

const reexport = /export (?:type )?(?:\*(?: as (\w+))?|\{([^}]*)\}) from "([^"]+)"/g

const named = (names) => names.split(",").map((name) => name.trim())

/** The docstring of what a module exports under this name, declared there or re-exported from another module. */
const docstringOf = (path, name) => {
  const source = readFileSync(path, "utf8")
  const at = source.search(new RegExp(`^export (?:const|function) ${name}\\b`, "m"))
  if (at >= 0) return /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n$/.exec(source.slice(0, at))?.[1] ?? ""
  const [, , , module] = [...source.matchAll(reexport)].find(([, , names]) => named(names ?? "").includes(name)) ?? []
  return module === undefined ? "" : docstringOf(join(path, "..", module), name)
}

/** The code of a module's examples. */
const examplesOf = (path) =>
  [...readFileSync(path, "utf8").matchAll(/@example\n\s*\* ```ts\n([\s\S]*?)\n\s*\* ```/g)]
    .map(([, code]) => code)
    .join("\n")

/** Schemas, services and other classes can be called too. */
const isPlainFunction = (value) =>
  typeof value === "function" && !/^class\b/.test(String(value)) && !Schema.isSchema(value) && !Context.isKey(value)

const isWiring = (name, path, module) =>
  name === "layer" || (name === "make" && "layer" in module) || (name === "run" && path.endsWith("Worker.ts"))

/**
 * The functions of a module without an example, of those that an index lists, or all of those that it exports as a namespace.
 */
const withoutExample = async (path, names, namespace) => {
  const module = await import(pathToFileURL(path).href)
  const examples = examplesOf(path)
  const isShown = (name) =>
    namespace
      ? new RegExp(`\\b${namespace}\\.${name}\\b|\\{[^}]*\\b${name}\\b[^}]*\\} = ${namespace}\\b`).test(examples)
      : new RegExp(`\\b${name}\\b`).test(examples)
  return Object.keys(module).filter(
    (name) =>
      (names?.includes(name) ?? true) &&
      isPlainFunction(module[name]) &&
      !isWiring(name, path, module) &&
      !isShown(name) &&
      !docstringOf(path, name).includes("@example")
  )
}

export const faults = []
for (const name of packages) {
  for (const index of indexesOf(join(root, "packages", name, "src"))) {
    const text = readFileSync(index, "utf8")
    if (text.replaceAll(reexport, "").trim() !== "") faults.push(`${relative(root, index)}: must only re-export`)
    for (const [, namespace, names, module] of text.matchAll(reexport)) {
      const path = join(index, "..", module)
      const found = await withoutExample(path, names && named(names), namespace)
      faults.push(
        ...found.map((one) => `${relative(root, path)}: ${one} is exported, but no @example of its module has it`)
      )
    }
  }
}
