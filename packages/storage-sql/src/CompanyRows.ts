/** Reads and writes a company's rows, to move the company to a database with the same schema. Rows keep their numbers. */
import type { CompanyId, StorageError } from "@crossdock/kernel"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import * as Dialect from "./Dialect.ts"
import { onPostgres } from "./Dialect.ts"
import { named } from "./TransactionSql.ts"

type Row = ReadonlyArray<string | number | null>

/** A page of rows of one table. Each row has the values of `columns`, in order. */
export interface Page {
  readonly table: string
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<Row>
}

/** A row can't be written: either another row has its key, or the row belongs to another company. */
export class RowRejected extends Data.TaggedError("RowRejected")<{ readonly message: string }> {}

/** A page doesn't fit the schema, because its archive was edited. */
export class PageRejected extends Data.TaggedError("PageRejected") {}

interface Table {
  /** Selects the company's rows. By default, it compares `company_id`. */
  readonly where?: (sql: SqlClient, company: CompanyId) => Fragment
  /** The columns that identify a row in a conflict. `name` describes the row to an operator, from their values. */
  readonly key?: ReadonlyArray<string>
  readonly name?: (key: Row) => string
  /** Whether the row may exist already. Another company, or an import of reference data, may have added it. */
  readonly isShared?: boolean
  /** New values for columns, as SQL. Null leaves out the column, so the database assigns a number. */
  readonly begins?: Readonly<Record<string, string | null>>
}

const accounts = (sql: SqlClient, company: CompanyId) => sql`
  kind IN ('integration', 'platform_client')
    AND CAST(${Dialect.bodyText(sql, "principal", "companyId")} AS bigint) = ${company}`

const numbered = (name: string): Table => ({ key: ["id"], name: ([id]) => `${name} number ${id}` })

const versioned: Table = { begins: { version: "1" } }

const plain = (names: string): Readonly<Record<string, Table>> =>
  Object.fromEntries(names.split(" ").map((name) => [`crossdock_${name}`, {}]))

/** The tables that contain rows of companies. */
export const tables: Readonly<Record<string, Table>> = {
  crossdock_companies: { where: (sql, company) => sql`id = ${company}`, key: ["id"], name: ([id]) => `Company ${id}` },
  crossdock_locations: numbered("Location"),
  crossdock_products: numbered("Product"),
  crossdock_sizes: numbered("SKU"),
  crossdock_accounts: {
    where: accounts,
    key: ["kind", "username"],
    name: ([, username]) => `Username ${JSON.stringify(username)}`
  },
  // With these rows, a write isn't applied twice if it is repeated after the move.
  crossdock_idempotency: {
    where: (sql, company) => sql`
      principal IN (SELECT kind || ':' || username FROM crossdock_accounts WHERE ${accounts(sql, company)})`
  },
  crossdock_orders: {
    where: (sql, company) => sql`id IN (SELECT order_id FROM crossdock_shipments WHERE company_id = ${company})`,
    key: ["id", "marketplace", "external_order_id"],
    name: ([, marketplace, id]) => `Another order ${JSON.stringify(id)} of marketplace ${marketplace}`,
    isShared: true
  },
  crossdock_shipments: { key: ["id"], name: ([id]) => `Shipment ${id}` },
  ...plain("shipment_awbs shipment_skus shipment_fields"),
  crossdock_archived_orders: {
    key: ["marketplace", "external_order_id"],
    name: ([marketplace, id]) => `Order ${JSON.stringify(id)} of marketplace ${marketplace}`
  },
  crossdock_archived_numbers: {},
  crossdock_levels: versioned,
  crossdock_prices: versioned,
  ...plain("movements checkpoints deleted_levels"),
  crossdock_brands: {
    key: ["company_id", "uid", "name"],
    name: ([company, uid]) => `Another brand ${uid} of company ${company}`,
    isShared: true
  },
  crossdock_catalog_writes: { begins: { id: null } },
  ...plain("audit_records audit_anchors events event_consumers event_endpoints event_dead_letters"),
  ...plain("channels dead_letters customers agreements invoices invoice_numbers")
}

