/** Writes the tables of docs/reference/errors.md from the code, and checks that both have the same codes. */
import { readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { productErrorCodes } from "@crossdock/catalog"
import { answerCodes, fieldCodes, recordCodes, shipmentCodes } from "@crossdock/http"

const root = fileURLToPath(new URL("../", import.meta.url))
const file = join(root, "docs/reference/errors.md")

const table = (head, rows) =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

const cause = (text) => (text.see === undefined ? text.cause : `${text.cause} [More](${text.see})`)

/** The tables, each between `<!-- name -->` and `<!-- /name -->`. */
const tables = {
  answers: table(
    ["Code", "Status", "Cause", "What to do"],
    Object.entries(answerCodes).map(([code, text]) => [`\`${code}\``, text.status, cause(text), text.fix])
  ),
  fields: table(
    ["Code", "Cause", "What to do"],
    Object.entries(fieldCodes).map(([code, text]) => [`\`${code}\``, cause(text), text.fix])
  ),
  records: table(
    ["Code", "Operation", "Cause", "What to do"],
    Object.entries(recordCodes).map(([code, text]) => [`\`${code}\``, text.operations, cause(text), text.fix])
  ),
  shipments: table(
    ["Operation", "Code", "Cause", "What to do"],
    Object.entries(shipmentCodes).flatMap(([operation, codes]) =>
      Object.entries(codes).map(([code, text]) => [operation, `\`${code}\``, cause(text), text.fix])
    )
  )
}

const before = readFileSync(file, "utf8")
export const faults = Object.keys(tables).flatMap((name) =>
  before.includes(`<!-- ${name} -->`) ? [] : [`docs/reference/errors.md has no place for its table: <!-- ${name} -->`]
)
const after = Object.entries(tables).reduce(
  (text, [name, body]) =>
    text.replace(
      new RegExp(`<!-- ${name} -->[\\s\\S]*<!-- /${name} -->`),
      () => `<!-- ${name} -->\n\n${body}\n\n<!-- /${name} -->`
    ),
  before
)

const declared = new Set([
  ...[answerCodes, fieldCodes, recordCodes, productErrorCodes, ...Object.values(shipmentCodes)].flatMap(Object.keys),
  "SKU_GONE",
  "STOCK_FULL",
  "NOT_RESERVED"
])

/** Words in capitals that aren't codes. */
const others = new Set([
  "PARTIAL_SUCCESS",
  "HANDED_OVER_TO_CUSTOMER",
  "RETURN_DELIVERED",
  "RETURN_PROCESSING",
  "INVALID_TRANSITION",
  "UNKNOWN_SKU_AND_LOCATION"
])

const filesIn = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => join(entry.parentPath, entry.name))

/** Codes of `client`, `files` and `rpc`. They are in docs/guides/client.md, because a host doesn't answer with them. */
const tooling = new Set([
  "benchmarks",
  "cli",
  "client",
  "files",
  "fuzz",
  "histories",
  "rpc",
  "storage-laws",
  "system-tests"
])
const declaring = /\/ProductErrorCodes\.ts$/
const sources = [
  ...readdirSync(join(root, "packages"))
    .filter((name) => !tooling.has(name))
    .flatMap((name) => filesIn(join(root, "packages", name, "src"))),
  join(root, "packages/cli/src/Server.ts")
].filter((path) => !declaring.test(path))

const patterns = [
  /"([A-Z]+(?:_[A-Z]+)+)"/g,
  /\bcode: "([A-Z]+)"/g,
  /["`]\[([A-Z_]+)\] /g,
  /"([A-Z]{1,2}4\d\d)"/g,
  /"(REQUIRED)"/g
]
const found = new Set()
for (const path of sources) {
  const text = readFileSync(path, "utf8").replaceAll(/\/\*\*[\s\S]*?\*\//g, "")
  for (const [, code] of patterns.flatMap((pattern) => [...text.matchAll(pattern)])) {
    found.add(code)
    if (!declared.has(code) && !others.has(code)) {
      faults.push(`${relative(root, path)}: the code ${code} is in no table of packages/http/src/Failure.ts`)
    }
  }
}
for (const word of others) {
  if (declared.has(word)) faults.push(`${word} is in a table of codes, so it is no exception`)
  if (!found.has(word)) faults.push(`${word} is an exception, but no source has it`)
}
for (const code of declared) if (!found.has(code)) faults.push(`${code} is in a table of codes, but no source has it`)

export const documents = { "docs/reference/errors.md": after }
