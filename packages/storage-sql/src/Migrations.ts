/** The migrations of the schema as values, because Workers have no file system. A released migration is never edited. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Record from "effect/Record"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import * as BillingStoreSql from "./billing/BillingStoreSql.ts"
import * as CatalogTables from "./catalog/CatalogTables.ts"
import { onPostgres } from "./Dialect.ts"
import * as Distribution from "./Distribution.ts"
import * as StockLevelsSql from "./inventory/StockLevelsSql.ts"
import * as EventEndpointStoreSql from "./notifications/EventEndpointStoreSql.ts"
import * as OrderArchive from "./orders/OrderArchive.ts"
import * as SchemaCheck from "./SchemaCheck.ts"
import * as SchemaDialect from "./SchemaDialect.ts"
import * as ShipmentTables from "./shipments/ShipmentTables.ts"
import { beginning } from "./TransactionSql.ts"
import { UnusableSchema } from "./UnusableDatabase.ts"

const tables = ({
  clustered,
  elementColumns,
  elements,
  identity,
  text
}: ReturnType<typeof SchemaDialect.schemaWords>) => [
  `CREATE TABLE crossdock_companies (
    id BIGINT PRIMARY KEY, name ${text} NOT NULL, legal_name ${text} NOT NULL,
    audit_sequence BIGINT NOT NULL DEFAULT 0, audit_hash ${text} NOT NULL DEFAULT ''
  )`,
  `CREATE TABLE crossdock_locations (
    id ${identity}, company_id BIGINT NOT NULL, code ${text} NOT NULL, name ${text} NOT NULL,
    currency ${text} NOT NULL, handling_hours BIGINT NOT NULL, address ${text}, UNIQUE (company_id, code)
  )`,
  `CREATE TABLE crossdock_marketplaces (slug ${text} PRIMARY KEY, body ${text} NOT NULL)`,
  `CREATE TABLE crossdock_accounts (
    kind ${text} NOT NULL, username ${text} NOT NULL, password_hash ${text} NOT NULL, enabled BIGINT NOT NULL,
    generation BIGINT NOT NULL, sandbox BIGINT NOT NULL, principal ${text} NOT NULL, PRIMARY KEY (kind, username)
  )`,
  `CREATE TABLE crossdock_secrets (name ${text} PRIMARY KEY, value ${text} NOT NULL)`,
  `CREATE TABLE crossdock_sign_in_failures (subject ${text} NOT NULL, at BIGINT NOT NULL)`,
  `CREATE INDEX crossdock_sign_in_failures_subject ON crossdock_sign_in_failures (subject, at)`,
  `CREATE TABLE crossdock_idempotency (
    principal ${text} NOT NULL, method ${text} NOT NULL, path ${text} NOT NULL, request_key ${text} NOT NULL,
    fingerprint ${text} NOT NULL, owner ${text} NOT NULL, claimed_until BIGINT NOT NULL, expires_at BIGINT NOT NULL,
    answer ${text}, PRIMARY KEY (principal, method, path, request_key)
  )`,
  `CREATE INDEX crossdock_idempotency_expiry ON crossdock_idempotency (expires_at)`,
  `CREATE TABLE crossdock_audit_records (
    company_id BIGINT NOT NULL, sequence BIGINT NOT NULL, id ${text} NOT NULL, at BIGINT NOT NULL,
    entity_type ${text} NOT NULL, entity_id ${text} NOT NULL, action ${text} NOT NULL,
    hash ${text} NOT NULL, body ${text} NOT NULL, personal ${text}, PRIMARY KEY (company_id, sequence)
  )`,
  `CREATE TABLE crossdock_audit_anchors (company_id BIGINT PRIMARY KEY, sequence BIGINT NOT NULL, hash ${text} NOT NULL)`,
  `CREATE TABLE crossdock_reference (kind ${text} NOT NULL, id ${text} NOT NULL, body ${text} NOT NULL,
    position BIGINT NOT NULL, PRIMARY KEY (kind, id)) ${clustered}`,
  `CREATE TABLE crossdock_brands (
    company_id BIGINT NOT NULL, uid BIGINT NOT NULL, name ${text} NOT NULL, PRIMARY KEY (company_id, uid)
  )`,
  `CREATE TABLE crossdock_products (
    id ${identity}, company_id BIGINT NOT NULL, item_code ${text} NOT NULL, name ${text} NOT NULL,
    folded_name ${text} NOT NULL, brand ${text} NOT NULL, slug ${text} NOT NULL, hs_code ${text} NOT NULL,
    batch BIGINT NOT NULL, body ${text} NOT NULL, created_at BIGINT NOT NULL, modified_at BIGINT NOT NULL,
    UNIQUE (company_id, item_code),
    UNIQUE (company_id, brand, slug)
  )`,
  `CREATE TABLE crossdock_sizes (
    id ${identity}, company_id BIGINT NOT NULL, product_id BIGINT NOT NULL, sku ${text} NOT NULL,
    name ${text} NOT NULL, position BIGINT NOT NULL, body ${text} NOT NULL, UNIQUE (company_id, sku)
  )`,
  `CREATE INDEX crossdock_sizes_product ON crossdock_sizes (company_id, product_id)`,
  `CREATE TABLE crossdock_levels (
    company_id BIGINT NOT NULL, location_id BIGINT NOT NULL, size_id BIGINT NOT NULL, on_hand BIGINT NOT NULL,
    reserved BIGINT NOT NULL, unsellable BIGINT NOT NULL, version BIGINT NOT NULL, sequence BIGINT NOT NULL,
    changed_at BIGINT NOT NULL, modified_at BIGINT NOT NULL, PRIMARY KEY (company_id, location_id, size_id),
    CHECK (on_hand >= 0 AND reserved >= 0 AND unsellable >= 0)
  ) ${clustered}`,
  `CREATE TABLE crossdock_prices (
    company_id BIGINT NOT NULL, location_id BIGINT NOT NULL, size_id BIGINT NOT NULL, mrp BIGINT NOT NULL,
    esp BIGINT NOT NULL, version BIGINT NOT NULL, modified_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, location_id, size_id)
  ) ${clustered}`,
  `CREATE TABLE crossdock_orders (
    id ${text} PRIMARY KEY, marketplace ${text} NOT NULL, external_order_id ${text} NOT NULL, facts ${text} NOT NULL,
    body ${text} NOT NULL, UNIQUE (marketplace, external_order_id)
  )`,
  `CREATE TABLE crossdock_channels (
    company_id BIGINT NOT NULL, marketplace ${text} NOT NULL, version BIGINT NOT NULL, body ${text} NOT NULL,
    PRIMARY KEY (company_id, marketplace)
  )`,
  `CREATE TABLE crossdock_dead_letters (
    company_id BIGINT NOT NULL, marketplace ${text} NOT NULL, id ${text} NOT NULL, at BIGINT NOT NULL,
    body ${text} NOT NULL, PRIMARY KEY (company_id, marketplace, id)
  )`,
  `CREATE INDEX crossdock_levels_marks ON crossdock_levels (company_id, sequence)`,
  `CREATE TABLE crossdock_gone_levels (
    company_id BIGINT NOT NULL, location_id BIGINT NOT NULL, sku ${text} NOT NULL, sequence BIGINT NOT NULL,
    changed_at BIGINT NOT NULL, marketplace ${text} NOT NULL, PRIMARY KEY (company_id, location_id, sku, marketplace)
  ) ${clustered}`,
  `CREATE INDEX crossdock_gone_levels_marks ON crossdock_gone_levels (company_id, sequence)`,
  // All movements of one change are in one row. The view shows one row per movement.
  `CREATE TABLE crossdock_movements (company_id BIGINT NOT NULL, number BIGINT NOT NULL, lines ${text} NOT NULL)`,
  `CREATE VIEW crossdock_movement_lines AS
    SELECT m.company_id, m.number, ${elementColumns(StockLevelsSql.movementColumns)}
    FROM crossdock_movements m, ${elements("m.lines")}`
]

const allTables = (sql: SqlClient.SqlClient) => {
  const words = SchemaDialect.schemaWords(sql)
  return [
    ...tables(words),
    ...BillingStoreSql.statements(words),
    ...CatalogTables.statements(words),
    ...ShipmentTables.statements(words),
    ...ShipmentTables.counting(sql),
    ...["crossdock_levels", "crossdock_prices"].flatMap((table) => SchemaDialect.beginningOnce(sql, table))
  ]
}

/** Renames tables and fields. The text `"name":` is always a field, because JSON escapes quotes inside a string. */
const names: ReadonlyArray<string> = [
  `ALTER TABLE crossdock_gone_levels RENAME TO crossdock_deleted_levels`,
  `DROP INDEX crossdock_gone_levels_marks`,
  `CREATE INDEX crossdock_deleted_levels_marks ON crossdock_deleted_levels (company_id, sequence)`,
  `UPDATE crossdock_marketplaces SET body = replace(body, '"former":', '"retiredCodes":')`,
  `UPDATE crossdock_channels SET body = replace(body, '"told":', '"completed":')`
]

