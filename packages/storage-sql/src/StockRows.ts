/**
 * Rows of a SKU at a location (levels, prices): read by SKU and location code, written in the order of their short keys.
 */
import { type CompanyId, present, StaleWrite, type StockKey } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { gathered, rows } from "./Database.ts"
import * as Dialect from "./Dialect.ts"

/**
 * The index of the name, the short keys of its location and size (null where it does not exist), and the columns asked for.
 */
type FoundRow<Columns extends ReadonlyArray<unknown>> = readonly [number, number | null, number | null, ...Columns]

/**
 * A SKU and a location that exist, with the short keys of their rows.
 */
export interface RowKey extends StockKey {
  readonly sizeId: number
  readonly locationId: number
}

const nameColumns = { sku: "text", location: "text" } as const

/**
 * One answer for each name, in their order. `columns` are of the location `l`, and of `v`, the row of `table`, null where
 * it does not exist. Inside a transaction these rows are locked, in key order.
 */
export const load = <Columns extends ReadonlyArray<unknown>, A>(
  sql: SqlClient.SqlClient,
  company: CompanyId,
  names: ReadonlyArray<StockKey>,
  from: {
    readonly table: string
    readonly columns: ReadonlyArray<string>
    readonly of: (place: RowKey, columns: Columns) => A
  }
): Effect.Effect<ReadonlyArray<A | "UNKNOWN_SKU" | "UNKNOWN_LOCATION">, SqlError> => {
  const wanted = rows(
    sql,
    nameColumns,
    names.map(({ location, sku }) => [sku, location])
  )
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
    LEFT JOIN ${Dialect.lockedByKey(sql, from.table, company, wanted)} v
      ON v.company_id = ${company} AND v.location_id = l.id AND v.size_id = s.id`.pipe(
    Effect.map(([answer]) => {
      const found: ReadonlyArray<FoundRow<Columns>> = JSON.parse(present(answer, "the gathered rows").gathered)
      const answers = new Array<A | "UNKNOWN_SKU" | "UNKNOWN_LOCATION">(names.length).fill("UNKNOWN_SKU")
      for (const [i, locationId, sizeId, ...columns] of found) {
        const { location, sku } = present(names[i], "the name of a row")
        if (locationId === null) answers[i] = "UNKNOWN_LOCATION"
        else if (sizeId !== null) answers[i] = from.of({ sku, location, sizeId, locationId }, columns)
      }
      return answers
    })
  )
}

/**
 * Rows are written in the order of their keys, so that two writers never wait for each other.
 */
export const byKey = (
  a: { readonly after: Pick<RowKey, "locationId" | "sizeId"> },
  b: { readonly after: Pick<RowKey, "locationId" | "sizeId"> }
): number => a.after.locationId - b.after.locationId || a.after.sizeId - b.after.sizeId

/**
 * Changes that are written alike: which of their rows `r` may be, and what happens when the row is there.
 */
interface Part<Change> {
  readonly some: ReadonlyArray<Change>
  readonly condition: Fragment
  readonly onConflict: Fragment
}

/**
 * What is stored for the first time, and what is stored already. A first row was not there to be locked when it was read.
 * Somebody else may have stored and locked it since: it must not be waited for, since who has it waits for the company,
 * which its writer has. Or its size was deleted since, and then it must not be stored.
 */
export const firstAndLater = <Change extends { readonly before: { readonly version: number } }>(
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

/**
 * What was deleted since it was read has changed like any other.
 */
export const staleIfDeleted =
  (operation: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | StaleWrite, R> =>
    Effect.mapError(effect, (error) => (Dialect.isNeverStored(error) ? new StaleWrite({ operation }) : error))
