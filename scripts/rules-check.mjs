/**
 * Checks that each row of "Where a rule is" in docs/architecture.md names existing files and a test.
 * By default, a test or a law has the file's name. The last cell may name a test file, or the title of a test in quotation
 * marks. A test file that a cell names must use something from the rule's file.
 */
import { readdirSync, readFileSync } from "node:fs"
import { basename } from "node:path"
import { titles } from "./coverage.mjs"

const root = new URL("../", import.meta.url)
const read = (path) => readFileSync(new URL(path, root), "utf8")

const files = readdirSync(new URL("packages/", root), { recursive: true })
  .filter((path) => /^[^/]+\/(src|test)\/.*\.ts$/.test(path))
  .map((path) => `packages/${path}`)

const inFolder = (folder, name) =>
  files.find((path) => path.startsWith(`packages/${folder}/`) && basename(path) === name)

const namesOf = (path) => [
  basename(path, ".ts"),
  ...[...read(path).matchAll(/^export (?:const|class|function|interface|type) (\w+)/gm)].map(([, name]) => name)
]

const isUsedIn = (path, test) => namesOf(path).some((name) => new RegExp(`\\b${name}\\b`).test(read(test)))

const testOf = (name, at) => {
  const [folder, file] = name.includes("/") ? name.split("/") : [at, name]
  return inFolder(`${folder}/test`, `${file}.test.ts`) ?? inFolder("storage-laws/src", `${file}.ts`)
}

const codes = (cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name)

const faultsOf = ([rule, where, tested]) => {
  const named = [...where.matchAll(/([a-z-]+): ((?:`\w+`(?:, )?)+)/g)].flatMap(([, folder, list]) =>
    codes(list).map((name) => ({ folder, name, path: inFolder(`${folder}/src`, `${name}.ts`) }))
  )
  if (named.length === 0) return ["names no file"]
  const quoted = [...tested.matchAll(/"([^"]+)"/g)].map(([, title]) => title)
  return [
    ...quoted.filter((title) => !titles.has(title)).map((title) => `no test has the title "${title}"`),
    ...named.flatMap(({ folder, name, path }) => {
      if (path === undefined) return [`packages/${folder}/src has no ${name}.ts`]
      const isOwn = [name, `${name}Laws`].some((test) => testOf(test, folder) !== undefined)
      const others = codes(tested).flatMap((test) => testOf(test, folder) ?? [])
      const isTested = isOwn || quoted.length > 0 || others.some((test) => isUsedIn(path, test))
      return isTested ? [] : [`no test of ${folder}: ${name} is named`]
    }),
    ...codes(tested)
      .filter((name) => named.every(({ folder }) => testOf(name, folder) === undefined))
      .map((name) => `there is no test file ${name}`)
  ].map((fault) => `${rule}: ${fault}`)
}

const section = read("docs/architecture.md").split("## Where a rule is\n")[1]?.split("\n## ")[0] ?? ""
const rows = section
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| Rule"))
  .map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim())
  )

export const faults = (rows.length === 0 ? [["the table", "", ""]] : rows)
  .flatMap((row) => faultsOf(row))
  .map((fault) => `docs/architecture.md, where a rule is: ${fault}`)
