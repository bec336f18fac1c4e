/** Sends any number of records, in requests as large as the operation allows, and merges the results. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Call } from "./Call.ts"
import type { Bulk, Failure, Input, Operation } from "./Operation.ts"

/** A record that wasn't applied. `index` counts all records. `code` is the record's, or the request's, or `NO_ANSWER`. */
export interface FailedRecord {
  readonly index: number
  readonly code: string
  readonly message: string
  readonly path?: string
}

/** An entry of an operation's `errors`. If the whole request failed, `code` is the request's code or `NO_ANSWER`. */
export type Rejected<Failed> = Omit<Failed, "code"> & { readonly code: string }

/** The progress after each request: how many records are done, and how many of them failed. */
export interface Progress {
  readonly sent: number
  readonly failed: number
}

/** Options of a bulk. `concurrency` is the number of requests at once, 4 by default: use 1 if SKUs or ids are repeated. */
export interface BulkOptions {
  readonly concurrency?: number
  readonly onProgress?: (progress: Progress) => void
  readonly idempotencyKey?: string
}

/** The merged result of all requests, in their order. `traces` are the trace ids of catalog writes. */
export interface BulkResult<Failed> {
  readonly status: "SUCCESS" | "PARTIAL_SUCCESS" | "FAILED"
  readonly total: number
  readonly succeeded: number
  readonly failed: number
  readonly errors: ReadonlyArray<Failed>
  readonly traces: ReadonlyArray<string>
}

/** The result of one request. `offset` is the index of its first record among all records. */
export interface Part<Failed> {
  readonly offset: number
  readonly size: number
  readonly errors: ReadonlyArray<Failed>
  readonly traces: ReadonlyArray<string>
}

/** Records from memory, or from a source that is read on demand. */
export type Records<A> = Iterable<A> | AsyncIterable<A> | Stream.Stream<A>

interface Chunk {
  readonly offset: number
  readonly records: ReadonlyArray<unknown>
}

interface Answer {
  readonly data?: Answer
  readonly errors?: ReadonlyArray<FailedRecord> | Readonly<Record<string, FailedRecord>>
  readonly trace_id?: string
}

const prefixOf = ({ list }: Bulk): string => (list === "" ? "/" : `/${list}/`)

/** The index in a path such as `/3/quantity` or `/products/3`. */
const indexIn = (bulk: Bulk, path: string): number => {
  const prefix = prefixOf(bulk)
  return path.startsWith(prefix) ? Number.parseInt(path.slice(prefix.length), 10) : Number.NaN
}

const movedPath = (bulk: Bulk, path: string, offset: number): string => {
  const index = indexIn(bulk, path)
  if (Number.isNaN(index)) return path
  const prefix = prefixOf(bulk)
  return `${prefix}${index + offset}${path.slice(prefix.length + String(index).length)}`
}

const moved =
  (bulk: Bulk, offset: number) =>
  <F extends FailedRecord>(failed: F): F => ({
    ...failed,
    index: failed.index + offset,
    ...(failed.path === undefined ? {} : { path: movedPath(bulk, failed.path, offset) })
  })

const failedIn = ({ data, errors }: Answer): ReadonlyArray<FailedRecord> =>
  data !== undefined ? failedIn(data) : Object.values(errors ?? [])

/** Every record of a failed request, each with its own fault if the answer names one, and otherwise the request's. */
const allFailed = (bulk: Bulk, { offset, records }: Chunk, error: Failure): ReadonlyArray<FailedRecord> => {
  const faults = error._tag === "ApiError" ? error.errors : []
  const whole = { code: error._tag === "ApiError" ? error.code : "NO_ANSWER", message: error.message }
  const own = new Map<number, FailedRecord>()
  for (const { code, message, path } of faults) {
    const index = indexIn(bulk, path)
    if (!own.has(index)) own.set(index, { index, code, message, path })
  }
  return records.map((_, index) => moved(bulk, offset)(own.get(index) ?? { index, ...whole }))
}