/** Renames fields that contain a change number: the first field of a cursor or floor, and `number` in a dead letter. */
const changeNumbers: ReadonlyArray<string> = [
  `UPDATE crossdock_channels SET body = replace(replace(body,
    '"cursor":{"sequence":', '"cursor":{"changeNumber":'), '"floor":{"number":', '"floor":{"changeNumber":')`,
  `UPDATE crossdock_dead_letters SET body = replace(body, '"number":', '"changeNumber":')`
]

const boundedCosts = (sql: SqlClient.SqlClient) => {
  const entityType = SchemaDialect.indexedText(sql, "entity_type")
  return [
    ...ShipmentTables.skus(sql),
    ...ShipmentTables.countsWithoutZeros(sql),
    ...CatalogTables.finishedWrites(sql),
    CatalogTables.batchTracked,
    ...StockLevelsSql.checkpoints(sql),
    ...entityType.addDigest.map((add) => `ALTER TABLE crossdock_audit_records ${add}`),
    `CREATE INDEX crossdock_audit_records_types ON crossdock_audit_records (company_id, ${entityType.name}, sequence)`,
    `ALTER TABLE crossdock_reference_version RENAME TO crossdock_versions`,
    `CREATE INDEX crossdock_sign_in_failures_at ON crossdock_sign_in_failures (at)`,
    `CREATE INDEX crossdock_dead_letters_list ON crossdock_dead_letters (marketplace, at, id)`,
    `CREATE INDEX crossdock_dead_letters_at ON crossdock_dead_letters (at)`
  ]
}

