/** A connection to a database that a synchronous driver opened. Waiting for other processes' locks doesn't block this one. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schedule from "effect/Schedule"
import type { Connection } from "effect/sql/SqlConnection"
import { classifySqliteError, LockTimeoutError, SqlError } from "effect/sql/SqlError"
import { driverConnection } from "./TransactionSql.ts"

/** A prepared statement. It reads whole numbers as numbers, and texts as strings. */
export interface SqliteStatement {
  readonly isReader: boolean
  readonly all: (params: ReadonlyArray<unknown>) => ReadonlyArray<object>
  readonly values: (params: ReadonlyArray<unknown>) => ReadonlyArray<ReadonlyArray<unknown>>
  readonly run: (params: ReadonlyArray<unknown>) => { readonly changes: number }
}

export interface LogFile {
  readonly datasync: () => Promise<void>
  readonly close: () => Promise<void>
}

/** An open database. Its methods throw the driver's errors, and `SqliteConnection` turns each into a `SqlError`. */
export interface SqliteDatabase {
  readonly prepare: (sql: string) => SqliteStatement
  readonly exec: (sql: string) => void
  readonly inTransaction: () => boolean
  readonly close: () => void
  /** Opens the write-ahead log, to sync it. A database whose COMMIT syncs doesn't have this method. */
  readonly openLog?: (path: string) => Promise<LogFile>
}

/** A statement of better-sqlite3. Its settings don't change those of the application's database. */
interface BetterSqlite3Statement {
  readonly reader: boolean
  readonly all: (...params: ReadonlyArray<never>) => ReadonlyArray<unknown>
  readonly run: (...params: ReadonlyArray<never>) => { readonly changes: number }
  readonly raw: (isOn: boolean) => unknown
  readonly safeIntegers: (isOn: boolean) => unknown
}

export interface BetterSqlite3Handle {
  readonly prepare: (sql: string) => BetterSqlite3Statement
  readonly exec: (sql: string) => unknown
  readonly inTransaction: boolean
  readonly close: () => unknown
}

const inputs = (params: ReadonlyArray<unknown>) => params as ReadonlyArray<never>

const readsOf = (statement: BetterSqlite3Statement | NodeSqliteStatement, asArrays: (isOn: boolean) => unknown) => ({
  all: (params: ReadonlyArray<unknown>) => statement.all(...inputs(params)) as ReadonlyArray<object>,
  values: (params: ReadonlyArray<unknown>) => {
    try {
      asArrays(true)
      return statement.all(...inputs(params)) as ReadonlyArray<ReadonlyArray<unknown>>
    } finally {
      asArrays(false)
    }
  }
})

const ofBetterSqlite3Statement = (statement: BetterSqlite3Statement): SqliteStatement => {
  if (statement.reader) statement.safeIntegers(false)
  return {
    isReader: statement.reader,
    ...readsOf(statement, (isOn) => statement.raw(isOn)),
    run: (params) => statement.run(...inputs(params))
  }
}

export const ofBetterSqlite3 = (handle: BetterSqlite3Handle): SqliteDatabase => ({
  prepare: (sql) => ofBetterSqlite3Statement(handle.prepare(sql)),
  exec: (sql) => {
    handle.exec(sql)
  },
  inTransaction: () => handle.inTransaction,
  close: () => {
    handle.close()
  }
})

/** A statement of node:sqlite. Its settings don't change those of the application's database. */
interface NodeSqliteStatement {
  readonly columns: () => ReadonlyArray<unknown>
  readonly all: (...params: ReadonlyArray<never>) => ReadonlyArray<unknown>
  readonly run: (...params: ReadonlyArray<never>) => { readonly changes: number | bigint }
  readonly setReturnArrays: (isOn: boolean) => void
  readonly setReadBigInts: (isOn: boolean) => void
}

export interface NodeSqliteHandle {
  readonly prepare: (sql: string) => NodeSqliteStatement
  readonly exec: (sql: string) => void
  readonly isTransaction: boolean
  readonly close: () => void
}

const ofNodeSqliteStatement = (statement: NodeSqliteStatement): SqliteStatement => {
  statement.setReadBigInts(false)
  statement.setReturnArrays(false)
  return {
    isReader: statement.columns().length > 0,
    ...readsOf(statement, (isOn) => statement.setReturnArrays(isOn)),
    run: (params) => ({ changes: Number(statement.run(...inputs(params)).changes) })
  }
}

export const ofNodeSqlite = (handle: NodeSqliteHandle): SqliteDatabase => ({
  prepare: (sql) => ofNodeSqliteStatement(handle.prepare(sql)),
  exec: (sql) => handle.exec(sql),
  inTransaction: () => handle.isTransaction,
  close: () => handle.close()
})