const streamOf = (records: Records<unknown>): Stream.Stream<unknown> =>
  Stream.isStream(records)
    ? (records as Stream.Stream<unknown>)
    : Symbol.asyncIterator in records
      ? Stream.orDie(Stream.fromAsyncIterable(records, (error) => error))
      : Stream.fromIterable(records)

/** The result of each request, as soon as it and all earlier ones have arrived. `rest` is the input without the records. */
export const parts = (
  call: Call,
  operation: Operation & { readonly bulk: Bulk },
  records: Records<unknown>,
  options: BulkOptions,
  rest: Input
): Stream.Stream<Part<FailedRecord>> => {
  const { bulk } = operation
  const { concurrency = 4, idempotencyKey } = options
  const progress = { sent: 0, failed: 0 }
  let final: Failure | undefined

  const payloadOf = (records: ReadonlyArray<unknown>) =>
    bulk.list === "" ? records : { ...(rest.payload as object | undefined), [bulk.list]: records }

  const partOf = (chunk: Chunk, errors: ReadonlyArray<FailedRecord>, traces: ReadonlyArray<string>) => {
    const part = { offset: chunk.offset, size: chunk.records.length, errors, traces }
    progress.sent += part.size
    progress.failed += errors.length
    options.onProgress?.({ ...progress })
    return [part]
  }

  const sent = (chunk: Chunk): Effect.Effect<ReadonlyArray<Part<FailedRecord>>> => {
    const { offset, records } = chunk
    const key = idempotencyKey === undefined ? {} : { idempotencyKey: `${idempotencyKey}-${offset}-${records.length}` }
    const failed = (error: Failure) => partOf(chunk, allFailed(bulk, chunk, error), [])
    return Effect.suspend(() =>
      final === undefined ? call(operation, { ...rest, payload: payloadOf(records) }, key) : Effect.fail(final)
    ).pipe(
      Effect.map((answer) => {
        const { trace_id } = answer as Answer
        const errors = failedIn(answer as Answer).map(moved(bulk, offset))
        return partOf(chunk, errors, trace_id === undefined ? [] : [trace_id])
      }),
      Effect.catch((error) => {
        const status = error._tag === "ApiError" ? error.status : 0
        if (status === 413 && records.length > 1) return halves(chunk)
        // Later requests would fail too, since the account can't sign in or lacks the right. So they aren't sent.
        if (status === 401 || status === 403) final = error
        return Effect.sync(() => failed(error))
      })
    )
  }

  const halves = ({ offset, records }: Chunk) => {
    const middle = Math.ceil(records.length / 2)
    const first = { offset, records: records.slice(0, middle) }
    const second = { offset: offset + middle, records: records.slice(middle) }
    return Effect.map(Effect.forEach([first, second], sent), (both) => both.flat())
  }

  return streamOf(records).pipe(
    Stream.grouped(bulk.most),
    Stream.mapAccum(
      () => 0,
      (offset, records) => [offset + records.length, [{ offset, records }]] as const
    ),
    Stream.mapEffect(sent, { concurrency }),
    Stream.flattenIterable
  )
}

export const merged = <F, E, R>(parts: Stream.Stream<Part<F>, E, R>): Effect.Effect<BulkResult<F>, E, R> =>
  Effect.map(
    Stream.runFold(
      parts,
      () => ({ total: 0, errors: [] as Array<F>, traces: [] as Array<string> }),
      (all, part) => {
        for (const failed of part.errors) all.errors.push(failed)
        all.traces.push(...part.traces)
        all.total += part.size
        return all
      }
    ),
    ({ errors, total, traces }) => ({
      status: errors.length === 0 ? "SUCCESS" : errors.length < total ? "PARTIAL_SUCCESS" : "FAILED",
      total,
      succeeded: total - errors.length,
      failed: errors.length,
      errors,
      traces
    })
  )
