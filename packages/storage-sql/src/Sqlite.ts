/**
 * Makes a SQLite client keep what it acknowledged.
 */

import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"

/**
 * Versions before 3.51.3 can lose a committed transaction (the WAL-reset fault) or lack `jsonb_each`, which reads the
 * rows of a request without parsing each of them once for every column.
 */
const oldest = [3, 51, 3] as const

/**
 * Whether the host does not start on this version of SQLite.
 */
export const isTooOld = (version: string): boolean => {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number)
  return (major - oldest[0] || minor - oldest[1] || patch - oldest[2]) < 0
}

/**
 * `busyTimeout` is for how many milliseconds SQLite itself waits for another process's write, which stops this process
 * meanwhile; 5,000 unless given. `SqliteClient` waits on its own, and needs none.
 */
export interface Options {
  readonly busyTimeout?: number
}

/**
 * Every commit reaches the disk before it is acknowledged: in WAL mode a driver may drop to NORMAL, so FULL is set
 * explicitly. Dies on a SQLite that is too old.
 */
const prepare = Effect.fnUntraced(function* ({ busyTimeout = 5000 }: Options) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`PRAGMA busy_timeout = ${sql.literal(String(busyTimeout))}`
  const [row] = yield* sql<{ version: string }>`SELECT sqlite_version() AS version`
  if (row === undefined || isTooOld(row.version)) {
    return yield* Effect.die(
      new Error(`SQLite ${row?.version} can lose committed data; use ${oldest.join(".")} or later`)
    )
  }
  // A second process reads while this one writes.
  yield* sql`PRAGMA journal_mode = WAL`
  yield* sql`PRAGMA synchronous = FULL`
  yield* sql`PRAGMA cache_size = -65536`
  // A page that is written again and again goes into the database file once in 16 MiB of log instead of once in 4.
  yield* sql`PRAGMA wal_autocheckpoint = 4000`
})

/**
 * Any of Effect's SQLite clients, with these settings on its one connection.
 */
export const durable = <Client, E, R>(
  client: Layer.Layer<Client | SqlClient.SqlClient, E, R>,
  options: Options = {}
): Layer.Layer<Client | SqlClient.SqlClient, E, R> =>
  Layer.provideMerge(Layer.effectDiscard(Effect.orDie(prepare(options))), client)
