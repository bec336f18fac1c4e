import { storageLaws } from "@crossdock/storage-laws"
import { Sqlite, StorageSql } from "@crossdock/storage-sql"
import { Layer } from "effect"
import { sqliteFile } from "./Databases.ts"

// Statements take another way where nobody traces: the laws hold on both.
const untraced = Layer.setTracerEnabled(false)

storageLaws("SQLite in a file", Layer.merge(Layer.provide(StorageSql.layer, sqliteFile), untraced))

storageLaws("SQLite in memory", Layer.provide(StorageSql.layer, Sqlite.layer(":memory:")))
