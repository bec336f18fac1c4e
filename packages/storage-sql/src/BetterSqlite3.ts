/**
 * SQLite through better-sqlite3: the fastest driver, with binaries for Linux, macOS and Windows in its package.
 */
import Database from "better-sqlite3"
import type * as Layer from "effect/Layer"
import type * as SqlClient from "effect/sql/SqlClient"
import * as Sqlite from "./Sqlite.ts"
import * as SqliteClient from "./SqliteClient.ts"
import type { SqliteDatabase, SqliteStatement } from "./SqliteDatabase.ts"

const statementOf = (statement: Database.Statement): SqliteStatement => ({
  isReader: statement.reader,
  all: (params) => statement.all(...params) as ReadonlyArray<object>,
  values: (params) => {
    try {
      return statement.raw(true).all(...params) as ReadonlyArray<ReadonlyArray<unknown>>
    } finally {
      statement.raw(false)
    }
  },
  run: (params) => statement.run(...params)
})

/**
 * `filename` may be ":memory:".
 */
export const open = (filename: string): SqliteDatabase => {
  const database = new Database(filename)
  return {
    prepare: (sql) => statementOf(database.prepare(sql)),
    exec: (sql) => {
      database.exec(sql)
    },
    inTransaction: () => database.inTransaction,
    close: () => {
      database.close()
    }
  }
}

/**
 * `filename` may be ":memory:".
 */
export const layer = (filename: string): Layer.Layer<SqlClient.SqlClient> =>
  Sqlite.durable(
    SqliteClient.layer("better-sqlite3", () => open(filename)),
    { busyTimeout: 0 }
  )
