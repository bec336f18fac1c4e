/**
 * Databases as the program filled them at an earlier migration.
 */
import { readdirSync, readFileSync } from "node:fs"
import * as Migrations from "@crossdock/storage-sql/Migrations"
import { Effect } from "effect"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import { rows } from "../src/Dialect.ts"

interface Table {
  readonly name: string
  readonly columns: ReadonlyArray<readonly [name: string, type: "TEXT" | "BIGINT" | "INTEGER"]>
  readonly rows: ReadonlyArray<ReadonlyArray<string | number | null>>
}

export interface Fixture {
  /** The number of the last migration when the database was filled. */
  readonly version: string
  readonly now: number
  readonly reads: unknown
  readonly tables: ReadonlyArray<Table>
}

const folder = new URL("fixtures/", import.meta.url)

export const fixtures = readdirSync(folder)
  .filter((name) => /^database-\d+\.json$/.test(name))
  .map((name): Fixture => JSON.parse(readFileSync(new URL(name, folder), "utf8")))

export const migrateTo = ({ version }: Pick<Fixture, "version">) => {
  const all = Object.entries(Migrations.migrations).filter(([key]) => key.slice(0, version.length) <= version)
  return Migrator.make({})({
    loader: Migrator.fromRecord(Object.fromEntries(all)),
    table: "crossdock_migrations"
  })
}

/** A level and a price begin with version 1 and get their own by an update, as in the program. */
const load = ({ columns, name, rows: values }: Table) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const types = Object.fromEntries(
      columns.map(([column, type]) => [column, type === "TEXT" ? "text" : "integer"] as const)
    )
    const names = columns.map(([column]) => column)
    const isVersioned = name === "crossdock_levels" || name === "crossdock_prices"
    const first = names.map((column) => (isVersioned && column === "version" ? "1" : `r.${column}`))
    const source = rows(sql, types, values)
    const table = sql.literal(name)
    yield* sql`INSERT INTO ${table} (${sql.literal(names.join(", "))})
      SELECT ${sql.literal(first.join(", "))} FROM ${source} r`
    if (isVersioned) {
      yield* sql`UPDATE ${table} SET version = r.version FROM ${source} r
        WHERE ${table}.company_id = r.company_id AND ${table}.location_id = r.location_id AND ${table}.size_id = r.size_id`
    }
    if (columns.some(([column, type]) => column === "id" && type === "INTEGER")) {
      yield* sql.onDialectOrElse({
        orElse: () => Effect.void,
        pg: () => sql`SELECT setval(pg_get_serial_sequence(${name}, 'id'), (SELECT MAX(id) FROM ${table}))`
      })
    }
  })

/** Makes the database as it was, before the migrations that came later. */
export const fill = (fixture: Fixture) => Effect.andThen(migrateTo(fixture), Effect.forEach(fixture.tables, load))
