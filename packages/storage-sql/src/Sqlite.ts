/**
 * A SQLite client that keeps what it acknowledged.
 */

import * as SqlClient from "@effect/sql/SqlClient"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * The WAL-reset fault: versions from 3.7.0 on that can lose a committed transaction, and those that were mended.
 */
const isFaulty = (version: string): boolean => {
  const [, minor = 0, patch = 0] = version.split(".").map(Number)
  const mended: Readonly<Record<number, number>> = { 44: 6, 50: 7, 51: 3 }
  return minor >= 7 && minor < 52 && patch < (mended[minor] ?? Number.POSITIVE_INFINITY)
}

/**
 * Every commit reaches the disk before it is acknowledged: in WAL mode the driver would drop to NORMAL, so FULL is said
 * aloud. Waits 5 s for another process's write. Dies on a SQLite with the WAL-reset fault.
 */
const prepare = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ version: string }>`SELECT sqlite_version() AS version`
  if (row === undefined || isFaulty(row.version)) {
    return yield* Effect.dieMessage(
      `SQLite ${row?.version} can lose committed data (WAL-reset fault); use 3.51.3 or later`
    )
  }
  yield* sql`PRAGMA synchronous = FULL`
  yield* sql`PRAGMA busy_timeout = 5000`
  yield* sql`PRAGMA cache_size = -65536`
})

/**
 * `filename` may be ":memory:".
 */
export const layer = (filename: string) =>
  Layer.provideMerge(Layer.effectDiscard(Effect.orDie(prepare)), SqliteClient.layer({ filename }))