const columnsOf = (sql: SqlClient, table: string): Effect.Effect<Dialect.Columns, SqlError> =>
  Effect.map(
    sql.onDialectOrElse({
      orElse: () => sql<{ name: string; type: string }>`SELECT name, type FROM pragma_table_info(${table})`,
      pg: () => sql<{ name: string; type: string }>`
        SELECT attname::text AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
        WHERE attrelid = to_regclass(${table}) AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`
    }),
    (found) =>
      Object.fromEntries(
        found
          .filter(({ name }) => tables[table]?.begins?.[name] !== null)
          .toSorted((a, b) => (a.name < b.name ? -1 : 1))
          .map(({ name, type }) => [name, /int/i.test(type) ? "integer" : "text"])
      )
  )

/** Pages are small because an audit record can be as large as a megabyte. */
const pageSize = 500

/** Starts to read a snapshot. The snapshot lasts until the scope ends, and blocks no writer. */
const snapshot = (sql: SqlClient) =>
  Effect.gen(function* () {
    const connection = yield* sql.reserve
    const control = (text: string) => connection.executeUnprepared(text, [], undefined)
    const isolation = sql.onDialectOrElse({ orElse: () => "", pg: () => " ISOLATION LEVEL REPEATABLE READ READ ONLY" })
    yield* Effect.acquireRelease(control(`BEGIN${isolation}`), () => Effect.ignore(control("ROLLBACK")))
    return connection
  })

const reader = (sql: SqlClient, table: string, select: Fragment) => {
  const cursor = sql.literal(`${table}_rows`)
  return sql.onDialectOrElse({
    orElse: () => Effect.succeed((from: number) => sql`${select} LIMIT ${pageSize} OFFSET ${from}`.values),
    pg: () =>
      Effect.as(
        sql`DECLARE ${cursor} NO SCROLL CURSOR FOR ${select}`,
        () => sql`FETCH ${sql.literal(`${pageSize}`)} FROM ${cursor}`.values
      )
  })
}

const pagesOf = (sql: SqlClient, company: CompanyId, table: string) =>
  Effect.gen(function* () {
    const { begins = {}, isShared = false, key = [], where } = tables[table] ?? {}
    const columns = Object.keys(yield* columnsOf(sql, table))
    const values = sql.literal(columns.map((column) => begins[column] ?? column).join(", "))
    const condition = where?.(sql, company) ?? sql`company_id = ${company}`
    // All imports lock shared rows in this order, so concurrent imports can't deadlock.
    const order = sql.literal(isShared ? `ORDER BY ${key.join(", ")}` : "")
    const read = yield* reader(sql, table, sql`SELECT ${values} FROM ${sql.literal(table)} WHERE ${condition} ${order}`)
    return Stream.paginate(0, (from) =>
      Effect.map(named("CompanyRows.read")(read(from)), (rows) => [
        rows.length === 0 ? [] : [{ table, columns, rows: rows as ReadonlyArray<Row> }],
        rows.length < pageSize ? Option.none() : Option.some(from + pageSize)
      ])
    )
  }).pipe(named("CompanyRows.read"), Stream.unwrap)

/** Reads all rows of a company from one snapshot. Hosts may write at the same time. */
export const read = (company: CompanyId): Stream.Stream<Page, StorageError, SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const connection = yield* snapshot(sql)
    return Stream.fromIterable(Object.keys(tables)).pipe(
      Stream.flatMap((table) => pagesOf(sql, company, table)),
      Stream.provideService(sql.transactionService, [connection, 0])
    )
  }).pipe(named("CompanyRows.read"), Stream.unwrap)

const isNotIn = (rows: ReadonlyArray<ReadonlyArray<unknown>>) => {
  const known = new Set(rows.map((row) => JSON.stringify(row)))
  return (row: Row) => !known.has(JSON.stringify(row))
}

const isText = (value: unknown): value is string => typeof value === "string" && !value.includes("\0")

/** Whether a row has values of its columns' types. A body is JSON, but the body of a stored answer is any text. */
const fits = (table: string, columns: Dialect.Columns) => {
  const types = Object.entries(columns)
  const isBody = (name: string) => name === "body" && table !== "crossdock_idempotency"
  const isOf = (name: string, type: string, value: unknown) =>
    type !== "text"
      ? Number.isSafeInteger(value)
      : isText(value) && (!isBody(name) || Result.isSuccess(Result.try(() => JSON.parse(value))))
  return (row: Row) =>
    row.length === types.length && types.every(([name, type], at) => row[at] === null || isOf(name, type, row[at]))
}

