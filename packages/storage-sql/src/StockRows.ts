/** Levels and prices of a SKU at a location: read by SKU and code, written in the order of their short keys. */
import { CompanyWrite } from "@crossdock/audit"
import { type CompanyId, required, StaleWrite, type StockKey, type StorageError } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { gathered, rowsOf } from "./Database.ts"
import * as Dialect from "./Dialect.ts"

/** The name's index, the short keys of its location and size (null if unknown), and the requested columns. */
type FoundRow<Columns extends ReadonlyArray<unknown>> = readonly [number, number | null, number | null, ...Columns]

/** A SKU and a location that exist, with the short keys of their rows. */
export interface RowKey extends StockKey {
  readonly sizeId: number
  readonly locationId: number
}

const nameColumns = { sku: "text", location: "text" } as const

/** The columns read of a row `v` and its location `l`, null where it does not exist, and the value made of them. */
export interface Read<Columns extends ReadonlyArray<unknown>, A> {
  readonly columns: ReadonlyArray<string>
  readonly of: (place: RowKey, columns: Columns) => A
}

/** One answer for each name, in order. `joined` joins the rows `v` with location `l`, size `s` and name `r`. */
export const loadJoined = <Columns extends ReadonlyArray<unknown>, A>(
  sql: SqlClient.SqlClient,
  company: CompanyId,
  names: ReadonlyArray<StockKey>,
  from: Read<Columns, A>,
  joined: (wanted: Fragment) => Fragment
): Effect.Effect<ReadonlyArray<A | "UNKNOWN_SKU" | "UNKNOWN_LOCATION">, SqlError> => {
  const wanted = rowsOf(sql, nameColumns, names, ({ location, sku }) => [sku, location])
  return sql<{ gathered: string }>`
    SELECT ${gathered(sql, ["r.i", "l.id", "s.id", ...from.columns])}
    FROM ${wanted} r
    LEFT JOIN crossdock_locations l ON l.company_id = ${company} AND l.code = r.location
    ${Dialect.lookUp(
      sql,
      "LEFT",
      "crossdock_sizes",
      "s",
      sql`s.company_id = ${company} AND ${Dialect.isText(sql, "s.sku", sql`r.sku`)}`
    )}
    LEFT JOIN ${joined(wanted)}`.pipe(
    Effect.map(([answer]) => {
      const found: ReadonlyArray<FoundRow<Columns>> = JSON.parse(required(answer, "the gathered rows").gathered)
      const answers = new Array<A | "UNKNOWN_SKU" | "UNKNOWN_LOCATION">(names.length).fill("UNKNOWN_SKU")
      for (const [i, locationId, sizeId, ...columns] of found) {
        const { location, sku } = required(names[i], "the name of a row")
        if (locationId === null) answers[i] = "UNKNOWN_LOCATION"
        else if (sizeId !== null) answers[i] = from.of({ sku, location, sizeId, locationId }, columns)
      }
      return answers
    })
  )
}

/** One answer for each name, in order, from our own table. A transaction locks the rows, in key order. */
export const load = <Columns extends ReadonlyArray<unknown>, A>(
  sql: SqlClient.SqlClient,
  company: CompanyId,
  names: ReadonlyArray<StockKey>,
  from: Read<Columns, A> & { readonly table: string }
): Effect.Effect<ReadonlyArray<A | "UNKNOWN_SKU" | "UNKNOWN_LOCATION">, SqlError> =>
  loadJoined(
    sql,
    company,
    names,
    from,
    (wanted) => sql`${Dialect.lockedByKey(sql, from.table, company, wanted)} v
      ON v.company_id = ${company} AND v.location_id = l.id AND v.size_id = s.id`
  )

/** Rows are written in the order of their keys, so that two writers never wait for each other. */
export const byKey = (
  a: { readonly after: Pick<RowKey, "locationId" | "sizeId"> },
  b: { readonly after: Pick<RowKey, "locationId" | "sizeId"> }
): number => a.after.locationId - b.after.locationId || a.after.sizeId - b.after.sizeId

/** The number of the change being written. PostgreSQL numbers an unnumbered change under its company's lock. */
export const numberOf = (
  sql: SqlClient.SqlClient,
  company: CompanyId,
  changeNumber: CompanyWrite.ChangeNumber
): Effect.Effect<Fragment, StorageError> =>
  sql.onDialectOrElse({
    orElse: () => Effect.map(CompanyWrite.knownNumber(changeNumber), (known) => sql`${known}`),
    pg: () =>
      Effect.succeed(
        typeof changeNumber === "number"
          ? sql`${changeNumber}::bigint`
          : sql`(SELECT n.audit_sequence + 1 FROM crossdock_companies n WHERE n.id = ${company})`
      )
  })

/** Changes that one statement writes: which of their rows `r` may be stored, and what happens if the row exists. */
interface Part<Change> {
  readonly some: ReadonlyArray<Change>
  readonly condition: Fragment
  readonly onConflict: Fragment
}

/**
 * New rows and stored rows. A new row didn't exist when it was read, so it couldn't be locked. If another writer has
 * stored and locked it since, waiting for it would deadlock: that writer waits for the company, which this one has
 * locked. If its size was deleted since, it must not be stored.
 */
export const insertsAndUpdates = <Change extends { readonly before: { readonly version: number } }>(
  sql: SqlClient.SqlClient,
  company: CompanyId,
  changes: ReadonlyArray<Change>,
  update: Fragment
): ReadonlyArray<Part<Change>> => {
  const sizeExists = sql`EXISTS (SELECT 1 FROM crossdock_sizes s
    WHERE s.company_id = ${company} AND s.id = r.size_id ${Dialect.alone(sql)})`
  const first = changes.filter(({ before }) => before.version === 0)
  const later = changes.filter(({ before }) => before.version > 0)
  return [
    { some: first, condition: sizeExists, onConflict: sql`DO NOTHING` },
    { some: later, condition: sql`true`, onConflict: update }
  ].filter(({ some }) => some.length > 0)
}

/** A row that was deleted since it was read is stale too. */
export const staleIfDeleted =
  (operation: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | StaleWrite, R> =>
    Effect.mapError(effect, (error) => (Dialect.isNeverStored(error) ? new StaleWrite({ operation }) : error))
