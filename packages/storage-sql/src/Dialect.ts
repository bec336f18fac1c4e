/** SQL fragments for SQLite and PostgreSQL. `rows` passes any number of rows as one parameter, which SQL reads as a table. */
import { required, StaleWrite } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import { memoize } from "effect/Function"
import * as Predicate from "effect/Predicate"
import type { SqlClient } from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import type { Fragment, Statement } from "effect/sql/Statement"

export type Columns = Readonly<Record<string, "integer" | "text" | "real">>

/**
 * PostgreSQL's settings for the locks of a host that died. The server releases them when it sees the connection close, or after
 * 8 s. Its idle timeout doesn't run between the messages of a statement. There, a host that vanished is noticed by TCP.
 */
export const limitsOfLocks = {
  idle_in_transaction_session_timeout: "8s",
  tcp_keepalives_idle: "5",
  tcp_keepalives_interval: "1",
  tcp_keepalives_count: "3",
  tcp_user_timeout: "8s"
} as const

/** Parses SQL column declarations such as `company_id integer, body text`. */
export const columns = (declared: string): Columns =>
  Object.fromEntries(
    declared
      .trim()
      .split(/,\s+/)
      .map((column) => column.split(" "))
  )

const pgTypes = { integer: "bigint", text: "text", real: "double precision" } as const

/** The name of a Durable Object's driver. Its limits are lower than the limits of other SQLite drivers. */
export const durableObject = "durable-object"

/** SQLite's function that reads JSON as rows. Durable Objects need `json_each`, which parses the text once per column. */
export const jsonRows = (sql: SqlClient): Fragment =>
  sql.literal(sql.driver === durableObject ? "json_each" : "jsonb_each")

export const sqliteColumns = memoize((columns: Columns) =>
  Object.keys(columns)
    .map((name, at) => `e.value ->> ${at} AS ${name}`)
    .join(", ")
)

export const pgColumns = memoize((columns: Columns) =>
  Object.entries(columns)
    .map(([name, type], at) => `(e.value ->> ${at})::${pgTypes[type]} AS ${name}`)
    .join(", ")
)

type Row = ReadonlyArray<string | number | null>

/** Literal SQL, `sqlite` or `pg`, depending on the client's dialect. */
export const words = (sql: SqlClient, sqlite: string, pg: string): Fragment =>
  sql.literal(sql.onDialectOrElse({ orElse: () => sqlite, pg: () => pg }))

/** Runs a statement on PostgreSQL only. */
export const onPostgres = (sql: SqlClient, statement: () => Statement<object>) =>
  sql.onDialectOrElse({ orElse: () => Effect.void, pg: () => Effect.asVoid(statement()) })

/** Passes any number of rows as one parameter. The result is a table with these columns and the row's index `i`. */
export const rows = (sql: SqlClient, columns: Columns, values: ReadonlyArray<Row>): Fragment => {
  const json = JSON.stringify(values)
  return sql.onDialectOrElse({
    orElse: () => sql`(SELECT e.key AS i, ${sql.literal(sqliteColumns(columns))} FROM ${jsonRows(sql)}(${json}) e)`,
    pg: () =>
      sql`(SELECT e.ordinality - 1 AS i, ${sql.literal(pgColumns(columns))} FROM jsonb_array_elements(${json}::jsonb) WITH ORDINALITY e)`
  })
}

export const rowsOf = <A>(sql: SqlClient, columns: Columns, items: ReadonlyArray<A>, rowOf: (item: A) => Row) =>
  rows(sql, columns, items.map(rowOf))

const textColumns = columns("value text")

/** Passes any number of texts as one parameter. The result is a subquery with one column. */
export const texts = (sql: SqlClient, values: ReadonlyArray<string>): Fragment =>
  sql`(SELECT r.value FROM ${rowsOf(sql, textColumns, values, (value) => [value])} r)`

