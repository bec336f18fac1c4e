/**
 * SQLite through `node:sqlite`: nothing to install. Needs a Node whose SQLite is 3.51.3 or later, such as 22.23 or 24.21.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"
import type * as Layer from "effect/Layer"
import type * as SqlClient from "effect/sql/SqlClient"
import * as Sqlite from "./Sqlite.ts"
import * as SqliteClient from "./SqliteClient.ts"
import type { SqliteDatabase, SqliteStatement } from "./SqliteDatabase.ts"

const inputs = (params: ReadonlyArray<unknown>) => params as ReadonlyArray<SQLInputValue>

const statementOf = (statement: StatementSync): SqliteStatement => ({
  isReader: statement.columns().length > 0,
  all: (params) => statement.all(...inputs(params)),
  values: (params) => {
    try {
      statement.setReturnArrays(true)
      const rows: ReadonlyArray<unknown> = statement.all(...inputs(params))
      return rows as ReadonlyArray<ReadonlyArray<unknown>>
    } finally {
      statement.setReturnArrays(false)
    }
  },
  run: (params) => ({ changes: Number(statement.run(...inputs(params)).changes) })
})

/**
 * `filename` may be ":memory:".
 */
export const open = (filename: string): SqliteDatabase => {
  const database = new DatabaseSync(filename)
  return {
    prepare: (sql) => statementOf(database.prepare(sql)),
    exec: (sql) => database.exec(sql),
    inTransaction: () => database.isTransaction,
    close: () => database.close()
  }
}

/**
 * `filename` may be ":memory:".
 */
export const layer = (filename: string): Layer.Layer<SqlClient.SqlClient> =>
  Sqlite.durable(
    SqliteClient.layer("node:sqlite", () => open(filename)),
    { busyTimeout: 0 }
  )
