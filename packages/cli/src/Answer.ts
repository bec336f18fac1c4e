/** The answer of a command. It is one value, printed as text or, with `--json`, as JSON. */

/** `json` is stable for scripts. With a `fault`, such as a difference that the command found, the exit code is 1. */
export interface Answer {
  readonly json: unknown
  readonly text: string
  readonly fault: boolean
}

/** Characters that change a terminal's screen or the order of its text. */
const controls = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu

const escaped = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16)}}`

/** A value as one line of text, so that no part of it can pass for another line. */
const cell = (value: unknown): string => {
  if (value === null || value === undefined || value === "") return "-"
  if (typeof value === "boolean") return value ? "yes" : "no"
  if (Array.isArray(value)) return value.length === 0 ? "-" : value.map(cell).join(", ")
  return (typeof value === "object" ? JSON.stringify(value) : String(value)).replaceAll(controls, escaped)
}

/** `legalName` is shown as `legal name`. */
const heading = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

const aligned = (lines: ReadonlyArray<ReadonlyArray<string>>): string => {
  const [first = []] = lines
  const widths = first.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((text, at) => text.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

/** A time in epoch milliseconds as readable text. */
export const time = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())

/** Writes `1 order` or `2 orders`. `many` is for irregular plurals. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

/** An answer in sentences; `json` is the value for `--json`. */
export const sentence = (text: string, json: unknown, fault = false): Answer => ({ json, text, fault })

/** A table with one line per row. The text shows `columns`. By default, `json` is the rows with all their fields. */
export const table = <R extends object>(
  rows: ReadonlyArray<R>,
  columns: ReadonlyArray<keyof R & string>,
  json: unknown = rows
): Answer => {
  const lines = [columns.map(heading), ...rows.map((row) => columns.map((column) => cell(row[column])))]
  return sentence(rows.length === 0 ? "none" : aligned(lines), json)
}

/** An answer with the fields of one object, one field per line. */
export const record = (fields: Readonly<Record<string, unknown>>, json: unknown = fields): Answer =>
  sentence(aligned(Object.entries(fields).map(([name, value]) => [heading(name), cell(value)])), json)

export const faulty = (answer: Answer, fault = true): Answer => ({ ...answer, fault })

/** An answer whose text has several parts, one after the other. */
export const joined = (json: unknown, parts: ReadonlyArray<string>): Answer => sentence(parts.join("\n\n"), json)

/** The text without characters that change a terminal's screen. Texts of callers could contain such characters. */
export const shown = (text: string): string =>
  text.replaceAll(controls, (character) => (character === "\n" ? character : escaped(character)))

/** The value as JSON without characters that change a terminal's screen. `JSON.stringify` escapes only some of them. */
export const jsonText = (value: unknown, indentation = 0): string =>
  JSON.stringify(value, null, indentation).replaceAll(controls, (character) =>
    character === "\n" ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

export const printed = ({ json, text }: Answer, asJson: boolean): string =>
  `${asJson ? jsonText(json, 2) : shown(text)}\n`
