import { storageLaws } from "@crossdock/storage-laws"
import * as PostgresDatabase from "@crossdock/storage-laws/PostgresDatabase"
import { Postgres, StorageSql } from "@crossdock/storage-sql"
import { Effect, Layer } from "effect"
import { inject } from "vitest"

const fresh = (options?: PostgresDatabase.Options) =>
  Layer.unwrapScoped(
    Effect.map(PostgresDatabase.make(inject("postgres"), options), (url) => Layer.orDie(Postgres.layer(url)))
  )

storageLaws("PostgreSQL", Layer.provide(StorageSql.layer, fresh()))

storageLaws("PostgreSQL of another locale", Layer.provide(StorageSql.layer, fresh({ locale: "en-US" })))
