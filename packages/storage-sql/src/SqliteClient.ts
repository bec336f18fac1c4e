/**
 * Effect's SQL client on one connection of any SQLite driver, which transactions take in turn. It waits for other
 * processes' writes without stopping its own process.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Schedule from "effect/Schedule"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import { classifySqliteError, SqlError } from "effect/sql/SqlError"
import * as SqlStatement from "effect/sql/Statement"
import type { SqliteDatabase, SqliteStatement } from "./SqliteDatabase.ts"

/**
 * How many prepared statements are kept. Lists of different lengths give different texts, so there is no end to them.
 */
const mostPrepared = 500

const preparing = (database: SqliteDatabase) => {
  const known = new Map<string, SqliteStatement>()
  return (text: string): SqliteStatement => {
    const found = known.get(text)
    if (found !== undefined) return found
    const statement = database.prepare(text)
    const [oldest] = known.keys()
    if (oldest !== undefined && known.size >= mostPrepared) known.delete(oldest)
    known.set(text, statement)
    return statement
  }
}

/**
 * Node's own SQLite calls SQLite's number of an error `errcode`, other drivers `errno`.
 */
const numbered = (cause: unknown): unknown =>
  cause instanceof Error && "errcode" in cause ? Object.assign(cause, { errno: cause.errcode }) : cause

const sqlError = (cause: unknown) =>
  new SqlError({
    reason: classifySqliteError(numbered(cause), { message: "The statement failed", operation: "execute" })
  })

const isLocked = ({ reason }: SqlError): boolean => reason._tag === "LockTimeoutError"

/**
 * How a statement waits for another process's write: every 2 milliseconds, for 5 seconds however long each attempt takes.
 * SQLite's own `busy_timeout` would stop the whole process meanwhile.
 */
const untilUnlocked = {
  while: isLocked,
  schedule: Schedule.spaced("2 millis").pipe(Schedule.upTo({ duration: "5 seconds" }))
}

const connectionOf = (database: SqliteDatabase): Connection => {
  const prepared = preparing(database)
  const using = <A>(text: string, use: (statement: SqliteStatement) => A): Effect.Effect<A, SqlError> => {
    const attempt = Effect.try({ try: () => use(prepared(text)), catch: sqlError })
    return Effect.catchIf(attempt, isLocked, () => Effect.retry(attempt, untilUnlocked))
  }
  const none = (statement: SqliteStatement, params: ReadonlyArray<unknown>): ReadonlyArray<never> => {
    statement.run(params)
    return []
  }
  const execute: Connection["execute"] = (text, params, transform) => {
    const rows = using(text, (statement) => (statement.isReader ? statement.all(params) : none(statement, params)))
    return transform === undefined ? rows : Effect.map(rows, transform)
  }
  const executeValues: Connection["executeValues"] = (text, params) =>
    using(text, (statement) => (statement.isReader ? statement.values(params) : none(statement, params)))
  return {
    execute,
    executeUnprepared: execute,
    executeRaw: (text, params) =>
      using(text, (statement) => (statement.isReader ? statement.all(params) : statement.run(params))),
    executeValues,
    executeValuesUnprepared: executeValues,
    executeStream: (text, params, transform) => Stream.fromIterableEffect(execute(text, params, transform))
  }
}

/**
 * SQLite 3.54 looks at the value of a parameter that a column of a join is compared with, and so prepares the statement
 * again for each execution, which costs a join of four tables 0.15 ms. A unary plus hides the value from it.
 */
const compiler = SqlStatement.makeCompiler({
  dialect: "sqlite",
  placeholder: () => "+?",
  onIdentifier: SqlStatement.defaultEscape('"'),
  onCustom: () => ["", []],
  onRecordUpdate: () => ["", []]
})

const make = (driver: string, open: () => SqliteDatabase) =>
  Effect.gen(function* () {
    const database = yield* Effect.acquireRelease(Effect.sync(open), (opened) => Effect.sync(opened.close))
    return yield* SqlClient.make({
      ...SqlClient.makeSqliteAcquirers({
        connection: Effect.succeed(connectionOf(database)),
        semaphore: yield* Semaphore.make(1),
        isTransaction: database.inTransaction
      }),
      driver,
      compiler,
      releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
      spanAttributes: [["db.system.name", "sqlite"]]
    })
  })

/**
 * Alone it promises no durability: put it into `Sqlite.durable`. `driver` is the name that spans show. What `open` throws
 * is a defect.
 */
export const layer = (driver: string, open: () => SqliteDatabase): Layer.Layer<SqlClient.SqlClient> =>
  Layer.effect(SqlClient.SqlClient, make(driver, open)).pipe(Layer.provide(Reactivity.layer))
