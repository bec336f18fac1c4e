/**
 * Effect's SQL client on one connection of any SQLite driver, which transactions take in turn. It waits for other
 * processes' writes without stopping its own process.
 */
import { Transaction } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Schedule from "effect/Schedule"
import { PreventSchedulerYield } from "effect/Scheduler"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as SqlClient from "effect/sql/SqlClient"
import type { Borrower, Connection } from "effect/sql/SqlConnection"
import { classifySqliteError, LockTimeoutError, SqlError } from "effect/sql/SqlError"
import * as SqlStatement from "effect/sql/Statement"
import { Longest } from "./Database.ts"
import { type JoinableClient, savepoint } from "./JoinableClient.ts"
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

const failed = "The statement failed"

const sqlError = (cause: unknown) =>
  new SqlError({ reason: classifySqliteError(numbered(cause), { message: failed, operation: "execute" }) })

/**
 * The program has a transaction open on its handle that a unit keeps out of.
 */
const othersTransaction = new SqlError({
  reason: new LockTimeoutError({
    cause: new Error(
      "The program has had a transaction open on its database handle for 5 seconds. Requests and background work wait for its end: don't call them from inside of it"
    ),
    message: "The handle is in a transaction of the program's",
    operation: "begin"
  })
})

const isLocked = ({ reason }: SqlError): boolean => reason._tag === "LockTimeoutError"

/**
 * How a unit or statement waits for another one's transaction: every 2 milliseconds, for 5 seconds however long each attempt
 * takes. SQLite's own `busy_timeout` would stop the whole process meanwhile.
 */
const patience = Schedule.spaced("2 millis").pipe(Schedule.upTo({ duration: "5 seconds" }))

/** What a statement fails with when another connection's write does not end. */
const lockedOut = (error: SqlError): SqlError =>
  isLocked(error)
    ? new SqlError({
        reason: new LockTimeoutError({
          cause: error.reason.cause,
          message:
            "Another connection has had a write transaction open on this database for 5 seconds. If it is this program's own, give its handle to Sqlite.fromDatabase",
          operation: "execute"
        })
      })
    : error

/** The databases on which the running fiber has a transaction open. */
const OpenDatabases = Context.Reference<ReadonlyArray<SqliteDatabase>>("@crossdock/storage-sql/OpenDatabases", {
  defaultValue: () => []
})

/** The path of the database's file; empty for one in memory. */
const fileOf = (database: SqliteDatabase): string => {
  const [main] = database.prepare("PRAGMA database_list").all([])
  return main !== undefined && "file" in main && typeof main.file === "string" ? main.file : ""
}

