/** The placement of each table on Citus, a PostgreSQL of several servers, and the statements that place them. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { tables } from "./CompanyRows.ts"
import { UnusableSchema } from "./UnusableDatabase.ts"

/**
 * `company`: on the server of the row's company, together with its rows of all other such tables, so that a company's
 * unit of work is one server's transaction. `everywhere`: a copy on each server, for small tables that are read much and
 * written by hand. `coordinator`: on the server that hosts connect to, for tables found by their own key.
 */
export type Placement = "company" | "everywhere" | "coordinator"

/** Read with rows of companies. */
const everywhere = ["marketplaces", "reference", "versions", "plans", "extensions", "coupons", "secrets"]

/** Their unique keys have no company. */
const coordinator = ["accounts", "archived_orders", "idempotency", "orders", "sign_in_failures"]

const placed = (tables: ReadonlyArray<string>, placement: Placement) =>
  Object.fromEntries(tables.map((table) => [table, placement]))

/** By name without `crossdock_`. The first one of the companies determines where the others are. */
export const placements: Readonly<Record<string, Placement>> = {
  ...placed(
    Object.keys(tables).map((table) => table.slice("crossdock_".length)),
    "company"
  ),
  ...{ shipment_counts: "company", ...placed(everywhere, "everywhere"), ...placed(coordinator, "coordinator") }
}

/**
 * A key of a distributed table contains the company. The other columns come first, so that rows are still found by them
 * alone. Numbers of the database and random ids stay unique in practice, but no index checks that across companies.
 */
export const keys: ReadonlyArray<string> = [
  ...["catalog_writes", "locations", "products", "shipments", "sizes"].map(
    (table) =>
      `ALTER TABLE crossdock_${table} DROP CONSTRAINT crossdock_${table}_pkey, ADD PRIMARY KEY (id, company_id)`
  ),
  "DROP INDEX crossdock_agreements_link",
  "CREATE UNIQUE INDEX crossdock_agreements_link ON crossdock_agreements (link, company_id) WHERE link IS NOT NULL"
]

const place = {
  company: (table: string) =>
    table === "companies"
      ? `SELECT create_distributed_table('crossdock_companies', 'id', colocate_with => 'none')`
      : `SELECT create_distributed_table('crossdock_${table}', 'company_id', colocate_with => 'crossdock_companies')`,
  everywhere: (table: string) => `SELECT create_reference_table('crossdock_${table}')`,
  // Not a plain table: a plain table's rows would be committed apart from those of other servers.
  coordinator: (table: string) => `SELECT citus_add_local_table_to_metadata('crossdock_${table}')`
} satisfies Record<Placement, (table: string) => string>

/** Whether the tables are distributed. */
export const isDistributed = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient
): Effect.fn.Return<boolean, SqlError> {
  const citus = sql`SELECT 1 AS one WHERE to_regclass('pg_dist_partition') IS NOT NULL`
  const found = yield* sql.onDialectOrElse({ orElse: () => Effect.succeed([]), pg: () => citus })
  if (found.length === 0) return false
  const [table] = yield* sql`
    SELECT 1 AS one FROM pg_dist_partition WHERE logicalrelid = to_regclass('crossdock_companies') AND partmethod = 'h'`
  return table !== undefined
})

/**
 * `lock`, of rows of any company. Citus locks rows of one server in a query, so there two hosts may select the same
 * rows: the later write is stale, or finds nothing to delete. A store asks once: no host runs while tables are distributed.
 */
export const locking = (sql: SqlClient.SqlClient, lock: Fragment): Effect.Effect<Fragment, SqlError> =>
  Effect.map(isDistributed(sql), (is) => (is ? sql`` : lock))

/** Triggers read and write rows of their row's company only, which are on the same server. */
const triggers = "SET LOCAL citus.enable_unsafe_triggers = on"

/**
 * Distributes the tables of a migrated database, with their rows, while no host runs. Fails with a sentence unless the
 * database has Citus, and changes nothing when they are distributed already.
 */
export const distribute: Effect.Effect<void, SqlError | UnusableSchema, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  if (yield* isDistributed(sql)) return
  const citus = sql`SELECT 1 AS one FROM pg_extension WHERE extname = 'citus'`
  const found = yield* sql.onDialectOrElse({ orElse: () => Effect.succeed([]), pg: () => citus })
  if (found.length === 0)
    return yield* new UnusableSchema({
      message:
        "Only a PostgreSQL with Citus distributes tables: install it on each server, and run CREATE EXTENSION citus in the database"
    })
  yield* sql.unsafe(triggers)
  for (const statement of keys) yield* sql.unsafe(statement)
  for (const [table, placement] of Object.entries(placements)) yield* sql.unsafe(place[placement](table))
}).pipe((work) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(work)))
