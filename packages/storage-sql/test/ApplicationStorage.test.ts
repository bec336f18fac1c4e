/**
 * The laws of a storage on handles that a program has opened, and goes on to use.
 */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import { storageLaws } from "@crossdock/storage-laws"
import { Sqlite, StorageSql } from "@crossdock/storage-sql"
import * as NodePostgres from "@crossdock/storage-sql/NodePostgres"
import Database from "better-sqlite3"
import { Effect, Layer, Redacted } from "effect"
import pg from "pg"
import { inject } from "vitest"
import { temporaryFolder } from "./Databases.ts"

interface Handle {
  readonly close: () => unknown
}

const inFolder = <H extends Handle>(open: (file: string) => H) =>
  Effect.flatMap(temporaryFolder, (folder) =>
    Effect.acquireRelease(
      Effect.sync(() => open(join(folder, "test.db"))),
      (handle) => Effect.sync(() => handle.close())
    )
  )

const betterSqlite3 = inFolder((file) => {
  const handle = new Database(file)
  // A program's own choice, which must not reach our statements.
  handle.defaultSafeIntegers(true)
  return handle
})

storageLaws(
  "a program's database of better-sqlite3",
  Layer.provide(StorageSql.layer, Layer.unwrap(Effect.map(betterSqlite3, Sqlite.fromDatabase)))
)

// Some of the Nodes that we support bring a SQLite that we reject.
if (!Sqlite.isTooOld(process.versions.sqlite ?? "0")) {
  const nodeSqlite = inFolder((file) => new DatabaseSync(file, { readBigInts: true, returnArrays: true }))
  storageLaws(
    "a program's database of node:sqlite",
    Layer.provide(StorageSql.layer, Layer.unwrap(Effect.map(nodeSqlite, Sqlite.fromDatabase)))
  )
}

const database = Effect.map(PostgresDatabase.make(inject("postgres")), (url) => ({
  connectionString: Redacted.value(url),
  types: { getTypeParser: () => () => "a program's own parser" }
}))

const pool = Effect.flatMap(database, (options) =>
  Effect.acquireRelease(
    Effect.sync(() => new pg.Pool(options)),
    (own) => Effect.promise(() => own.end())
  )
)

storageLaws(
  "a program's pool of pg",
  Layer.provide(StorageSql.layer, Layer.unwrap(Effect.map(pool, NodePostgres.fromPool)))
)

const client = Effect.flatMap(database, (options) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const own = new pg.Client(options)
      await own.connect()
      return own
    }),
    (own) => Effect.promise(() => own.end())
  )
)

storageLaws(
  "a program's client of pg",
  Layer.provide(StorageSql.layer, Layer.unwrap(Effect.map(client, NodePostgres.fromClient)))
)
