/** A new project from a template, which has a README with its commands, and tests that pass. */
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"

/** The templates of projects, each with a description. */
export const templates = {
  server: "a host with sandbox data on SQLite, started by the command crossdock",
  backend: "a Fastify backend that changes its own tables and Crossdock's in one transaction",
  rules: "business rules tested on their own, without a host or a database",
  worker: "a host in a Cloudflare Worker, on a Durable Object's SQLite",
  receiver: "a marketplace's receiver of stock notifications"
} as const

/** The name of a template. */
export type Template = keyof typeof templates

/** The names of all templates. */
export const templateNames = Object.keys(templates) as ReadonlyArray<Template>

/** Whether a text is the name of a template. */
export const isTemplate = (text: string): text is Template => Object.hasOwn(templates, text)

/** The name of a file in the project. Templates have `_` for the dot of dot files, since npm doesn't pack all of these. */
const target = (path: string): string => path.replace(/^_/, ".")

/** The files of a template: the path of each in the project, and its text. */
export const filesOf = (template: Template): ReadonlyMap<string, string> => {
  const from = join(fileURLToPath(new URL("../templates/", import.meta.url)), template)
  const entries = readdirSync(from, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return new Map(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return [target(relative(from, path)), readFileSync(path, "utf8")] as const
    })
  )
}

/** Whether npm accepts a name for a package, and every shell for a folder. */
export const isName = (text: string): boolean =>
  /^[a-z0-9][a-z0-9._-]{0,213}$/.test(text) && !["node_modules", "favicon.ico"].includes(text)

type Entries = Readonly<Record<string, string>>

interface Manifest {
  readonly name?: string
  readonly scripts?: Entries
  readonly dependencies?: Entries
  readonly devDependencies?: Entries
}

const isObject = (one: unknown): one is object => typeof one === "object" && one !== null && !Array.isArray(one)

/** The folder can't be used. The error is thrown before anything is written. */
class Unusable extends Error {}

const parts = ["scripts", "dependencies", "devDependencies"] as const

const parsedManifest = (text: string): Manifest => {
  const parse = (): unknown => {
    try {
      return JSON.parse(text)
    } catch {
      return undefined
    }
  }
  const manifest = parse()
  const isUsable = isObject(manifest) && parts.every((part) => isObject(Reflect.get(manifest, part) ?? {}))
  if (!isUsable) throw new Unusable("package.json is not a package's manifest in JSON. Correct it first.")
  return manifest
}

/** Adds missing entries. The project's own entries don't change. */
const merged = (own: Manifest, added: Manifest): Manifest => ({
  ...added,
  ...own,
  ...Object.fromEntries(parts.map((part) => [part, { ...added[part], ...own[part] }]))
})

/** What is at the path, itself and not what it links to. */
const statOf = (path: string) => {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    throw new Unusable(`${path} can't be read. Choose another folder.`)
  }
}

const isThere = (path: string): boolean => statOf(path) !== undefined

/** Whether the path can be used: nothing exists there, or an empty folder. */
export const isFree = (folder: string): boolean =>
  !isThere(folder) || (lstatSync(folder).isDirectory() && readdirSync(folder).length === 0)

/** Fails if a link or a file is in the place of a folder on the path. A link could lead out of `folder`. */
const checkInside = (folder: string, path: string): void => {
  const steps = path.split("/").slice(0, -1)
  const link = steps.find((_, at) => {
    const stat = statOf(join(folder, ...steps.slice(0, at + 1)))
    return stat !== undefined && !stat.isDirectory()
  })
  if (link !== undefined) throw new Unusable(`${link} is not a folder of its own. Move it away first.`)
}

/** Makes a folder with all its parents. Node's recursive option never returns if no folder can be made, as in /proc. */
const makeFolder = (path: string): void => {
  if (isThere(path)) return
  makeFolder(dirname(path))
  try {
    mkdirSync(path)
  } catch {
    throw new Unusable(`The folder ${path} can't be made. Choose another one.`)
  }
}

/** The files that were written, and the existing files that were kept. */
export interface Written {
  readonly written: ReadonlyArray<string>
  readonly kept: ReadonlyArray<string>
}

/** Writes the missing files of a template and the missing entries of `package.json`. Throws if the folder can't be used. */
export const write = (folder: string, template: Template): Written => {
  const files = [...filesOf(template)]
  for (const [path] of files) checkInside(folder, path)
  const manifest = join(folder, "package.json")
  const own = isThere(manifest) ? parsedManifest(readFileSync(manifest, "utf8")) : { name: basename(resolve(folder)) }
  const kept = files.flatMap(([path]) => (path !== "package.json" && isThere(join(folder, path)) ? [path] : []))
  const added = files.filter(([path]) => !kept.includes(path))
  for (const [path, text] of added) {
    const file = join(folder, path)
    makeFolder(dirname(file))
    writeFileSync(file, file === manifest ? `${JSON.stringify(merged(own, JSON.parse(text)), null, 2)}\n` : text)
  }
  return { written: added.map(([path]) => path), kept }
}