/** The change feed and the progress of each consumer group. Event numbers have no gaps. */
const changeFeed = ({ clustered, text }: ReturnType<typeof SchemaDialect.schemaWords>): ReadonlyArray<string> => [
  `ALTER TABLE crossdock_companies ADD COLUMN last_event BIGINT NOT NULL DEFAULT 0`,
  `CREATE TABLE crossdock_events (
    company_id BIGINT NOT NULL, last BIGINT NOT NULL, change_number BIGINT NOT NULL, at BIGINT NOT NULL,
    body ${text} NOT NULL, PRIMARY KEY (company_id, last)
  ) ${clustered}`,
  `CREATE TABLE crossdock_event_consumers (
    consumer_group ${text} NOT NULL, company_id BIGINT NOT NULL, reached BIGINT NOT NULL, owner ${text},
    claimed_until BIGINT, version BIGINT NOT NULL, PRIMARY KEY (consumer_group, company_id)
  )`
]

/** On SQLite, replaces the clustered table of events by an ordinary one, where large rows take a quarter of the space. */
const wholeEvents = (sql: SqlClient.SqlClient): ReadonlyArray<string> =>
  sql.onDialectOrElse({
    orElse: () => [
      `CREATE TABLE crossdock_whole_events (
        company_id BIGINT NOT NULL, last BIGINT NOT NULL, change_number BIGINT NOT NULL, at BIGINT NOT NULL,
        body TEXT NOT NULL, PRIMARY KEY (company_id, last)
      )`,
      `INSERT INTO crossdock_whole_events SELECT company_id, last, change_number, at, body FROM crossdock_events`,
      `DROP TABLE crossdock_events`,
      `ALTER TABLE crossdock_whole_events RENAME TO crossdock_events`
    ],
    pg: () => []
  })

type Statements = (sql: SqlClient.SqlClient) => ReadonlyArray<string>

/** The SQL statements of each migration, by its name. */
export const statements = {
  "0001_create_tables": allTables,
  "0002_modified_invoices": () => BillingStoreSql.modifiedInvoices,
  "0003_names": () => names,
  "0004_change_numbers": () => changeNumbers,
  "0005_digest_columns": SchemaDialect.digestIndexes,
  "0006_agreement_slots": BillingStoreSql.slots,
  "0007_bounded_costs": boundedCosts,
  "0008_change_feed": (sql) => changeFeed(SchemaDialect.schemaWords(sql)),
  "0009_event_endpoints": (sql) => EventEndpointStoreSql.statements(SchemaDialect.schemaWords(sql)),
  "0010_next_tries": () => EventEndpointStoreSql.nextTries,
  "0011_products_by_slug": CatalogTables.bySlug,
  "0012_counts_at_commit": ShipmentTables.countsAtCommit,
  "0013_closed_companies": () => [`ALTER TABLE crossdock_companies ADD COLUMN closed_at BIGINT`],
  "0014_applied_product_writes": () => CatalogTables.appliedWrites,
  "0015_custom_fields": ShipmentTables.filters,
  "0016_unique_invoice_numbers": ShipmentTables.uniqueNumbers,
  "0017_company_fields": (sql) =>
    ["companies", "locations"].map(
      (table) => `ALTER TABLE crossdock_${table} ADD COLUMN custom_fields ${SchemaDialect.schemaWords(sql).text}`
    ),
  "0018_whole_events": wholeEvents,
  "0019_ascending_lists": () => ShipmentTables.ascendingLists,
  "0020_archived_orders": (sql) => [...OrderArchive.statements(sql), ...ShipmentTables.countDeleted(sql)]
} satisfies Record<string, Statements>