/** Selects all rows as one JSON array, `gathered`, in any order. For numbers, it costs half as much as row objects. */
export const gathered = (sql: SqlClient, columns: ReadonlyArray<string>): Fragment => {
  const all = columns.join(", ")
  const pg = `COALESCE(json_agg(json_build_array(${all})), '[]')::text AS gathered`
  return words(sql, `json_group_array(json_array(${all})) AS gathered`, pg)
}

/** A row of a page, with the total count of the same snapshot. An empty page has one row with only the count. */
export type Counted<Row> = { readonly total: number | string } & (Row | { readonly [Column in keyof Row]: null })

export const pageOf =
  <Row extends { readonly id: unknown }, A>(of: (row: Row) => A) =>
  (found: ReadonlyArray<Counted<Row>>): { readonly items: ReadonlyArray<A>; readonly total: number } => ({
    items: found.flatMap((row) => (row.id === null ? [] : [of(row as Row)])),
    total: Number(required(found[0], "a count").total)
  })

export const each = <Row, A>(of: (row: Row) => A) =>
  Effect.map((found: ReadonlyArray<Row>): ReadonlyArray<A> => found.map((row) => of(row)))

/** Copies a row. node:sqlite returns rows without a prototype. */
export const plain = <Row extends object>(row: Row): Row => ({ ...row })

export const first = <Row, A>(of: (row: Row) => A) =>
  Effect.map(([row]: ReadonlyArray<Row>): A | undefined => (row === undefined ? undefined : of(row)))

/** The number of written rows, from the driver's answer (`.raw`). A write that returns its rows takes a third longer. */
export const affected = (answer: unknown): number => {
  const { changes, rowCount } = Object(answer) as { readonly changes?: unknown; readonly rowCount?: unknown }
  const count = changes ?? rowCount
  return typeof count === "number" ? count : 0
}

/** A row whose content is a stored body. */
export interface BodyRow {
  readonly id: string
  readonly body: string
}

export const bodyOf =
  <A>(form: { readonly read: (text: string, id: string) => A }) =>
  ({ body, id }: BodyRow): A =>
    form.read(body, id)

/** Fails with `StaleWrite` unless the write changes `count` rows. On PostgreSQL, the transaction can then continue. */
export const orStale = (write: Statement<object>, operation: string, count = 1) =>
  Effect.filterOrFail(
    write.raw,
    (answer) => affected(answer) === count,
    () => new StaleWrite({ operation })
  ).pipe(Effect.asVoid)

type Save = (
  sql: SqlClient,
  operation: string,
  table: string,
  key: Readonly<Record<string, string | number>>,
  columns: Readonly<Record<string, string | number | null>> & { readonly version: number }
) => Effect.Effect<void, StaleWrite | SqlError>

/** Saves a stored row with the next version. Fails with `StaleWrite` if the row no longer has the version that was read. */
export const updateNext: Save = (sql, operation, table, key, { version, ...columns }) => {
  const next = { ...columns, version: version + 1 }
  const isRow = sql.and(Object.entries(key).map(([column, value]) => sql`${sql.literal(column)} = ${value}`))
  const write = sql`UPDATE ${sql.literal(table)} SET ${sql.update(next)} WHERE ${isRow} AND version = ${version}`
  return orStale(write, operation)
}

/** Inserts the row if its version is 0. Otherwise it saves the row like `updateNext`. */
export const saveNext: Save = (sql, operation, table, key, columns) => {
  if (columns.version > 0) return updateNext(sql, operation, table, key, columns)
  const first = { ...key, ...columns, version: 1 }
  return orStale(sql`INSERT INTO ${sql.literal(table)} ${sql.insert(first)} ON CONFLICT DO NOTHING`, operation)
}

/** PostgreSQL's codes for a division by zero and for a duplicate key. The latter occurs if Citus runs `besides` first. */
const incomplete: ReadonlyArray<unknown> = ["22012", "23505"]

const isIncomplete = (error: unknown): boolean =>
  isSqlError(error) && Predicate.hasProperty(error.reason.cause, "code") && incomplete.includes(error.reason.cause.code)

