import { storageLaws } from "@crossdock/storage-laws"
import { StorageSql } from "@crossdock/storage-sql"
import { Layer } from "effect"
import { postgres } from "./Databases.ts"

storageLaws("PostgreSQL of another locale", Layer.provide(StorageSql.layer, postgres({ locale: "en-US" })))
