/**
 * The storage that DATABASE_URL names.
 */
import { StorageMemory } from "@crossdock/storage-memory"
import { Postgres, Sqlite, StorageSql } from "@crossdock/storage-sql"
import { Layer, Redacted } from "effect"

/**
 * `memory:`, `sqlite:PATH`, `sqlite::memory:` or `postgres://…`.
 */
export const layer = (url: string) => {
  if (url === "memory:") return StorageMemory.layer
  if (url.startsWith("sqlite:"))
    return StorageSql.layer.pipe(Layer.provideMerge(Sqlite.layer(url.slice("sqlite:".length))))
  if (/^postgres(ql)?:/.test(url)) return StorageSql.layer.pipe(Layer.provideMerge(Postgres.layer(Redacted.make(url))))
  return Layer.die(new Error("DATABASE_URL must begin with sqlite:, postgres: or be memory:"))
}