/**
 * More parts of a write. Rows of `besides` aren't counted. On PostgreSQL all are CTEs, so none sees what another changes.
 * `tables` are further CTEs, for writes that only PostgreSQL makes.
 */
export interface WriteParts {
  readonly tables?: Fragment
  readonly besides?: ReadonlyArray<Fragment>
}

/**
 * Fails with `StaleWrite` unless the write changes `count` rows. On PostgreSQL, the transaction can then only roll
 * back: COMMIT may be sent before the answer arrives, so the statement itself fails, by a division by zero.
 */
export const expectRows = (
  sql: SqlClient,
  operation: string,
  count: number,
  write: Fragment,
  { besides = [], tables }: WriteParts = {}
): Effect.Effect<void, StaleWrite | SqlError> =>
  sql.onDialectOrElse({
    orElse: () => {
      const written = orStale(sql`${write}`, operation, count)
      if (besides.length === 0) return written
      return Effect.andThen(
        written,
        Effect.forEach(besides, (other) => sql`${other}`.raw, { discard: true })
      )
    },
    pg: () => {
      const expressions = [
        ...(tables === undefined ? [] : [tables]),
        ...besides.map((other, nth) => sql`${sql.literal(`beside_${nth}`)} AS (${other})`),
        sql`written AS (${write} RETURNING 1)`
      ]
      return sql`WITH ${sql.join(", ", false)(expressions)} SELECT 1 / (COUNT(*) = ${count})::integer AS complete FROM written`.pipe(
        Effect.asVoid,
        Effect.catchIf(isIncomplete, () => new StaleWrite({ operation }))
      )
    }
  })

export const bodyText = (sql: SqlClient, body: string, field: string): Fragment =>
  words(sql, `${body} ->> '${field}'`, `${body}::json ->> '${field}'`)

/** Locks the selected rows until the transaction ends. SQLite needs no lock because it has one writer at a time. */
export const locked = (sql: SqlClient, table: string): Fragment => words(sql, "", `FOR UPDATE OF ${table}`)

/** Protects the selected rows from changes until the transaction ends. Several transactions can share this lock. */
export const sharedLock = (sql: SqlClient, table: string): Fragment => words(sql, "", `FOR SHARE OF ${table}`)

/** A column in a form that makes SQLite ignore its index, and use the index of another column instead. */
export const unindexed = (sql: SqlClient, column: string): Fragment => words(sql, `+${column}`, column)

/** Compares the company of rows found by id. With a plain comparison, SQLite could search by company instead of by id. */
export const besidesId = (sql: SqlClient, column: string, company: number): Fragment =>
  sql`${unindexed(sql, column)} = ${company}`

/** Like `locked`, but skips rows that another transaction has locked. */
export const lockedSkippingLocked = (sql: SqlClient, table: string): Fragment =>
  words(sql, "", `FOR UPDATE OF ${table} SKIP LOCKED`)

/** Selects each company's rows separately, by company id, because a query of Citus can lock rows on only one server. */
export const ofEach = <Id extends number>(
  sql: SqlClient,
  companies: ReadonlyArray<Id>,
  select: (company: Id) => Fragment
): Fragment => {
  const ids = [...new Set(companies)].sort((a, b) => a - b)
  return sql.join(" UNION ALL ", false)(ids.map((id) => sql`SELECT * FROM (${select(id)}) k`))
}

/** Tries to take a named lock until the transaction ends. On SQLite the result is always true. */
export const tryLock = (sql: SqlClient, name: string): Effect.Effect<boolean, SqlError> =>
  sql.onDialectOrElse({
    orElse: () => Effect.succeed(true),
    pg: () =>
      sql<{ free: boolean }>`SELECT pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) AS free`.pipe(
        Effect.map(([row]) => row?.free === true)
      )
  })

/** What to do if another transaction has locked a row: wait, or fail as contended so that the transaction restarts. */
export type Waiting = "WAIT" | "NOWAIT"

