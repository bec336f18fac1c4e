/** Makes Markdown from the exports of packages. Each export has the first sentence of its docstring. */
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../packages/", import.meta.url))

const sentenceOf = (comment = "") => {
  const text = comment
    .replaceAll(/^\s*\* ?/gm, "")
    .replaceAll(/\s+/g, " ")
    .replace(/\bSource: .*$/, "")
    .replace(/@example.*$/, "")
    .trim()
  return (/^.*?\.(?= [A-Z`]|$)/.exec(text)?.[0] ?? text).replaceAll("|", "\\|")
}

const declaration =
  /(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*)?^export (?:declare )?(?:abstract )?(const|class|interface|type|function) (\w+)/gm

const declaredIn = (path) => {
  const text = readFileSync(path, "utf8")
  return [...text.matchAll(declaration)].map(([, comment, kind, name]) => ({ name, kind, about: sentenceOf(comment) }))
}

/** The sentence about a module. It comes from the module's first comment, or from its first declaration. */
const moduleAbout = (path) => sentenceOf(/^\/\*\*([\s\S]*?)\*\//.exec(readFileSync(path, "utf8"))?.[1])

const reexport = /^export (?:type )?(?:\* as (\w+)|\*|\{([^}]*)\}) from "(\.[^"]+)"/gm

const exportsOf = (index) =>
  [...readFileSync(index, "utf8").matchAll(reexport)].flatMap(([, namespace, names, from]) => {
    const path = join(dirname(index), from)
    if (from.endsWith("/index.ts") || !existsSync(path)) return []
    const declared = declaredIn(path)
    if (namespace !== undefined) {
      const own = new Map(declared.map((one) => [one.name, one]))
      return [
        { name: namespace, kind: "module", about: moduleAbout(path) },
        ...[...own.values()].map((one) => ({ ...one, name: `${namespace}.${one.name}` }))
      ]
    }
    const wanted = names?.split(",").map(
      (name) =>
        name
          .trim()
          .replace(/^type /, "")
          .split(" as ")[0]
    )
    return declared.filter(
      ({ name }, at) => (wanted?.includes(name) ?? true) && declared.findIndex((one) => one.name === name) === at
    )
  })

/** A section with a table for each entry of the package. */
export const apiOf = (folder) => {
  const { exports = {}, name } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))
  const tables = Object.entries(exports).flatMap(([entry, target]) => {
    const source = target["@crossdock/source"]
    if (source === undefined) return []
    const path = join(root, folder, source)
    const rows = path.endsWith("/index.ts") ? exportsOf(path) : declaredIn(path)
    if (rows.length === 0) return []
    return `### ${join(name, entry)}\n\n| Export | Kind | |\n|---|---|---|\n${rows.map((row) => `| \`${row.name}\` | ${row.kind} | ${row.about} |`).join("\n")}`
  })
  return tables.length === 0 ? "" : `\n## Exports\n\n${tables.join("\n\n")}\n`
}
