/** Converts records to cells and back. A column is a field's path, such as `sizes.0.price`. An empty cell means no field. */

/** The names of numeric fields in all kinds of records. */
export const numbers: ReadonlySet<string> = new Set([
  "quantity",
  "expected_quantity",
  "esp",
  "mrp",
  "price",
  "price_effective",
  "item_length",
  "item_width",
  "item_height",
  "item_weight",
  "value",
  "no_of_boxes",
  "time",
  "manufacturing_time"
])

/** The names of boolean fields in all kinds of records. */
export const flags: ReadonlySet<string> = new Set([
  "track_inventory",
  "primary",
  "is_dependent",
  "is_set",
  "returnable",
  "is_custom_order"
])

type Json = Record<string, unknown>

/** Matches texts that spreadsheets would run as formulas, even after blanks or apostrophes. */
const formula = /^'*\s*[=+\-@\t\r]/

/** The text with an apostrophe in front if a spreadsheet could run it as a formula. */
const escaped = (text: string): string => (formula.test(text) ? `'${text}` : text)

const unescaped = (cell: string): string => (cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell)

/** A line of a report. Its texts are escaped, since they may quote a file. */
export const escapedLine = (values: ReadonlyArray<string | number>): ReadonlyArray<string | number> =>
  values.map((value) => (typeof value === "string" ? escaped(value) : value))

const parsed = (cell: string): unknown => {
  try {
    return JSON.parse(cell)
  } catch {
    return cell
  }
}

const decimal = /^-?(0|[1-9]\d*)(\.\d+)?$/

/** The value of a cell. A malformed number remains a text, which the service then rejects. */
const meaning = (steps: ReadonlyArray<string>, written: string): unknown => {
  const name = steps.at(-1) ?? ""
  const cell = unescaped(written)
  if (steps[0] === "attributes") return parsed(cell)
  if (numbers.has(name)) return decimal.test(cell) ? Number(cell) : cell
  return flags.has(name) && /^(true|false)$/.test(cell) ? cell === "true" : cell
}

const isNumber = (step: string | undefined) => step !== undefined && /^\d+$/.test(step)

/** Whether a step of a path is a list index, which is at most 999. */
const isIndex = (step: string | undefined) => step !== undefined && /^(0|[1-9]\d{0,2})$/.test(step)

/** Sets the value at a path. Missing objects and lists on the path are made. */
const put = (record: Json, steps: ReadonlyArray<string>, value: unknown): void => {
  const [step = "", ...rest] = steps
  if (rest.length === 0) {
    record[step] = value
    return
  }
  if (!Object.hasOwn(record, step)) record[step] = isIndex(rest[0]) ? [] : {}
  put(record[step] as Json, rest, value)
}

/** The value with all gaps removed from its lists. A row can have a cell for `sizes.3` and none for `sizes.2`. */
const dense = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.filter((one) => one !== undefined).map(dense)
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, dense(one)]))
    : value
}

/** Names that would change the prototype of every object. */
const unsafe = new Set(["__proto__", "constructor", "prototype"])

/** A path has at most this many steps, which is the limit for the nesting of a JSON body. */
const mostSteps = 32

const isPath = (column: string): boolean => {
  const [first = "", ...inner] = column.split(".", mostSteps + 1)
  const isStep = (step: string) => step !== "" && !unsafe.has(step)
  return (
    inner.length < mostSteps &&
    isStep(first) &&
    inner.every((step) => isStep(step) && (!isNumber(step) || isIndex(step)))
  )
}

/** Each path from a record to a column's field, and whether a list, an object or a value is there. */
const shapesOf = (column: string): ReadonlyArray<readonly [path: string, shape: "value" | "list" | "object"]> => {
  const steps = column.split(".")
  return steps.map((_, index) => {
    const next = steps[index + 1]
    return [steps.slice(0, index + 1).join("."), next === undefined ? "value" : isIndex(next) ? "list" : "object"]
  })
}

/** Why a file can't have these columns, or undefined if it can. */
export const columnFault = (columns: ReadonlyArray<string>): string | undefined => {
  const known = new Map<string, { readonly column: string; readonly shape: string }>()
  for (const column of columns) {
    const name = JSON.stringify(column)
    if (!isPath(column)) return `The column ${name} is not the path of a field.`
    for (const [path, shape] of shapesOf(column)) {
      const other = known.get(path)
      if (other?.column === column) return `The column ${name} is there twice.`
      if (other !== undefined && other.shape !== shape)
        return `The columns ${JSON.stringify(other.column)} and ${name} can't both have a value.`
      known.set(path, other ?? { column, shape })
    }
  }
  return undefined
}

export const record = (columns: ReadonlyArray<string>, cells: ReadonlyArray<string>): Json => {
  const made: Json = {}
  columns.forEach((column, index) => {
    const cell = cells[index] ?? ""
    const steps = column.split(".")
    if (cell !== "") put(made, steps, meaning(steps, cell))
  })
  return dense(made) as Json
}

const at = (value: unknown, steps: ReadonlyArray<string>): unknown =>
  steps.reduce<unknown>(
    (inner, step) =>
      typeof inner === "object" &&
      inner !== null &&
      Object.hasOwn(inner, step) &&
      !(Array.isArray(inner) && !isIndex(step))
        ? (inner as Json)[step]
        : undefined,
    value
  )

/** The row of a record. An object or a list in a cell is written as JSON. */
export const cells = (columns: ReadonlyArray<string>, one: unknown): ReadonlyArray<string> =>
  columns.map((column) => {
    const steps = column.split(".")
    const value = at(one, steps)
    if (value === undefined || value === null) return ""
    if (typeof value === "object") return JSON.stringify(value)
    // The text is written as JSON if JSON would read it as another type, such as a number.
    if (steps[0] === "attributes" && typeof value === "string" && parsed(value) !== value) return JSON.stringify(value)
    return typeof value === "string" ? escaped(value) : String(value)
  })