/** Locks the selected rows, in this order, until the transaction ends. SQLite has one writer at a time and needs no lock. */
export const lockRows = (
  sql: SqlClient,
  table: string,
  condition: Fragment,
  order: string,
  waiting: Waiting
): Effect.Effect<void, SqlError> =>
  onPostgres(
    sql,
    () => sql`
      SELECT 1 AS one FROM ${sql.literal(table)} WHERE ${condition} ORDER BY ${sql.literal(order)}
      FOR UPDATE ${sql.literal(waiting === "NOWAIT" ? "NOWAIT" : "")}`
  )

/** Locks a table until the transaction ends. Other transactions can't write to it, not even insert. */
export const lockTable = (sql: SqlClient, table: string): Effect.Effect<void, SqlError> =>
  onPostgres(sql, () => sql`LOCK TABLE ${sql.literal(table)} IN SHARE ROW EXCLUSIVE MODE`)

/** The longest list of parameters. A Durable Object accepts 100 per statement, which may contain the same list four times. */
export const mostParameters = 10

/** The same on PostgreSQL, whose client accepts 32,767 parameters per statement. A statement contains several lists. */
const mostParametersOfPostgres = 1_000

/** Selects the given rows. A few rows become a list of parameters, which needs no JSON parser. */
export const given = (sql: SqlClient, columns: Columns, all: ReadonlyArray<Row>): Fragment => {
  if (all.length === 0 || all.length * Object.keys(columns).length > mostParameters * mostParameters)
    return sql`SELECT ${sql.literal(namesOf(columns))} FROM ${rows(sql, columns, all)} r WHERE true`
  const list = sql.join(",", false)
  const rowOf = sql.onDialectOrElse({
    orElse: () => (row: Row) => sql`${sql.in(row)}`,
    pg: () => {
      const types = Object.values(columns).map((type) => sql.literal(`::${pgTypes[type]}`))
      return (row: Row) => sql`(${list(row.map((value, at) => sql`${value}${types[at]}`))})`
    }
  })
  return sql`VALUES ${list(all.map(rowOf))}`
}

const namesOf = memoize((columns: Columns) => Object.keys(columns).join(", "))

export const inserted = (sql: SqlClient, table: string, columns: Columns, all: ReadonlyArray<Row>) =>
  sql`INSERT INTO ${sql.literal(table)} (${sql.literal(namesOf(columns))}) ${given(sql, columns, all)}`

/** Whether a column has one of the values. A short list stays a list, so that an index can return rows in order. */
export const isOneOf = (sql: SqlClient, column: string, values: ReadonlyArray<string> | ReadonlyArray<number>) =>
  sql.onDialectOrElse({
    orElse: () =>
      values.length > mostParameters
        ? sql`${sql.literal(column)} IN (SELECT e.value FROM ${jsonRows(sql)}(${JSON.stringify(values)}) e)`
        : sql.in(column, values),
    pg: () =>
      values.length > mostParametersOfPostgres
        ? sql`${sql.literal(column)} IN (SELECT ${sql.literal(`e.value${typeof values[0] === "number" ? "::bigint" : ""}`)}
            FROM jsonb_array_elements_text(${JSON.stringify(values)}::jsonb) e (value))`
        : sql.in(column, values)
  })

/** Keeps PostgreSQL from joining a subquery. Without statistics, such a join may read the whole table for each row. */
export const alone = (sql: SqlClient): Fragment => words(sql, "", "OFFSET 0")

/** Joins `table` as `name`. PostgreSQL searches it for each row of the tables before it, and never reads a whole company. */
export const lookUp = (sql: SqlClient, kind: "CROSS" | "LEFT", table: string, name: string, condition: Fragment) =>
  sql.onDialectOrElse({
    orElse: () => sql`${sql.literal(`${kind} JOIN ${table} ${name}`)} ON ${condition}`,
    pg: () =>
      sql`${sql.literal(kind === "LEFT" ? "LEFT JOIN" : "JOIN")} LATERAL (
        SELECT * FROM ${sql.literal(`${table} ${name}`)} WHERE ${condition} ${alone(sql)}) ${sql.literal(name)} ON true`
  })

