/** The write-ahead log of a SQLite database as a file that Node, Bun and Deno sync beside the event loop. */
import { type FileHandle, open } from "node:fs/promises"
import { fileOf, type SqliteDatabase } from "./SqliteConnection.ts"

const isMissing = (cause: unknown) => cause instanceof Error && "code" in cause && cause.code === "ENOENT"

/** A database in memory has no log. */
export const synced = (database: SqliteDatabase): SqliteDatabase => {
  const file = fileOf(database)
  if (file === "") return database
  let log: FileHandle | undefined
  return {
    ...database,
    // It exists from the first commit in WAL mode on, and as long as a connection is open.
    sync: async () => {
      log ??= await open(`${file}-wal`, "r+").catch((cause) => {
        if (!isMissing(cause)) throw cause
        return undefined
      })
      await log?.datasync()
    },
    close: () => {
      database.close()
      void log?.close()
    }
  }
}
