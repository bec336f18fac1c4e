/** SQLite through better-sqlite3, the fastest driver. Its package contains binaries for Linux, macOS and Windows. */
import { open as openFile } from "node:fs/promises"
import Database from "better-sqlite3"
import type * as Layer from "effect/Layer"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Sqlite from "./Sqlite.ts"
import { ofBetterSqlite3, type SqliteDatabase } from "./SqliteConnection.ts"

/** Opens a database. `filename` may be ":memory:". */
export const open = (filename: string): SqliteDatabase => ({
  ...ofBetterSqlite3(new Database(filename)),
  openLog: (path) => openFile(path, "r+")
})

/** A client on `filename`, which may be ":memory:". For a database that is already open, use `Sqlite.fromDatabase`. */
export const layer = (filename: string): Layer.Layer<SqlClient> => Sqlite.opened("better-sqlite3", () => open(filename))
