/** Sends the records of a file, and reports the lines that failed. */
import type { ApiError, FailedRecord, NetworkError, Part } from "@crossdock/client"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Line } from "./Lines.ts"

/** A line whose record wasn't applied. The code `INVALID_LINE` means that the line contains no record. */
export interface FailedLine {
  readonly line: number
  readonly code: string
  readonly message: string
}

/** The outcome of some lines: the number of lines, and the lines that failed, in order. */
export interface Step {
  readonly lines: number
  readonly failed: ReadonlyArray<FailedLine>
}

/** Sends the records with `send`, such as `seller.parts.stock.update`. Emits a step per request, and one for final faults. */
export const run = <E>(
  lines: AsyncIterable<Line>,
  send: (records: Stream.Stream<never>) => Stream.Stream<Part<FailedRecord>, E>
): Stream.Stream<Step, E> =>
  Stream.suspend(() => {
    const lineOf = new Map<number, number>()
    let next = 0
    let faulty: Array<FailedLine> = []

    const isRecord = ({ fault, line }: Line): boolean => {
      if (fault === undefined) lineOf.set(next++, line)
      else faulty.push({ line, code: "INVALID_LINE", message: fault })
      return fault === undefined
    }

    const stepOf = (records: number, failed: ReadonlyArray<FailedLine>): Step => {
      const all = [...faulty, ...failed].toSorted((one, other) => one.line - other.line)
      const lines = records + faulty.length
      faulty = []
      return { lines, failed: all }
    }

    const records = Stream.orDie(Stream.fromAsyncIterable(lines, (error) => error)).pipe(
      Stream.filter(isRecord),
      Stream.map(({ record }) => record)
    )

    return send(records as Stream.Stream<never>).pipe(
      Stream.map(({ errors, offset, size }) => {
        const failed = errors.map(({ code, index, message }) => ({ line: lineOf.get(index) ?? 0, code, message }))
        for (let index = offset; index < offset + size; index++) lineOf.delete(index)
        return stepOf(size, failed)
      }),
      Stream.concat(
        Stream.unwrap(Effect.sync(() => (faulty.length === 0 ? Stream.empty : Stream.succeed(stepOf(0, [])))))
      )
    )
  })

/** Makes a `send` with one request per record, and at most `concurrency` requests at a time. */
export const each =
  <A>(call: (record: A) => Effect.Effect<unknown, ApiError | NetworkError>, concurrency = 4) =>
  (records: Stream.Stream<A>): Stream.Stream<Part<FailedRecord>> =>
    Stream.mapEffect(
      Stream.zipWithIndex(records),
      ([record, index]) =>
        Effect.match(call(record), {
          onFailure: (error) => {
            const code = error._tag === "ApiError" ? error.code : "NO_ANSWER"
            return { offset: index, size: 1, errors: [{ index, code, message: error.message }], traces: [] }
          },
          onSuccess: () => ({ offset: index, size: 1, errors: [], traces: [] })
        }),
      { concurrency }
    )