/** Inserts a page of `read` in a transaction. Fails with `RowRejected` if a key is taken, or a row is another company's. */
export const write = (company: CompanyId, { columns: names, rows, table }: Page) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const columns = yield* columnsOf(sql, table)
    const found = Object.hasOwn(tables, table) ? tables[table] : undefined
    if (found === undefined || names.join() !== Object.keys(columns).join() || !rows.every(fits(table, columns)))
      return yield* new PageRejected()
    const { isShared = false, key = [], name = () => `A row of ${table}`, where } = found
    if (where === undefined && rows.some((row) => row[names.indexOf("company_id")] !== company))
      return yield* new RowRejected({ message: `A row of ${table} is another company's, so nothing was imported` })
    const keys = sql.literal(key.join(", ") || "1")
    const written = yield* sql`
      ${Dialect.inserted(sql, table, columns, rows)} ON CONFLICT DO NOTHING RETURNING ${keys}`.values.pipe(
      Effect.catchIf(
        ({ reason }) => reason._tag === "ConstraintError",
        () => new PageRejected()
      )
    )
    if (written.length === rows.length) return
    const missing = rows.map((row) => key.map((column) => row[names.indexOf(column)] ?? null)).filter(isNotIn(written))
    const keyColumns = Object.fromEntries(key.map((column) => [column, columns[column] ?? "text"]))
    const same = isShared
      ? yield* sql`
        SELECT ${keys} FROM ${sql.literal(table)}
        WHERE (${keys}) IN (SELECT ${keys} FROM ${Dialect.rows(sql, keyColumns, missing)} r)`.values
      : []
    const other = missing.find(isNotIn(same))
    if (other === undefined) return
    const message = `${name(other)} is in the database already, so nothing was imported: import into a new database, or into one whose companies all came from the same database`
    return yield* new RowRejected({ message })
  }).pipe(named("CompanyRows.write"))

/** Counts the company's rows in each table that has no company column. */
export const count = (company: CompanyId) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const counts: Record<string, number> = {}
    for (const [table, { where }] of Object.entries(tables)) {
      if (where === undefined) continue
      const counting = sql<{ n: number }>`SELECT COUNT(*) AS n FROM ${sql.literal(table)} WHERE ${where(sql, company)}`
      counts[table] = (yield* counting)[0]?.n ?? 0
    }
    return counts
  }).pipe(named("CompanyRows.count"))

/** Updates the statistics of tables with new rows. Without them, PostgreSQL compares each level with all movements. */
export const analyze = Effect.flatMap(SqlClient, (sql) =>
  onPostgres(sql, () => sql`ANALYZE crossdock_locations, crossdock_sizes, crossdock_levels, crossdock_movements`)
).pipe(named("CompanyRows.analyze"))

/** The size of a block of numbers. A database assigns numbers in a block above those of imported companies. */
const block = 1_000_000_000

/** Makes the database assign numbers far above this company's. Other companies of the same source may use those between. */
export const continueNumbers = (company: CompanyId) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    for (const table of ["crossdock_locations", "crossdock_products", "crossdock_sizes"]) {
      const [row] = yield* sql<{ last: number | null }>`
        SELECT MAX(id) AS last FROM ${sql.literal(table)} WHERE company_id = ${company}`
      const next = (Math.floor((row?.last ?? 0) / block) + 1) * block
      yield* sql.onDialectOrElse({
        orElse: () =>
          Effect.andThen(
            sql`
              INSERT INTO sqlite_sequence (name, seq)
              SELECT ${table}, 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ${table})`,
            sql`UPDATE sqlite_sequence SET seq = MAX(seq, ${next - 1}) WHERE name = ${table}`
          ),
        pg: () => sql`
          SELECT setval(s.name::regclass, GREATEST(nextval(s.name::regclass), ${next}), false)
          FROM (SELECT pg_get_serial_sequence(${table}, 'id') AS name) s`
      })
    }
  }).pipe(named("CompanyRows.continueNumbers"))
