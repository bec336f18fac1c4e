/**
 * What a SQLite driver has to offer: a database that is opened already, and answers at once.
 */

/**
 * Whole numbers are read as numbers and text as strings.
 */
export interface SqliteStatement {
  /** Whether it gives rows. */
  readonly isReader: boolean
  readonly all: (params: ReadonlyArray<unknown>) => ReadonlyArray<object>
  /** Rows as arrays, in the order of their columns. */
  readonly values: (params: ReadonlyArray<unknown>) => ReadonlyArray<ReadonlyArray<unknown>>
  /** For what gives no rows: how many it wrote. */
  readonly run: (params: ReadonlyArray<unknown>) => { readonly changes: number }
}

/**
 * Each throws what the driver throws; `SqliteClient` makes it a `SqlError`.
 */
export interface SqliteDatabase {
  readonly prepare: (sql: string) => SqliteStatement
  readonly exec: (sql: string) => void
  readonly inTransaction: () => boolean
  readonly close: () => void
}
