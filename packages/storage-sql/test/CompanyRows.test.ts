import { join } from "node:path"
import { CompanyId } from "@crossdock/kernel"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import type {} from "@crossdock/postgres/PostgresGlobalSetup"
import { CompanyRows, StorageSql } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Effect, Layer, Stream } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { inject } from "vitest"
import { temporaryFolder } from "../../http/test/TemporaryFolder.ts"

/** The tables without rows to move, each with the reason. */
const otherTables = {
  crossdock_marketplaces: "one sells for several companies",
  crossdock_plans: "for all companies",
  crossdock_extensions: "for all companies",
  crossdock_coupons: "for all companies",
  crossdock_reference: "for all companies",
  crossdock_secrets: "of the hosts",
  crossdock_sign_in_failures: "of the last minute",
  crossdock_versions: "of the database",
  crossdock_migrations: "of the database",
  crossdock_shipment_counts: "counted by triggers"
}

describe("the rows of a company", () => {
  const folder = temporaryFolder()

  it.effect("are of every table, or the table has a reason why not", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const tables = yield* sql<{ name: string }>`
        SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'crossdock%' ORDER BY name`
      const named = [...Object.keys(CompanyRows.tables), ...Object.keys(otherTables)]
      deepStrictEqual(
        named.sort(),
        tables.map(({ name }) => name)
      )
    }).pipe(Effect.provide(Layer.provideMerge(StorageSql.layer, BetterSqlite3.layer(":memory:"))))
  )

  const brand = (uid: number) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql`INSERT INTO crossdock_brands VALUES (1, ${uid}, 'Acme')`)

  /** The brands that a read gives while another connection adds one. */
  const brandsOf = (client: Layer.Layer<SqlClient.SqlClient, unknown>) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO crossdock_companies (id, name, legal_name) VALUES (1, 'Acme', 'Acme')`
      yield* brand(1)
      const pages = yield* CompanyRows.read(CompanyId.make(1)).pipe(
        Stream.tap(({ table }) =>
          table === "crossdock_companies" ? Effect.provide(brand(2), Layer.fresh(client)) : Effect.void
        ),
        Stream.runCollect
      )
      deepStrictEqual(yield* sql`SELECT uid FROM crossdock_brands ORDER BY uid`.values, [[1], [2]])
      return pages.flatMap(({ rows, table }) => (table === "crossdock_brands" ? rows : []))
    }).pipe(Effect.provide(Layer.provideMerge(StorageSql.layer, client)))

  it.live("are those of one moment, and other connections write meanwhile", () =>
    Effect.gen(function* () {
      const url = yield* PostgresDatabase.make(inject("postgres"))
      for (const client of [BetterSqlite3.layer(join(folder, "rows.db")), Postgres.layer(url)])
        deepStrictEqual(yield* brandsOf(client), [[1, "Acme", 1]])
    })
  )
})
