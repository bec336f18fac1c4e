/** Writes records as the text of a file. */
import { stringify } from "csv-stringify/sync"
import * as Stream from "effect/Stream"
import * as Cells from "./Cells.ts"
import type { FailedLine } from "./Import.ts"

/** Writes records as JSON lines, with one object per line. */
export const jsonl = <A, E, R>(records: Stream.Stream<A, E, R>): Stream.Stream<string, E, R> =>
  Stream.map(records, (one) => `${JSON.stringify(one)}\n`)

/** Writes records as CSV. Each column is the path of a field. */
export const csv = <A, E, R>(
  records: Stream.Stream<A, E, R>,
  columns: ReadonlyArray<string>
): Stream.Stream<string, E, R> =>
  Stream.concat(
    Stream.succeed(stringify([columns])),
    Stream.map(records, (one) => stringify([Cells.cells(columns, one)]))
  )

export const reportHead = stringify([["line", "code", "message"]])

/** Writes a report as CSV, with one line per failed line. */
export const report = (failed: ReadonlyArray<FailedLine>): string =>
  stringify(failed.map(({ code, line, message }) => Cells.escapedLine([line, code, message])))
