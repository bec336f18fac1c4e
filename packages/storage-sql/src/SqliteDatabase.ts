/** An open database of a synchronous SQLite driver, ours or the application's. Imports no driver. */

/** Whole numbers are read as numbers and text as strings. */
export interface SqliteStatement {
  /** Whether the statement returns rows. */
  readonly isReader: boolean
  readonly all: (params: ReadonlyArray<unknown>) => ReadonlyArray<object>
  /** Rows as arrays, in the order of their columns. */
  readonly values: (params: ReadonlyArray<unknown>) => ReadonlyArray<ReadonlyArray<unknown>>
  /** Runs a statement without rows, and returns how many rows it wrote. */
  readonly run: (params: ReadonlyArray<unknown>) => { readonly changes: number }
}

/** Each method throws the driver's error; `SqliteConnection` makes it a `SqlError`. */
export interface SqliteDatabase {
  readonly prepare: (sql: string) => SqliteStatement
  readonly exec: (sql: string) => void
  readonly inTransaction: () => boolean
  readonly close: () => void
}

/**
 * A statement of better-sqlite3. Settings are made per statement; the application's settings of the database don't
 * change.
 */
interface BetterSqlite3Statement {
  readonly reader: boolean
  readonly all: (...params: ReadonlyArray<never>) => ReadonlyArray<unknown>
  readonly run: (...params: ReadonlyArray<never>) => { readonly changes: number }
  readonly raw: (isOn: boolean) => unknown
  readonly safeIntegers: (isOn: boolean) => unknown
}

/** A database of better-sqlite3. */
export interface BetterSqlite3Handle {
  readonly prepare: (sql: string) => BetterSqlite3Statement
  readonly exec: (sql: string) => unknown
  readonly inTransaction: boolean
  readonly close: () => unknown
}

/** Parameters aren't checked here; the driver rejects those that it can't take. */
const inputs = (params: ReadonlyArray<unknown>) => params as ReadonlyArray<never>

const ofBetterSqlite3Statement = (statement: BetterSqlite3Statement): SqliteStatement => {
  if (statement.reader) statement.safeIntegers(false)
  return {
    isReader: statement.reader,
    all: (params) => statement.all(...inputs(params)) as ReadonlyArray<object>,
    values: (params) => {
      try {
        statement.raw(true)
        return statement.all(...inputs(params)) as ReadonlyArray<ReadonlyArray<unknown>>
      } finally {
        statement.raw(false)
      }
    },
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

/**
 * A statement of node:sqlite. Settings are made per statement; the application's settings of the database don't change.
 */
interface NodeSqliteStatement {
  readonly columns: () => ReadonlyArray<unknown>
  readonly all: (...params: ReadonlyArray<never>) => ReadonlyArray<unknown>
  readonly run: (...params: ReadonlyArray<never>) => { readonly changes: number | bigint }
  readonly setReturnArrays: (isOn: boolean) => void
  readonly setReadBigInts: (isOn: boolean) => void
}

/** A database of node:sqlite. */
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
    all: (params) => statement.all(...inputs(params)) as ReadonlyArray<object>,
    values: (params) => {
      try {
        statement.setReturnArrays(true)
        return statement.all(...inputs(params)) as ReadonlyArray<ReadonlyArray<unknown>>
      } finally {
        statement.setReturnArrays(false)
      }
    },
    run: (params) => ({ changes: Number(statement.run(...inputs(params)).changes) })
  }
}

export const ofNodeSqlite = (handle: NodeSqliteHandle): SqliteDatabase => ({
  prepare: (sql) => ofNodeSqliteStatement(handle.prepare(sql)),
  exec: (sql) => handle.exec(sql),
  inTransaction: () => handle.isTransaction,
  close: () => handle.close()
})
