/** The common base of all adapters here: the client, the rows of a request as a table, and one kind of failure. */
import { required, StaleWrite, StorageError, Timeout } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as SqlClient from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import * as Dialect from "./Dialect.ts"

const pgLockTimeout = "55P03"

/** Whether the database ended the transaction in favour of another one. */
const isContended = ({ reason }: SqlError): boolean =>
  reason._tag === "DeadlockError" ||
  reason._tag === "SerializationError" ||
  (reason._tag === "LockTimeoutError" &&
    Predicate.hasProperty(reason.cause, "code") &&
    reason.cause.code === pgLockTimeout)

/** PostgreSQL's codes, SQLite's code names, and the numeric code of Node's own SQLite. */
const tooLong = { code: /^(54000|SQLITE_TOOBIG)$/, errcode: 18 } as const

/** Whether a value was longer than the database takes: 1 GB, and 2 MB in a Durable Object. */
const isTooLarge = ({ reason: { cause } }: SqlError): boolean =>
  (Predicate.hasProperty(cause, "code") && tooLong.code.test(String(cause.code))) ||
  (Predicate.hasProperty(cause, "errcode") && cause.errcode === tooLong.errcode)

/**
 * How long a unit of work, a transaction or one read outside any, may take before it fails: 9 seconds unless a host
 * says otherwise, so that callers have their answer within 10. A host sets `Duration.infinity` for work on a whole
 * database.
 */
export const UnitTimeout = Context.Reference<Duration.Duration>("@crossdock/storage-sql/UnitTimeout", {
  defaultValue: () => Duration.seconds(9)
})

/** Whether the fiber is inside a unit, whose time is bounded already. */
const InUnit = Context.Reference<boolean>("@crossdock/storage-sql/InUnit", { defaultValue: () => false })

