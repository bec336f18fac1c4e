/** The write-ahead log of a SQLite database as a file that Node, Bun and Deno sync beside the event loop. */
import { close, existsSync, fdatasync, openSync } from "node:fs"
import { promisify } from "node:util"
import { fileOf, type SqliteDatabase } from "./SqliteConnection.ts"

const written = promisify(fdatasync)

/** A database in memory has none. */
export const synced = (database: SqliteDatabase): SqliteDatabase => {
  const file = fileOf(database)
  if (file === "") return database
  const path = `${file}-wal`
  let log: number | undefined
  return {
    ...database,
    // It exists from the first commit in WAL mode on, and as long as a connection is open.
    sync: async () => {
      if (log === undefined && !existsSync(path)) return
      log ??= openSync(path, "r+")
      await written(log)
    },
    close: () => {
      database.close()
      if (log !== undefined) close(log)
    }
  }
}