/** The maximum number of prepared statements. They are many, because each length of a list is prepared separately. */
const mostPrepared = 500

interface Prepared extends SqliteStatement {
  readonly writes: boolean
  readonly isPragma: boolean
}

const preparing = (database: SqliteDatabase) => {
  const known = new Map<string, Prepared>()
  return (text: string): Prepared => {
    const found = known.get(text)
    if (found !== undefined) return found
    const [writes, isPragma] = [!/^\s*SELECT\b/i.test(text), /^\s*PRAGMA\b/i.test(text)]
    const statement = { ...database.prepare(text), writes, isPragma }
    const [oldest] = known.keys()
    if (oldest !== undefined && known.size >= mostPrepared) known.delete(oldest)
    known.set(text, statement)
    return statement
  }
}

/** Sets `errno` to SQLite's error number. node:sqlite calls it `errcode`; other drivers call it `errno`. */
const numbered = (cause: unknown): unknown =>
  cause instanceof Error && "errcode" in cause ? Object.assign(cause, { errno: cause.errcode }) : cause

export const sqlError = (cause: unknown): SqlError =>
  new SqlError({
    reason: classifySqliteError(numbered(cause), { message: "The statement failed", operation: "execute" })
  })

const isLocked = ({ reason }: SqlError): boolean => reason._tag === "LockTimeoutError"

const mayRetry = (error: SqlError): boolean => isLocked(error) && error !== othersTransaction

/** Retries 2 ms after each attempt, for 5 seconds. SQLite's own `busy_timeout` would block the process. */
export const patience = Schedule.spaced("2 millis").pipe(Schedule.upTo({ duration: "5 seconds" }))

/** Fails work that must not run in a transaction that the application has open on its handle. */
export const othersTransaction = new SqlError({
  reason: new LockTimeoutError({
    cause: new Error(
      "The program has had a transaction open on its database handle for 5 seconds. Requests and background work wait for its end: don't call them from inside of it"
    ),
    message: "The handle is in a transaction of the application",
    operation: "begin"
  })
})

const lockedOut = (error: SqlError): SqlError =>
  isLocked(error) && error !== othersTransaction
    ? new SqlError({
        reason: new LockTimeoutError({
          cause: error.reason.cause,
          message:
            "Another connection has had a write transaction open on this database for 5 seconds. If it is your application's own, give its handle to Sqlite.fromDatabase",
          operation: "execute"
        })
      })
    : error

/** The databases on which the running fiber has an open transaction. */
export const OpenDatabases = Context.Reference<ReadonlyArray<SqliteDatabase>>("@crossdock/storage-sql/OpenDatabases", {
  defaultValue: () => []
})

const fileOf = (database: SqliteDatabase): string => {
  const [main] = database.prepare("PRAGMA database_list").all([])
  return main !== undefined && "file" in main && typeof main.file === "string" ? main.file : ""
}

/** For each file, how many connections of this process wait for its lock. Connections with an open transaction check this. */
const waiting = new Map<string, number>()

/** A connection to a SQLite database. `writes` counts the statements that may have written. */
export interface SqliteConnection extends Connection {
  readonly writes: () => number
  readonly isAwaited: () => boolean
  /** Marks the start and the end of a unit. If SQLite rolls the unit back, as on a full disk, its later statements fail. */
  readonly inUnit: (runs: boolean) => void
}

const rolledBack = Exit.fail(sqlError(new Error("SQLite rolled back the whole unit when a statement of it failed")))