const bounded = <A, E, R>(operation: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageError, R> =>
  Effect.withFiber((fiber) => {
    const limit = fiber.getRef(UnitTimeout)
    if (fiber.getRef(InUnit) || !Duration.isFinite(limit)) return effect
    const orElse = () => new StorageError({ operation, cause: new Error(`No answer within ${Duration.format(limit)}`) })
    return Timeout.abandonAfter(Effect.provideService(effect, InUnit, true), { limit, orElse })
  })

/** Removes the time limit, for work on whole tables that no caller waits for. */
export const unbounded: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = Effect.provideService(
  UnitTimeout,
  Duration.infinity
)

/** Names a failed statement by its operation. */
export const asStorageError =
  (operation: string) =>
  <A, E, R>(effect: Effect.Effect<A, E | SqlError, R>): Effect.Effect<A, Exclude<E, SqlError> | StorageError, R> =>
    Effect.mapError(effect, (error) =>
      isSqlError(error)
        ? new StorageError({ operation, cause: error, isContended: isContended(error), isTooLarge: isTooLarge(error) })
        : (error as Exclude<E, SqlError>)
    )

/**
 * Names a failed statement by its operation. Outside a unit, a statement that takes longer than `UnitTimeout` fails.
 */
export const named =
  (operation: string) =>
  <A, E, R>(effect: Effect.Effect<A, E | SqlError, R>): Effect.Effect<A, Exclude<E, SqlError> | StorageError, R> =>
    bounded(operation, asStorageError(operation)(effect))

/**
 * Many rows as one parameter: a table of these columns and the row's index `i`. A thousand rows are one parameter too.
 */
export const rows = (
  sql: SqlClient.SqlClient,
  columns: Readonly<Record<string, "integer" | "text" | "real">>,
  values: ReadonlyArray<ReadonlyArray<string | number | null>>
): Fragment => {
  const json = JSON.stringify(values)
  return sql.onDialectOrElse({
    orElse: () =>
      sql`(SELECT e.key AS i, ${sql.literal(Dialect.sqliteColumns(columns))} FROM ${Dialect.jsonRows(sql)}(${json}) e)`,
    pg: () =>
      sql`(SELECT e.ordinality - 1 AS i, ${sql.literal(Dialect.pgColumns(columns))} FROM jsonb_array_elements(${json}::jsonb) WITH ORDINALITY e)`
  })
}

/** Items as rows. */
export const rowsOf = <A>(
  sql: SqlClient.SqlClient,
  columns: Parameters<typeof rows>[1],
  items: ReadonlyArray<A>,
  rowOf: (item: A) => ReadonlyArray<string | number | null>
): Fragment => rows(sql, columns, items.map(rowOf))

const textColumns = { value: "text" } as const

/** Many texts as one parameter: a subquery of one column. */
export const texts = (sql: SqlClient.SqlClient, values: ReadonlyArray<string>): Fragment =>
  sql`(SELECT r.value FROM ${rowsOf(sql, textColumns, values, (value) => [value])} r)`

/** An answer as one JSON array of rows, `gathered`, in any order: for rows of numbers at half the cost of objects. */
export const gathered = (sql: SqlClient.SqlClient, columns: ReadonlyArray<string>): Fragment =>
  sql.onDialectOrElse({
    orElse: () => sql.literal(`json_group_array(json_array(${columns.join(", ")})) AS gathered`),
    pg: () => sql.literal(`COALESCE(json_agg(json_build_array(${columns.join(", ")})), '[]')::text AS gathered`)
  })

/** A row of a page with the count of all rows, read at one moment. An empty page is one row with the count. */
export type Counted<Row> = { readonly total: number | string } & (Row | { readonly [Column in keyof Row]: null })

export const pageOf =
  <Row extends { readonly id: unknown }, A>(of: (row: Row) => A) =>
  (found: ReadonlyArray<Counted<Row>>): { readonly items: ReadonlyArray<A>; readonly total: number } => ({
    items: found.flatMap((row) => (row.id === null ? [] : [of(row as Row)])),
    total: Number(required(found[0], "a count").total)
  })

/** The rows that a statement wrote, by the driver's answer (`.raw`): reading them back costs a third of the write. */
export const affected = (answer: unknown): number => {
  if (typeof answer !== "object" || answer === null) return 0
  if ("changes" in answer && typeof answer.changes === "number") return answer.changes
  return "rowCount" in answer && typeof answer.rowCount === "number" ? answer.rowCount : 0
}

const divisionByZero = "22012"

const isIncomplete = (error: unknown): boolean =>
  isSqlError(error) && Predicate.hasProperty(error.reason.cause, "code") && error.reason.cause.code === divisionByZero

/**
 * The statements around a write. `tables` are common table expressions of PostgreSQL's that it uses. `besides` are
 * further writes, of other tables, whose counts don't matter. PostgreSQL runs them in the same statement, without
 * seeing each other's writes; SQLite runs them one after the other.
 */
export interface WriteParts {
  readonly tables?: Fragment
  readonly besides?: ReadonlyArray<Fragment>
}

/** A write of this number of rows, or `StaleWrite`. On PostgreSQL the statement fails: a COMMIT behind it is void. */
export const expectRows = (
  sql: SqlClient.SqlClient,
  operation: string,
  count: number,
  write: Fragment,
  { besides = [], tables }: WriteParts = {}
): Effect.Effect<void, StaleWrite | SqlError> => {
  // An error with its stack costs as much as the statement, so it is made only when the write is stale.
  const stale = Effect.suspend(() => Effect.fail(new StaleWrite({ operation })))
  return sql.onDialectOrElse({
    orElse: () =>
      Effect.gen(function* () {
        if (affected(yield* sql`${write}`.raw) !== count) return yield* stale
        for (const other of besides) yield* sql`${other}`.raw
      }),
    pg: () => {
      const expressions = [
        ...(tables === undefined ? [] : [tables]),
        ...besides.map((other, nth) => sql`${sql.literal(`beside_${nth}`)} AS (${other})`),
        sql`written AS (${write} RETURNING 1)`
      ]
      return sql`WITH ${sql.join(", ", false)(expressions)} SELECT 1 / (COUNT(*) = ${count})::integer AS complete FROM written`.pipe(
        Effect.asVoid,
        Effect.catchIf(isIncomplete, () => stale)
      )
    }
  })
}

/** `within` runs units as savepoints in the application's open transaction on `connection`, or dies with a sentence. */
export interface JoinableClient extends SqlClient.SqlClient {
  readonly within: (connection: unknown) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export const isJoinable = (sql: SqlClient.SqlClient): sql is JoinableClient => Predicate.hasProperty(sql, "within")

/** The statements with which a unit joins an open transaction, in place of beginning its own. */
export const savepoint = {
  begin: "SAVEPOINT crossdock",
  commit: "RELEASE SAVEPOINT crossdock",
  rollback: "ROLLBACK TO SAVEPOINT crossdock"
} as const