/** Joins the company's size `s` that has this SKU. See `lookUp`. */
export const lookUpSize = (sql: SqlClient, kind: "CROSS" | "LEFT", company: number, sku: Fragment) =>
  lookUp(sql, kind, "crossdock_sizes", "s", sql`s.company_id = ${company} AND ${isText(sql, "s.sku", sku)}`)

/** The right side of a LEFT JOIN: the rows of `table` for the wanted SKUs and locations, locked in key order. */
export const lockedByKey = (sql: SqlClient, table: string, company: number, wanted: Fragment): Fragment =>
  sql.onDialectOrElse({
    orElse: () => sql`${sql.literal(table)}`,
    pg: () => sql`(SELECT k.* FROM (
        SELECT kl.id AS location_id, ks.id AS size_id FROM ${wanted} w
        JOIN crossdock_locations kl ON kl.company_id = ${company} AND kl.code = w.location
        JOIN crossdock_sizes ks ON ks.company_id = ${company} AND ${isText(sql, "ks.sku", sql`w.sku`)} ${alone(sql)}) p
      JOIN ${sql.literal(table)} k
        ON k.company_id = ${company} AND k.location_id = p.location_id AND k.size_id = p.size_id
      ORDER BY k.location_id, k.size_id FOR UPDATE OF k)`
  })

/** The right side of a LEFT JOIN: the rows `k` of `table` for the wanted keys `w`, locked in the given order. */
export const lockedRows = (sql: SqlClient, table: string, wanted: Fragment, condition: Fragment, order: Fragment) =>
  sql.onDialectOrElse({
    orElse: () => sql.literal(table),
    pg: () => sql`(
      SELECT k.* FROM ${wanted} w JOIN ${sql.literal(table)} k ON ${condition} ORDER BY ${order} FOR UPDATE OF k)`
  })

/** FROM and WHERE of an UPDATE that sets rows `v` of `table` from the rows `r`. On PostgreSQL, it skips locked rows. */
export const updated = (sql: SqlClient, table: string, values: Fragment, isRow: (name: string) => Fragment) =>
  sql.onDialectOrElse({
    orElse: () => ({ from: sql`${values} r`, condition: isRow("v") }),
    pg: () => ({
      from: sql`(SELECT r.*, k.ctid AS place FROM ${values} r CROSS JOIN LATERAL (
        SELECT k.ctid FROM ${sql.literal(table)} k WHERE ${isRow("k")} FOR UPDATE SKIP LOCKED) k) r`,
      condition: sql`v.ctid = r.place`
    })
  })

/** Whether a column has a value of `texts`, a subquery with one column. PostgreSQL uses some indexes only with an array. */
export const isAnyOf = (sql: SqlClient, column: string, texts: Fragment): Fragment =>
  sql.onDialectOrElse({
    orElse: () => sql`${sql.literal(column)} IN ${texts}`,
    pg: () => sql`${sql.literal(column)} = ANY (ARRAY${texts})`
  })

export const byCodePoint = (sql: SqlClient, column: string): Fragment =>
  words(sql, `${column} COLLATE BINARY`, `${column} COLLATE "C"`)

/** SQL around a text, to compute the text's SHA-256. Generated columns of PostgreSQL can't use `convert_to` for it. */
export const digest = { before: "sha256(decode(replace(", after: String.raw`, E'\\', E'\\\\'), 'escape'))` } as const

const digestOf = (sql: SqlClient, text: Fragment): Fragment =>
  sql`${sql.literal(digest.before)}${text}${sql.literal(digest.after)}`

/** The column to index for a caller's text. On PostgreSQL it is a digest, because an index entry has at most 2,704 bytes. */
export const indexed = (sql: SqlClient, column: string): Fragment => sql.literal(indexedName(sql, column))

