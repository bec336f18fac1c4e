/**
 * Only one `archive move` works on a database: files of two would begin with the same audit record. PostgreSQL locks for a
 * session, SQLite an empty file beside the database. A lock ends with its process.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { CommandFailure } from "./CommandFailure.ts"
import * as FileFailure from "./FileFailure.ts"

const inUse = new CommandFailure('Another "crossdock archive move" is running on this database: wait until it ends')

const ofSession = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const session = yield* sql.reserve
    const call = (name: string) =>
      session.executeUnprepared(`SELECT ${name}(hashtextextended('crossdock archive', 0)) AS free`, [], undefined)
    const [row] = yield* call("pg_try_advisory_lock")
    if (row?.free !== true) return yield* inUse
    yield* Effect.addFinalizer(() => Effect.ignore(call("pg_advisory_unlock")))
  })

const ofFile = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const [row] = yield* sql<{ file: string }>`SELECT file FROM pragma_database_list WHERE name = 'main'`
    const [driver, file] = [
      yield* Effect.promise(() => import("@crossdock/storage-sql/BetterSqlite3")),
      `${row?.file}-lock`
    ]
    yield* Effect.acquireRelease(
      Effect.try({
        try: () => {
          const database = driver.open(file)
          database.exec("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE")
          return database
        },
        catch: (error) => (FileFailure.codeOf(error) === "SQLITE_BUSY" ? inUse : FileFailure.of(error, file))
      }),
      (database) => Effect.sync(database.close)
    )
  })

/** Fails if another process does such work on the database. */
export const alone = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.andThen(sql.onDialectOrElse({ orElse: () => ofFile(sql), pg: () => ofSession(sql) }), work)
  ).pipe(Effect.scoped)
