/** Makes a SQLite client durable. It also works on a database that the application opened. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import * as SqliteClient from "./SqliteClient.ts"
import type { BetterSqlite3Handle, NodeSqliteHandle, SqliteDatabase } from "./SqliteConnection.ts"
import { ofBetterSqlite3, ofNodeSqlite } from "./SqliteConnection.ts"

/** The oldest usable version. Earlier ones can lose a commit (the WAL-reset bug), or lack the fast `jsonb_each`. */
const oldest = [3, 51, 3] as const

/** Whether a host rejects this version of SQLite. */
export const isTooOld = (version: string): boolean => {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number)
  return (major - oldest[0] || minor - oldest[1] || patch - oldest[2]) < 0
}

/** Settings of SQLite. Another process's lock blocks this process for up to `busyTimeout` ms, by default 5,000. */
export interface Options {
  readonly busyTimeout?: number
}

const checkVersion = Effect.gen(function* () {
  const sql = yield* SqlClient
  const [row] = yield* sql<{ version: string }>`SELECT sqlite_version() AS version`
  if (row === undefined || isTooOld(row.version))
    return yield* Effect.die(
      new Error(`SQLite ${row?.version} can lose committed data; use ${oldest.join(".")} or later`)
    )
})

/** Prepares the connection. `synchronous` is FULL unless the units sync the log themselves. It dies if SQLite is too old. */
const prepare = Effect.fnUntraced(function* ({ busyTimeout = 5000 }: Options, hasLog: boolean) {
  const sql = yield* SqlClient
  yield* sql`PRAGMA busy_timeout = ${sql.literal(String(busyTimeout))}`
  yield* checkVersion
  const [mode] = yield* sql<{ journal_mode: string }>`PRAGMA journal_mode = WAL`
  yield* sql`PRAGMA synchronous = ${sql.literal(hasLog && mode?.journal_mode === "wal" ? "NORMAL" : "FULL")}`
  yield* sql`PRAGMA cache_size = -65536`
  // The log is copied into the database file after 16 MiB instead of 4. A page that changes often is then copied less often.
  yield* sql`PRAGMA wal_autocheckpoint = 4000`
})

/** Makes one of Effect's SQLite clients durable, with these settings. Such a client has a single connection. */
export const durable = <Client, E, R>(
  client: Layer.Layer<Client | SqlClient, E, R>,
  options: Options = {}
): Layer.Layer<Client | SqlClient, E, R> =>
  Layer.provideMerge(Layer.effectDiscard(Effect.orDie(prepare(options, false))), client)

/** Like `durable`, for a database that the layer opens, syncs and closes. */
export const opened = (system: string, open: () => SqliteDatabase): Layer.Layer<SqlClient> =>
  Layer.provideMerge(
    Layer.effectDiscard(Effect.orDie(prepare({ busyTimeout: 0 }, true))),
    SqliteClient.layer(system, open)
  )

const full = 2

const prepareShared = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* checkVersion
  const [mode] = yield* sql<{ journal_mode: string }>`PRAGMA journal_mode`
  if (mode?.journal_mode === "off")
    return yield* Effect.die(new Error("The database can't roll back: set PRAGMA journal_mode = WAL on its handle"))
  const [level] = yield* sql<{ synchronous: number }>`PRAGMA synchronous`
  if (level !== undefined && level.synchronous < full) yield* sql`PRAGMA synchronous = FULL`
})

/**
 * A client on a better-sqlite3 or node:sqlite database that the application opened, and closes after the host has stopped.
 *
 * Inside the application's transaction, a call is a savepoint; requests and background work wait until that transaction ends.
 * Our units don't yield to the event loop, so no statement of the application can run inside them. PRAGMA synchronous becomes
 * at least FULL. Never open the file with a second SQLite library in the same process: when one library closes the file,
 * the other loses its locks.
 */
export const fromDatabase = (handle: BetterSqlite3Handle | NodeSqliteHandle): Layer.Layer<SqlClient> => {
  const client =
    "isTransaction" in handle
      ? SqliteClient.shared("node:sqlite", ofNodeSqlite(handle), handle)
      : SqliteClient.shared("better-sqlite3", ofBetterSqlite3(handle), handle)
  return Layer.provideMerge(Layer.effectDiscard(Effect.orDie(prepareShared)), client)
}
