/**
 * Lets only one `archive move` work on a database at a time, because two would begin their files with the same audit record.
 * On PostgreSQL the lock belongs to a session. On SQLite an empty file beside the database is locked. A lock ends with its
 * process.
 */
import { Effect, Schedule } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { CommandFailure } from "./CommandFailure.ts"
import * as FileFailure from "./FileFailure.ts"

const inUse = new CommandFailure('Another "crossdock archive move" is running on this database: wait until it ends')

const ofSession = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const session = yield* sql.reserve
  const text = "SELECT pg_try_advisory_lock(hashtextextended('crossdock archive', 0)) AS free"
  // A session that has just ended may keep its lock for some milliseconds.
  const locked = Effect.filterOrFail(
    session.executeUnprepared(text, [], undefined),
    ([row]) => row?.free === true,
    () => inUse
  )
  yield* Effect.retry(locked, { while: (error) => error === inUse, times: 10, schedule: Schedule.spaced("100 millis") })
})

const ofFile = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const [row] = yield* sql<{ file: string }>`SELECT file FROM pragma_database_list WHERE name = 'main'`
  const driver = yield* Effect.promise(() => import("@crossdock/storage-sql/BetterSqlite3"))
  const file = `${row?.file}-lock`
  const lock = Effect.try({
    try: () => {
      const database = driver.open(file)
      database.exec("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE")
      return database
    },
    catch: (error) => (FileFailure.codeOf(error) === "SQLITE_BUSY" ? inUse : FileFailure.of(error, file))
  })
  yield* Effect.acquireRelease(lock, ({ close }) => Effect.sync(close))
})

/** Locks the database for archives until the scope ends or the connection is lost. Fails if another process has the lock. */
export const acquire = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.onDialectOrElse({ orElse: () => ofFile(sql), pg: () => ofSession(sql) })
)
