/** The codes in the reference: for each status, for records and fields, and for each operation. */
import { readFileSync } from "node:fs"
import type { Operation } from "./Operation.ts"

const page = (name: string): string =>
  readFileSync(new URL(`../../../docs/reference/${name}.md`, import.meta.url), "utf8")

const codesIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, code = ""]) => code)

const errors = page("errors")

const statuses = new Map(
  [...errors.matchAll(/^\| `([A-Z_]+)` \| (\d{3}) \|/gm)].map(
    ([, code = "", status]) => [code, Number(status)] as const
  )
)

const shipmentCodes = codesIn(errors.slice(errors.indexOf("## Shipment codes"), errors.indexOf("## Codes of the host")))

const entryCodes: ReadonlySet<string> = new Set([...codesIn(errors), ...codesIn(page("catalog-rules"))])

const lists = (["seller", "marketplace", "platform", "operator"] as const).flatMap((name) =>
  page(name)
    .split(/^### /m)
    .slice(1)
    .flatMap((section) => {
      const [head = ""] = section.split("\n")
      const codes = /^- Codes: (.*)$/m.exec(section)?.[1]
      return codes === undefined ? [] : [[head.trim(), new Set(codesIn(codes))] as const]
    })
)

const listed = new Map(lists)

/** Codes that are explained for all operations, so no operation lists them. */
const special: ReadonlySet<string> = new Set(lists.flatMap(([, codes]) => [...codes]))

/** Codes that are possible wherever fields, records or credentials are. An operation lists them only for emphasis. */
const common: ReadonlySet<string> = new Set([
  "VALIDATION_FAILED",
  "NOT_FOUND",
  "FORBIDDEN",
  "TOKEN_INVALID",
  "TOKEN_EXPIRED",
  "EMPTY_REQUEST",
  "TOO_MANY_RECORDS"
])

const isListed = ({ method, path }: Operation, code: string): boolean =>
  !special.has(code) || common.has(code) || listed.get(`${method} ${path}`)?.has(code) === true

/** Checks the code of an answer, and returns the fault if the code is wrong. */
export const faultOfCode = (operation: Operation, status: number, code: string): string | undefined => {
  const known = statuses.get(code) ?? (shipmentCodes.includes(code) ? 400 : undefined)
  if (known === undefined) return `the code ${code} is not in the reference`
  if (known !== status) return `the code ${code} has the status ${status}, in the reference ${known}`
  return isListed(operation, code) ? undefined : `the operation does not list the code ${code}`
}

/** Checks the code of a field, and returns the fault if the code is wrong. */
export const faultOfField = (code: string): string | undefined =>
  entryCodes.has(code) ? undefined : `the field's code ${code} is not in the reference`

/** Checks the code of a record in a bulk, and returns the fault if the code is wrong. */
export const faultOfRecord = (operation: Operation, code: string): string | undefined =>
  isListed(operation, code) ? faultOfField(code) : `the operation does not list the record's code ${code}`