/** A query that must find nothing before a migration, and the message for a found row. The table is locked meanwhile. */
interface Check {
  readonly table: string
  readonly query: string
  readonly why: (row: Readonly<Record<string, unknown>>) => string
}

const checks: Readonly<Record<string, Check>> = {
  "0014_applied_product_writes": {
    table: "crossdock_catalog_writes",
    query: `SELECT 1 AS one FROM crossdock_catalog_writes WHERE stage = 'RUNNING' LIMIT 1`,
    why: () =>
      "Writes of products are still being processed: start the earlier release until none is RUNNING, stop it, and start this one"
  },
  "0016_unique_invoice_numbers": {
    table: "crossdock_shipments",
    query: ShipmentTables.repeatedNumbers,
    why: ({ company_id, first, number, second }) =>
      `Shipments ${first} and ${second} of company ${company_id} have the same invoice or credit note number ${JSON.stringify(number)}. Give one of them another number as docs/guides/operate.md#repeated-invoice-numbers says, and start again`
  }
}

const migrated = Effect.fnUntraced(function* (of: Statements, name: string) {
  const sql = yield* SqlClient.SqlClient
  const check = checks[name]
  yield* onPostgres(sql, () => sql.unsafe(Distribution.withTriggers))
  if (check !== undefined) {
    yield* onPostgres(sql, () => sql.unsafe(`LOCK TABLE ${check.table} IN ACCESS EXCLUSIVE MODE`))
    const [row] = yield* sql.unsafe<Readonly<Record<string, unknown>>>(check.query)
    if (row !== undefined) return yield* new UnusableSchema({ message: check.why(row) })
  }
  for (const statement of of(sql)) yield* sql.unsafe(statement)
})

/** All migrations in order. They are recorded in `crossdock_migrations`, separately from the host's own migrations. */
export const migrations = Record.map(statements, migrated)

/** A migration as SQL. The query `check`, if any, must find no row before the statements run. */
export interface Script {
  readonly name: string
  readonly check: string | null
  readonly statements: ReadonlyArray<string>
}

/** The migrations after the first `applied` ones, for the application's own migration tool. They also record themselves. */
export const scripts = (dialect: "sqlite" | "pg", applied = 0): ReadonlyArray<Script> => {
  const onDialectOrElse = (by: Readonly<Record<string, () => unknown>>) => (by[dialect] ?? by.orElse)?.()
  const sql = { onDialectOrElse } as unknown as SqlClient.SqlClient
  const ledger = `CREATE TABLE IF NOT EXISTS crossdock_migrations (migration_id INTEGER PRIMARY KEY NOT NULL,
    created_at ${dialect === "pg" ? "TIMESTAMPTZ" : "DATETIME"} NOT NULL DEFAULT CURRENT_TIMESTAMP, name TEXT NOT NULL)`
  return Object.entries<Statements>(statements)
    .slice(applied)
    .map(([name, of]) => {
      const id = Number(name.slice(0, 4))
      const done = `INSERT INTO crossdock_migrations (migration_id, name) VALUES (${id}, '${name.slice(5)}')`
      return { name, check: checks[name]?.query ?? null, statements: [...(id === 1 ? [ledger] : []), ...of(sql), done] }
    })
}

/** Applies pending migrations without checking the schema afterwards. On Citus, it also distributes new tables. */
export const run = Effect.flatMap(SqlClient.SqlClient, (sql) => {
  const migrate = Migrator.make({})({ loader: Migrator.fromRecord(migrations), table: "crossdock_migrations" })
  return Effect.provideService(migrate, SqlClient.BeginTransaction, beginning(sql))
}).pipe(
  Effect.catchTag("MigrationError", (one) => Effect.fail(one.cause instanceof UnusableSchema ? one.cause : one)),
  Effect.tap(Distribution.distributeNew)
)

const known = SchemaCheck.ledger(Object.keys(migrations))

/** The number of applied migrations and the names of pending ones. Fails if an applied one is unknown or missing. */
export const state = Effect.gen(function* () {
  yield* known
  const { length } = yield* SchemaCheck.applied
  return { applied: length, pending: Object.keys(migrations).slice(length) }
})

/** Fails with `UnusableSchema` unless the schema is the result of all migrations. Added indexes are allowed if not unique. */
export const check = Effect.flatMap(SqlClient.SqlClient, (sql) => {
  const schema = SchemaCheck.schema(Object.values<Statements>(statements).flatMap((of) => of(sql)))
  return Effect.provideService(schema, SqlClient.BeginTransaction, beginning(sql))
})

/** Applies pending migrations. It fails with `UnusableSchema` if the schema was changed by hand or by a later release. */
export const layer = Layer.effectDiscard(known.pipe(Effect.andThen(run), Effect.andThen(known), Effect.andThen(check)))
