/**
 * A new project: the files of a template under a name of its own.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { filesOf, type Template } from "./Template.ts"

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
