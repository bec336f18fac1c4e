/** Effect's connection on a driver of three functions. `SqliteConnection`, which every request passes, has its own. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"

type Run<A> = (text: string, params: ReadonlyArray<unknown>) => Effect.Effect<A, SqlError>

/** `rows` gives objects, `values` arrays in the order of columns, and `raw` the driver's own answer. */
export const make = (driver: {
  readonly rows: Run<ReadonlyArray<object>>
  readonly values: Run<ReadonlyArray<ReadonlyArray<unknown>>>
  readonly raw: Run<unknown>
}): Connection => {
  const { raw, rows, values } = driver
  const execute: Connection["execute"] = (text, params, transform) =>
    transform === undefined ? rows(text, params) : Effect.map(rows(text, params), transform)
  return {
    execute,
    executeUnprepared: execute,
    executeRaw: raw,
    executeValues: values,
    executeValuesUnprepared: values,
    executeStream: (text, params, transform) => Stream.fromIterableEffect(execute(text, params, transform))
  }
}