const connectionOf = (database: SqliteDatabase): Connection => {
  const prepared = preparing(database)
  /** A fiber that waits for a transaction of its own would wait in vain. */
  const wait = <A>(attempt: Effect.Effect<A, SqlError>) =>
    Effect.flatMap(OpenDatabases, (open) =>
      open.some((one) => one !== database && fileOf(one) === fileOf(database))
        ? Effect.die(
            new Error(
              `This waits for a transaction of its own caller, which another connection has open on ${fileOf(database)}: use one SqlClient, or Sqlite.fromDatabase`
            )
          )
        : Effect.mapError(Effect.retry(attempt, { while: isLocked, schedule: patience }), lockedOut)
    )
  const using = <A>(text: string, use: (statement: SqliteStatement) => A): Effect.Effect<A, SqlError> => {
    const attempt = Effect.try({ try: () => use(prepared(text)), catch: sqlError })
    return Effect.catchIf(attempt, isLocked, () => wait(attempt))
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

/**
 * A transaction or a statement that finds the program's own transaction on the handle: with `KeepsOut` it waits for its end,
 * otherwise it becomes a part of it.
 */
const turns = (database: SqliteDatabase, connection: Connection, part: Connection, semaphore: Semaphore.Semaphore) => {
  const present = Effect.flatMap(Transaction.KeepsOut, (keepsOut) => {
    if (!database.inTransaction()) return Effect.succeed(connection)
    return keepsOut ? Effect.fail(othersTransaction) : Effect.succeed(part)
  })
  const acquirers = SqlClient.makeSqliteAcquirers({
    connection: present,
    semaphore,
    isTransaction: database.inTransaction
  })
  const patient = <A, E, R>(attempt: Effect.Effect<A, E, R>) =>
    Effect.retry(attempt, { while: (error) => error === othersTransaction, schedule: patience })
  // Each attempt gives its turn back before the next: the transaction may need one to end.
  const lease = Effect.flatMap(Effect.scope, (scope) =>
    patient(
      Effect.flatMap(Scope.fork(scope), (own) =>
        Scope.provide(acquirers.acquirer, own).pipe(Effect.onError((cause) => Scope.close(own, Exit.failCause(cause))))
      )
    )
  )
  return {
    ...acquirers,
    acquirer: lease,
    transactionAcquirer: lease,
    borrower: (<A, E, R>(use: (connection: Connection) => Effect.Effect<A, E, R>) =>
      patient(acquirers.borrower(use))) as Borrower
  }
}

const spanAttributes = [["db.system.name", "sqlite"]] as const

/**
 * Whether the event loop may turn in the running unit: in one that reads or writes a whole database, since that takes long.
 */
const isLong = Effect.map(Longest, (longest) => !Duration.isFinite(longest))

const make = (
  driver: string,
  acquire: Effect.Effect<SqliteDatabase, never, Scope.Scope>,
  mayYield: Effect.Effect<boolean>
) =>
  Effect.gen(function* () {
    const database = yield* acquire
    const connection = connectionOf(database)
    const part = { ...connection }
    const acquirers = turns(database, connection, part, yield* Semaphore.make(1))
    const client = yield* SqlClient.make({
      ...acquirers,
      driver,
      compiler,
      releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
      spanAttributes
    })
    const control = (of: Connection, text: string) => Effect.asVoid(of.executeUnprepared(text, [], undefined))
    const undo = (of: Connection, ...texts: ReadonlyArray<string>) =>
      database.inTransaction() ? Effect.forEach(texts, (text) => control(of, text), { discard: true }) : Effect.void
    // With a rollback journal, a reader in another process makes COMMIT fail as busy. It is not tried again: whatever the program
    // wrote on its handle while waiting would become a part of the unit.
    const commit = Effect.try({ try: () => database.exec("COMMIT"), catch: sqlError })
    const undoPart = (of: Connection) => undo(of, savepoint.rollback, savepoint.commit)
    const withTransaction = SqlClient.makeWithTransaction({
      transactionService: client.transactionService,
      spanAttributes,
      acquireConnection: (restore) => restore(acquirers.transactionAcquirer),
      begin: (of, statement = "BEGIN") => control(of, of === part ? savepoint.begin : statement),
      commit: (of) => (of === part ? control(of, savepoint.commit) : commit),
      onCommitFailure: (of) => (of === part ? undoPart(of) : acquirers.onCommitFailure(of)),
      rollback: (of) => (of === part ? undoPart(of) : undo(of, "ROLLBACK")),
      savepoint: (of, id) => control(of, `SAVEPOINT effect_sql_${id}`),
      releaseSavepoint: (of, id) => undo(of, `RELEASE SAVEPOINT effect_sql_${id}`),
      rollbackSavepoint: (of, id) => undo(of, `ROLLBACK TO SAVEPOINT effect_sql_${id}`)
    })
    const noted = Effect.updateService(OpenDatabases, (open) => [...open, database])
    // While the event loop turns, whatever else the program does with its handle would become a part of the unit, and with
    // another connection it would wait for the unit and stop the process.
    const atOnce: typeof withTransaction = (effect) =>
      Effect.flatMap(mayYield, (yields) =>
        yields
          ? withTransaction(noted(effect))
          : Effect.provideService(withTransaction(noted(effect)), PreventSchedulerYield, true)
      )
    return Object.assign(client, { withTransaction: atOnce })
  })

/**
 * Alone it promises no durability: put it into `Sqlite.durable`. `driver` is the name that spans show. What `open` throws
 * is a defect.
 */
export const layer = (driver: string, open: () => SqliteDatabase): Layer.Layer<SqlClient.SqlClient> => {
  const opened = Effect.acquireRelease(Effect.sync(open), (database) => Effect.sync(database.close))
  return Layer.provide(Layer.effect(SqlClient.SqlClient, make(driver, opened, isLong)), Reactivity.layer)
}

/**
 * On a database that the program has open and goes on to use. A unit inside of a transaction that the program has begun on it
 * is a savepoint of that one, unless it `KeepsOut`; the program's commit or rollback decides on both. The program closes it.
 */
export const shared = (
  driver: string,
  database: SqliteDatabase,
  isHandle: (connection: unknown) => boolean
): Layer.Layer<SqlClient.SqlClient> => {
  const within: JoinableClient["within"] = (connection) => (effect) =>
    Effect.suspend(() => {
      if (!isHandle(connection))
        return Effect.die(new Error("This is not the database handle that the storage runs on"))
      return database.inTransaction()
        ? effect
        : Effect.die(new Error("The database handle has no transaction open: begin it first"))
    })
  const client = Effect.map(make(driver, Effect.succeed(database), Effect.succeed(false)), (sql) =>
    Object.assign(sql, { within })
  )
  return Layer.provide(Layer.effect(SqlClient.SqlClient, client), Reactivity.layer)
}
