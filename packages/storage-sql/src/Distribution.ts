/** Where Citus places each table. Citus is PostgreSQL on several servers. */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { tables } from "./CompanyRows.ts"
import { UnusableSchema } from "./UnusableDatabase.ts"

/** Where Citus stores rows: with their company, as a copy `everywhere`, or on the server that hosts connect to. */
export type Placement = "company" | "everywhere" | "coordinator"

const everywhere = ["marketplaces", "reference", "versions", "plans", "extensions", "coupons", "secrets"]

/** These tables have unique keys without a company. */
const coordinator = ["accounts", "archived_orders", "idempotency", "orders", "sign_in_failures"]

const placed = (placement: Placement, tables: ReadonlyArray<string>, prefix = "crossdock_") =>
  Object.fromEntries(tables.map((table) => [prefix + table, placement]))

/** The placement of each table. Citus chooses the servers of the first `company` table, and the others use the same. */
export const placements: Readonly<Record<string, Placement>> = {
  ...placed("company", [...Object.keys(tables), "crossdock_shipment_counts"], ""),
  ...placed("everywhere", everywhere),
  ...placed("coordinator", coordinator)
}

/** Adds the company as the last column of the keys of distributed tables. Ids are then unique only inside a company. */
export const keys: ReadonlyArray<string> = [
  ...["catalog_writes", "locations", "products", "shipments", "sizes"].map(
    (table) =>
      `ALTER TABLE crossdock_${table} DROP CONSTRAINT crossdock_${table}_pkey, ADD PRIMARY KEY (id, company_id)`
  ),
  "DROP INDEX crossdock_agreements_link",
  "CREATE UNIQUE INDEX crossdock_agreements_link ON crossdock_agreements (link, company_id) WHERE link IS NOT NULL"
]

/** Deletes the rows that remain on the coordinator after a copy. An erasure wouldn't reach them. */
const truncated = (table: string) => `SELECT truncate_local_data_after_distributing_table('${table}')`

const placing = {
  // Triggers use rows of one company only. They are disabled during the move, because the moved rows aren't new.
  company: (table: string) => [
    `ALTER TABLE ${table} DISABLE TRIGGER USER`,
    table === "crossdock_companies"
      ? `SELECT create_distributed_table('${table}', 'id', colocate_with => 'none')`
      : `SELECT create_distributed_table('${table}', 'company_id', colocate_with => 'crossdock_companies')`,
    truncated(table),
    `ALTER TABLE ${table} ENABLE TRIGGER USER`
  ],
  everywhere: (table: string) => [`SELECT create_reference_table('${table}')`, truncated(table)],
  // Otherwise Citus would commit this table after the workers, and a crash in between could lose a part of a unit.
  coordinator: (table: string) => [`SELECT citus_add_local_table_to_metadata('${table}')`]
} satisfies Record<Placement, (table: string) => ReadonlyArray<string>>

/** Whether the tables are distributed. */
export const isDistributed = Effect.fnUntraced(function* (sql: SqlClient) {
  const citus = sql`SELECT 1 AS one WHERE to_regclass('pg_dist_partition') IS NOT NULL`
  const found = yield* sql.onDialectOrElse({ orElse: () => Effect.succeed([]), pg: () => citus })
  if (found.length === 0) return false
  const [table] = yield* sql`
    SELECT 1 AS one FROM pg_dist_partition WHERE logicalrelid = to_regclass('crossdock_companies') AND partmethod = 'h'`
  return table !== undefined
})

/** Returns `lock`, or no lock on Citus, which can't lock rows across servers. There, the later write fails as stale. */
export const locking = (sql: SqlClient, lock: Fragment): Effect.Effect<Fragment, SqlError> =>
  Effect.map(isDistributed(sql), (is) => (is ? sql`` : lock))

/** The tables that have no placement yet: either all tables, or the tables that a migration has added since. */
export const unplaced = (sql: SqlClient) =>
  Effect.map(sql<{ name: string }>`SELECT logicalrelid::text AS name FROM pg_dist_partition`, (found) =>
    Object.keys(placements).filter((table) => !found.some(({ name }) => name === table))
  )

/** Allows a transaction to use tables with triggers on Citus. PostgreSQL without Citus ignores this setting. */
export const withTriggers = "SET LOCAL citus.enable_unsafe_triggers = on"

const place = Effect.fnUntraced(function* (sql: SqlClient) {
  yield* sql`LOCK TABLE crossdock_migrations IN ACCESS EXCLUSIVE MODE`
  yield* sql.unsafe(withTriggers)
  if (!(yield* isDistributed(sql))) for (const statement of keys) yield* sql.unsafe(statement)
  for (const table of yield* unplaced(sql))
    for (const statement of placing[placements[table] ?? "company"](table)) yield* sql.unsafe(statement)
})

/** Distributes tables that a migration added. It does nothing if no table is distributed. */
export const distributeNew = Effect.flatMap(SqlClient, (sql) =>
  Effect.flatMap(isDistributed(sql), (is) => (is ? sql.withTransaction(place(sql)) : Effect.void))
)

/** Distributes the tables of a migrated database while no host is running. It fails without Citus. */
export const distribute: Effect.Effect<void, SqlError | UnusableSchema, SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient
  const citus = sql`SELECT 1 AS one FROM pg_extension WHERE extname = 'citus'`
  const found = yield* sql.onDialectOrElse({ orElse: () => Effect.succeed([]), pg: () => citus })
  if (found.length === 0)
    return yield* new UnusableSchema({
      message:
        "Only a PostgreSQL with Citus distributes tables: install it on each server, and run CREATE EXTENSION citus in the database"
    })
  yield* sql.withTransaction(place(sql))
})
