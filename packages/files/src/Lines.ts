/** Reads the records of a file, one at a time. */
import { parse } from "csv-parse"
import * as Cells from "./Cells.ts"

/** The format of a file. CSV has the paths of fields in its first line. JSON lines have one object per line. */
export type Format = "csv" | "jsonl"

/** A record, and the number of its first line, which counts from 1. If there is a `fault`, the line has no record. */
export interface Line {
  readonly line: number
  readonly record?: unknown
  readonly fault?: string
}

/** The bytes or the text of a file, in pieces of any size. */
export type Source = AsyncIterable<Uint8Array | string>

/** A record with more characters than this most likely has an unclosed quote. */
const longestRecord = 1024 * 1024

interface Row {
  readonly cells: ReadonlyArray<string>
  readonly last: number
}

/** Yields the rows of a file up to its first CSV fault, and returns that fault. */
async function* rows(source: Source): AsyncGenerator<Row, string | undefined> {
  let ready: Array<Row> = []
  let fault: string | undefined
  const parser = parse({
    bom: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: longestRecord,
    on_record: (cells: ReadonlyArray<string>, { lines }) => {
      ready.push({ cells, last: lines })
      return null
    }
  })
  parser.on("error", ({ message }) => (fault = message))
  const taken = () => {
    const rows = ready
    ready = []
    return rows
  }
  for await (const piece of source) {
    await new Promise<void>((resolve) => parser.write(piece, () => resolve()))
    yield* taken()
    if (fault !== undefined) return fault
  }
  const closed = new Promise((resolve) => parser.once("close", resolve))
  parser.end()
  parser.resume()
  await closed
  yield* taken()
  return fault
}

const countFault = (columns: number, cells: number) =>
  `The line has ${cells} cells, and the first line has ${columns} columns. Put cells with commas in quotes.`

const lineBreaks = (cells: ReadonlyArray<string>) => cells.reduce((sum, cell) => sum + cell.split("\n").length - 1, 0)

async function* records(source: Source): AsyncGenerator<Line> {
  const all = rows(source)
  let columns: ReadonlyArray<string> | undefined
  let next = 1
  for (let step = await all.next(); ; step = await all.next()) {
    if (step.done === true) {
      // After an incorrect quote, it isn't known where the next record starts.
      if (step.value !== undefined) yield { line: next, fault: `The file can't be read from here on: ${step.value}` }
      return
    }
    const { cells, last } = step.value
    const line = last - lineBreaks(cells)
    next = last + 1
    if (columns === undefined) {
      columns = cells.map((column) => column.trim())
      const fault = Cells.columnFault(columns)
      if (fault !== undefined) {
        yield { line, fault }
        return
      }
    } else if (cells.length !== columns.length) yield { line, fault: countFault(columns.length, cells.length) }
    else yield { line, record: Cells.record(columns, cells) }
  }
}

const jsonOf = (line: number, text: string): Line => {
  try {
    return { line, record: JSON.parse(text) }
  } catch {
    return { line, fault: "The line is not JSON." }
  }
}

async function* texts(source: Source): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  // The pieces of an unfinished line are joined only once, since a file may be a single line.
  let parts: Array<string> = []
  for await (const piece of source) {
    const text = typeof piece === "string" ? piece : decoder.decode(piece, { stream: true })
    const [first = "", ...others] = text.split("\n")
    parts.push(first)
    for (const next of others) {
      yield parts.join("")
      parts = [next]
    }
  }
  yield [...parts, decoder.decode()].join("")
}

async function* objects(source: Source): AsyncGenerator<Line> {
  let line = 0
  for await (const text of texts(source)) {
    line += 1
    if (text.trim() !== "") yield jsonOf(line, text)
  }
}

/** The records of a file in order. Empty lines are skipped. */
export const read = (format: Format, source: Source): AsyncIterable<Line> =>
  format === "csv" ? records(source) : objects(source)
