import { storageLaws } from "@crossdock/storage-laws"
import { StorageSql } from "@crossdock/storage-sql"
import { Layer } from "effect"
import { sqliteFile } from "./Databases.ts"

storageLaws("SQLite in a file", Layer.provide(StorageSql.layer, sqliteFile))
