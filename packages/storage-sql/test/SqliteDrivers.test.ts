import { join } from "node:path"
import { storageLaws } from "@crossdock/storage-laws"
import { Sqlite, StorageSql } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import * as NodeSqlite from "@crossdock/storage-sql/NodeSqlite"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { temporaryFolder } from "./Databases.ts"

const inFolder = <A, E>(layer: (file: string) => Layer.Layer<A, E>) =>
  Layer.unwrap(Effect.map(temporaryFolder, (folder) => layer(join(folder, "test.db"))))

storageLaws("SQLite in memory", Layer.provide(StorageSql.layer, BetterSqlite3.layer(":memory:")))

// Some of the Nodes that we support bring a SQLite that we reject.
const nodeHasSoundSqlite = !Sqlite.isTooOld(process.versions.sqlite ?? "0")

if (nodeHasSoundSqlite) storageLaws("SQLite of Node", Layer.provide(StorageSql.layer, inFolder(NodeSqlite.layer)))

// Its types are those of a beta.
const effectsOwn = (filename: string): Layer.Layer<SqlClient> => Sqlite.durable(SqliteClient.layer({ filename }))

if (nodeHasSoundSqlite)
  storageLaws("SQLite through Effect's own client", Layer.provide(StorageSql.layer, inFolder(effectsOwn)))
