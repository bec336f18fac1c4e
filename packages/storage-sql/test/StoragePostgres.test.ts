import { storageLaws } from "@crossdock/storage-laws"
import { StorageSql } from "@crossdock/storage-sql"
import { Layer } from "effect"
import { postgres } from "./Databases.ts"

// Statements take another way where nobody traces: the laws hold on both.
const untraced = Layer.setTracerEnabled(false)

storageLaws("PostgreSQL", Layer.merge(Layer.provide(StorageSql.layer, postgres()), untraced))

storageLaws("PostgreSQL of another locale", Layer.provide(StorageSql.layer, postgres({ locale: "en-US" })))
