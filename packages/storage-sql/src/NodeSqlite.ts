/** SQLite through `node:sqlite`. Node's SQLite must be 3.51.3 or later, as in Node 22.23 or 24.21. */
import { open as openFile } from "node:fs/promises"
import { DatabaseSync } from "node:sqlite"
import type * as Layer from "effect/Layer"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Sqlite from "./Sqlite.ts"
import { ofNodeSqlite, type SqliteDatabase } from "./SqliteConnection.ts"

/** Opens a database. `filename` may be ":memory:". */
export const open = (filename: string): SqliteDatabase => ({
  ...ofNodeSqlite(new DatabaseSync(filename)),
  openLog: (path) => openFile(path, "r+")
})

/** A client on `filename`, which may be ":memory:". For a database that is already open, use `Sqlite.fromDatabase`. */
export const layer = (filename: string): Layer.Layer<SqlClient> => Sqlite.opened("node:sqlite", () => open(filename))
