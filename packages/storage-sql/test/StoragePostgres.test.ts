import { storageLaws } from "@crossdock/storage-laws"
import { StorageSql } from "@crossdock/storage-sql"
import { Layer } from "effect"
import { postgres } from "./Databases.ts"

storageLaws("PostgreSQL", Layer.provide(StorageSql.layer, postgres()))
