/**
 * What is kept for SKUs at locations (levels, prices): read by the world's names, ordered by our own narrow keys.
 */
import type { CompanyId } from "@crossdock/kernel"
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { rows } from "./Database.ts"
import * as Dialect from "./Dialect.ts"

export interface PlaceName {
  readonly sku: string
  readonly location: string
}

interface PlaceRow {
  readonly size_id: number | null
  readonly location_id: number | null
  readonly currency: string
}

/**
 * A place that exists, and its location's currency.
 */
export interface Place extends PlaceName {
  readonly sizeId: number
  readonly locationId: number
  readonly currency: string
}

const nameColumns = { sku: "text", location: "text" } as const

/**
 * One answer for each name, in their order. `columns` are of `table` as `v`, null where it has no row. Inside a transaction
 * the rows are held, in key order.
 */
export const load = <Row extends object, A>(
  sql: SqlClient.SqlClient,
  company: CompanyId,
  names: ReadonlyArray<PlaceName>,
  from: { readonly table: string; readonly columns: string; readonly of: (place: Place, row: Row) => A }
): Effect.Effect<ReadonlyArray<A | "UNKNOWN_SKU" | "UNKNOWN_LOCATION">, SqlError> => {
  const wanted = rows(
    sql,
    nameColumns,
    names.map(({ location, sku }) => [sku, location])
  )
  return sql<Row & PlaceRow>`
    SELECT s.id AS size_id, l.id AS location_id, l.currency, ${sql.literal(from.columns)}
    FROM ${wanted} r
    LEFT JOIN crossdock_locations l ON l.company_id = ${company} AND l.code = r.location
    LEFT JOIN crossdock_sizes s ON s.company_id = ${company} AND s.sku = r.sku
    LEFT JOIN ${Dialect.heldByKey(sql, from.table, company, wanted)} v
      ON v.company_id = ${company} AND v.location_id = l.id AND v.size_id = s.id
    ORDER BY r.i`.pipe(
    Effect.map((found) =>
      found.map((row, i) => {
        if (row.location_id === null) return "UNKNOWN_LOCATION"
        if (row.size_id === null) return "UNKNOWN_SKU"
        const { location = "", sku = "" } = names[i] ?? {}
        return from.of({ sku, location, sizeId: row.size_id, locationId: row.location_id, currency: row.currency }, row)
      })
    )
  )
}

/**
 * Rows are written in the order of their keys, so that two writers never wait for each other.
 */
export const byKey = (
  a: { readonly after: Pick<Place, "locationId" | "sizeId"> },
  b: { readonly after: Pick<Place, "locationId" | "sizeId"> }
): number => a.after.locationId - b.after.locationId || a.after.sizeId - b.after.sizeId
