/** A new project: the files of a template, with a README of its commands and tests that pass at once. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"

export const templates = {
  server: "a host with sandbox data on SQLite, started by the command crossdock",
  backend: "a Fastify backend with its own tables, which commits its rows with Crossdock's",
  rules: "business rules tested on their own, without a host or a database",
  worker: "a host in a Cloudflare Worker, on a Durable Object's SQLite",
  receiver: "a marketplace's receiver of stock notifications"
} as const

export type Template = keyof typeof templates

export const templateNames = Object.keys(templates) as ReadonlyArray<Template>

export const isTemplate = (text: string): text is Template => Object.hasOwn(templates, text)

const templatesFolder = fileURLToPath(new URL("../templates/", import.meta.url))

/** npm packs no file that begins with a dot, so these begin with an underscore here. */
const target = (path: string): string => path.replace(/^_/, ".")

/** The files of a template: where each belongs in the project, and its text. */
export const filesOf = (template: Template): ReadonlyMap<string, string> => {
  const from = join(templatesFolder, template)
  const entries = readdirSync(from, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return new Map(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return [target(relative(from, path)), readFileSync(path, "utf8")] as const
    })
  )
}

/** npm accepts it as the name of a package, and every shell as that of a folder. */
export const isName = (text: string): boolean => /^[a-z0-9][a-z0-9._-]{0,213}$/.test(text)

interface Manifest {
  readonly name?: string
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** The project's own entries stay; those of the template that it lacks are added. */
const merged = (own: Manifest, added: Manifest): Manifest => ({
  ...added,
  ...own,
  scripts: { ...added.scripts, ...own.scripts },
  dependencies: { ...added.dependencies, ...own.dependencies },
  devDependencies: { ...added.devDependencies, ...own.devDependencies }
})

const manifestText = (manifest: Manifest): string => `${JSON.stringify(manifest, null, 2)}\n`

/** Whether a project can be created there: nothing is there, or an empty folder. */
export const isFree = (folder: string): boolean => !existsSync(folder) || readdirSync(folder).length === 0

/** The files that were written, and those of the template that were there before and stay as they are. */
export interface Written {
  readonly written: ReadonlyArray<string>
  readonly kept: ReadonlyArray<string>
}

/**
 * Writes the files of a template into a folder. An existing file stays, except that `package.json` gets the scripts and
 * dependencies that it lacks.
 */
export const write = (folder: string, template: Template): Written => {
  const written: Array<string> = []
  const kept: Array<string> = []
  for (const [path, text] of filesOf(template)) {
    const file = join(folder, path)
    const isManifest = path === "package.json"
    if (existsSync(file) && !isManifest) {
      kept.push(path)
      continue
    }
    const own: Manifest = existsSync(file)
      ? JSON.parse(readFileSync(file, "utf8"))
      : { name: basename(resolve(folder)) }
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, isManifest ? manifestText(merged(own, JSON.parse(text))) : text)
    written.push(path)
  }
  return { written, kept }
}
