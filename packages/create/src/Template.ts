/**
 * The templates of new projects: each is a folder of files, with a README of its commands and tests that pass at once.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"

export const templates = {
  server: "a host with sandbox data on SQLite, started by the command crossdock",
  backend: "a Fastify backend with its own tables, which commits its rows with Crossdock's",
  rules: "business rules tested on their own, without a host or a database",
  worker: "a host in a Cloudflare Worker, on a Durable Object's SQLite",
  receiver: "a marketplace's receiver of stock notifications"
} as const

export type Template = keyof typeof templates

export const names = Object.keys(templates) as ReadonlyArray<Template>

export const isTemplate = (text: string): text is Template => Object.hasOwn(templates, text)

const folder = fileURLToPath(new URL("../templates/", import.meta.url))

/** npm packs no file that begins with a dot, so these begin with an underscore here. */
const target = (path: string): string => path.replace(/^_/, ".")

/** The files of a template: where each belongs in the project, and its text. */
export const filesOf = (template: Template): ReadonlyMap<string, string> => {
  const from = join(folder, template)
  const entries = readdirSync(from, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return new Map(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return [target(relative(from, path)), readFileSync(path, "utf8")] as const
    })
  )
}