export const make = (database: SqliteDatabase): SqliteConnection => {
  const prepared = preparing(database)
  let writes = 0
  let isInUnit = false
  let isLost = false
  const attempt = <A>(text: string, use: (statement: SqliteStatement) => A): Exit.Exit<A, SqlError> => {
    if (isLost) return rolledBack
    try {
      const statement = prepared(text)
      // Outside units, a pragma isn't a write. It would open the log when another connection may still delete the log.
      if (statement.writes && (isInUnit || !statement.isPragma)) writes++
      return Exit.succeed(use(statement))
    } catch (cause) {
      isLost = isInUnit && !database.inTransaction()
      return Exit.fail(sqlError(cause))
    }
  }
  const count = (change: number) =>
    Effect.sync(() => {
      const file = fileOf(database)
      const others = (waiting.get(file) ?? 0) + change
      if (others > 0) waiting.set(file, others)
      else waiting.delete(file)
    })
  const counted = <A, E, R>(wait: Effect.Effect<A, E, R>) =>
    Effect.acquireUseRelease(
      count(1),
      () => wait,
      () => count(-1)
    )
  const wait = <A>(again: Effect.Effect<A, SqlError>) =>
    Effect.flatMap(OpenDatabases, (open) =>
      open.some((one) => one !== database && fileOf(one) === fileOf(database))
        ? Effect.die(
            new Error(
              `This waits for a transaction of its own caller, which another connection has open on ${fileOf(database)}: use one SqlClient, or Sqlite.fromDatabase`
            )
          )
        : Effect.mapError(counted(Effect.retry(again, { while: mayRetry, schedule: patience })), lockedOut)
    )
  const using = <A>(text: string, use: (statement: SqliteStatement) => A): Effect.Effect<A, SqlError> =>
    Effect.suspend(() => {
      const isInside = database.inTransaction()
      // The application may have begun a transaction on its handle meanwhile. The statement isn't part of it.
      const again = Effect.suspend(() =>
        database.inTransaction() === isInside ? attempt(text, use) : Exit.fail(othersTransaction)
      )
      const first = attempt(text, use)
      return Exit.isFailure(first) ? Effect.catchIf(first, isLocked, () => wait(again)) : first
    })
  const none = (statement: SqliteStatement, params: ReadonlyArray<unknown>): ReadonlyArray<never> => {
    statement.run(params)
    return []
  }
  return {
    writes: () => writes,
    isAwaited: () => waiting.size > 0 && waiting.has(fileOf(database)),
    inUnit: (runs) => {
      isInUnit = runs
      isLost = false
    },
    ...driverConnection({
      rows: (text, params) =>
        using(text, (statement) => (statement.isReader ? statement.all(params) : none(statement, params))),
      values: (text, params) =>
        using(text, (statement) => (statement.isReader ? statement.values(params) : none(statement, params))),
      raw: (text, params) =>
        using(text, (statement) => (statement.isReader ? statement.all(params) : statement.run(params)))
    })
  }
}

type Synced = Exit.Exit<void, SqlError>
type Waiting = Array<(synced: Synced) => void>

/** Tracks which commits are on the disk with `synchronous = NORMAL`. One sync covers all commits before it. */
export interface SqliteLog {
  readonly isBusy: () => boolean
  /** The first failed sync. After it, no commit counts as stored, because a later sync may succeed although data was lost. */
  readonly failure: () => Exit.Exit<never, SqlError> | undefined
  /** Calls `ended` once all commits so far are on the disk. `isNew` says that there was a commit since the last call. */
  readonly onSynced: (isNew: boolean, ended: (synced: Synced) => void) => void
  readonly synced: (isNew: boolean) => Effect.Effect<void, SqlError>
  readonly end: Effect.Effect<void>
}

export const logOf = (database: SqliteDatabase): SqliteLog => {
  const { openLog } = database
  const path = openLog === undefined ? "" : fileOf(database)
  const isSynced = path === ""
  let file: LogFile | undefined
  let running: Waiting | undefined
  let next: Waiting = []
  let lost: Exit.Exit<never, SqlError> | undefined

  // The log's file exists from the first commit until the last connection closes.
  const write = async () => {
    file ??= await openLog?.(`${path}-wal`).catch((cause) => {
      if (!(cause instanceof Error && "code" in cause && cause.code === "ENOENT")) throw cause
      return undefined
    })
    await file?.datasync()
  }

  const start = (waiting: Waiting) => {
    running = waiting
    next = []
    const end = (synced: Synced) => {
      const following = next
      running = undefined
      if (lost === undefined && following.length > 0) start(following)
      for (const ended of lost === undefined ? waiting : [...waiting, ...following]) ended(synced)
    }
    write().then(
      () => end(Exit.void),
      (cause) => {
        lost = Exit.fail(sqlError(new Error("The disk did not keep a commit. Restart the host", { cause })))
        end(lost)
      }
    )
  }

  const onSynced: SqliteLog["onSynced"] = (isNew, ended) => {
    if (lost !== undefined) ended(lost)
    else if (isSynced || (running === undefined && !isNew)) ended(Exit.void)
    else if (running === undefined) start([ended])
    else if (isNew || next.length > 0) next.push(ended)
    else running.push(ended)
  }

  const synced: SqliteLog["synced"] = (isNew) =>
    Effect.suspend(() =>
      running === undefined && !isNew
        ? (lost ?? Effect.void)
        : Effect.callback<void, SqlError>((resume) => onSynced(isNew, resume))
    )

  return {
    isBusy: () => running !== undefined,
    failure: () => lost,
    onSynced,
    synced,
    end: Effect.andThen(
      Effect.ignore(synced(false)),
      Effect.promise(async () => file?.close())
    )
  }
}
