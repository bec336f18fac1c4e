/// <reference path="./internal/bun-sqlite.d.ts" />
/** SQLite through `bun:sqlite`, which needs no installation. Bun's SQLite must be 3.51.3 or later, as in Bun 1.4.5. */

import { Database } from "bun:sqlite"
import { open as openFile } from "node:fs/promises"
import type * as Layer from "effect/Layer"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Sqlite from "./Sqlite.ts"
import type { SqliteDatabase } from "./SqliteConnection.ts"

/** Opens a database. `filename` may be ":memory:". */
export const open = (filename: string): SqliteDatabase => {
  const database = new Database(filename)
  return {
    prepare: (sql) => {
      const statement = database.prepare(sql)
      return {
        isReader: statement.columnNames.length > 0,
        all: (params) => statement.all(...params),
        values: (params) => statement.values(...params),
        run: (params) => statement.run(...params)
      }
    },
    exec: (sql) => {
      database.run(sql)
    },
    inTransaction: () => database.inTransaction,
    close: () => database.close(),
    openLog: (path) => openFile(path, "r+")
  }
}

/** A client on `filename`, which may be ":memory:". */
export const layer = (filename: string): Layer.Layer<SqlClient> => Sqlite.opened("bun:sqlite", () => open(filename))