export const indexedName = (sql: SqlClient, column: string): string =>
  sql.onDialectOrElse({ orElse: () => column, pg: () => `${column}_digest` })

/** Whether an indexed text equals `other`, which is a column or a parameter. */
export const isText = (sql: SqlClient, column: string, other: Fragment): Fragment =>
  sql.onDialectOrElse({
    orElse: () => sql`${sql.literal(column)} = ${other}`,
    pg: () => sql`(${indexed(sql, column)} = ${digestOf(sql, other)} AND ${sql.literal(column)} = ${other})`
  })

/** Whether an indexed text is one of `texts`, a subquery with one column. */
export const isTextOf = (sql: SqlClient, column: string, texts: Fragment): Fragment =>
  sql.onDialectOrElse({
    orElse: () => sql`${sql.literal(column)} IN ${texts}`,
    pg: () => sql`(${indexed(sql, column)}, ${sql.literal(column)}) IN (
      SELECT ${digestOf(sql, sql`t.value`)}, t.value FROM ${texts} t (value))`
  })

/** The indexed form of `texts`, a subquery with one column. */
export const indexedTexts = (sql: SqlClient, texts: Fragment): Fragment =>
  sql.onDialectOrElse({
    orElse: () => texts,
    pg: () => sql`(SELECT ${digestOf(sql, sql`t.value`)} FROM ${texts} t (value))`
  })

/** Sorts by a text. PostgreSQL's index has only its first 100 characters, so each query sorts texts that begin alike. */
export const byText = (sql: SqlClient, column: string): Fragment =>
  words(sql, column, `left(${column}, 100), ${column}`)

/** Whether a column contains `part`. */
export const contains = (sql: SqlClient, column: string, part: string): Fragment =>
  sql`${words(sql, "instr", "strpos")}(${sql.literal(column)}, ${part}) > 0`

/** The position of a lower-case word in a column in any case, counted from 1. It is 0 if the column doesn't contain it. */
export const position = (sql: SqlClient, word: string, column: string): Fragment =>
  sql`${words(sql, "instr", "strpos")}(lower(${sql.literal(column)}), ${word})`

/** Whether a column contains characters beyond ASCII. `lower` may not convert such characters. */
export const isBeyondAscii = (sql: SqlClient, column: string): Fragment =>
  words(
    sql,
    `length(CAST(${column} AS BLOB)) <> length(${column})`,
    `octet_length(${column}) <> char_length(${column})`
  )

/** Erases deleted rows from the database files. Run it outside transactions. In a Durable Object it does nothing. */
export const purge = (sql: SqlClient, ...tables: ReadonlyArray<string>): Effect.Effect<void, SqlError> =>
  sql.onDialectOrElse({
    orElse: () =>
      sql.driver === durableObject
        ? Effect.void
        : Effect.asVoid(Effect.all([sql`VACUUM`, sql`PRAGMA wal_checkpoint(TRUNCATE)`])),
    pg: () => Effect.andThen(settledBefore(sql), Effect.asVoid(sql`VACUUM FULL ${sql.literal(tables.join(", "))}`))
  })

/** Waits at most 30 seconds until no older transaction can read deleted rows, because PostgreSQL would keep such rows. */
const settledBefore = Effect.fnUntraced(function* (sql: SqlClient) {
  const [now] = yield* sql<{ xid: string }>`SELECT pg_current_xact_id()::text AS xid`
  for (let tries = 0; tries < 1500; tries++) {
    const older = yield* sql`
        SELECT pg_sleep(0.02)::text WHERE pg_snapshot_xmin(pg_current_snapshot())::text::numeric <= ${now?.xid}::text::numeric
        UNION ALL
        SELECT pg_sleep(0.02)::text FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_xmin IS NOT NULL
          AND age(backend_xmin) > age(${now?.xid}::text::xid8::xid) LIMIT 1`
    if (older.length === 0) return
  }
})
