import type { CompanyId, StockFilter, StockKey, StockRows, Stored } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import * as Dialect from "../Dialect.ts"
import { texts } from "../Dialect.ts"
import { named } from "../TransactionSql.ts"

export const isOfFilter = (sql: SqlClient, { locations, skus }: StockFilter): Fragment => sql`
  ${locations === null ? sql`1 = 1` : Dialect.isOneOf(sql, "l.code", locations)}
  AND ${skus.length === 0 ? sql`1 = 1` : Dialect.isTextOf(sql, "s.sku", texts(sql, skus))}`

/** Selects rows after the given key. PostgreSQL's index of SKUs contains only the first 100 characters. */
export const isAfter = (sql: SqlClient, after: StockKey | null, sku: Fragment, location: Fragment) =>
  after === null
    ? sql`1 = 1`
    : sql`${sku} >= ${after.sku} AND (${sku} > ${after.sku} OR ${location} > ${after.location})
        ${sql.onDialectOrElse({ orElse: () => sql``, pg: () => sql`AND left(${sku}, 100) >= left(${after.sku}, 100)` })}`

type Table = "crossdock_levels" | "crossdock_prices"

export const listed =
  <Values>(sql: SqlClient, operation: string, table: Table, columns: string): StockRows<Values> =>
  (company, filter, after, limit) =>
    sql<StockKey & { readonly modifiedAt: number } & Values>`
      SELECT s.sku AS "sku", l.code AS "location", v.modified_at AS "modifiedAt", ${sql.literal(columns)}
      FROM crossdock_sizes s
      CROSS JOIN crossdock_locations l
      CROSS JOIN ${sql.literal(table)} v
      WHERE s.company_id = ${company} AND l.company_id = ${company}
        AND v.company_id = ${company} AND v.location_id = l.id AND v.size_id = s.id
        AND ${isOfFilter(sql, filter)} AND ${isAfter(sql, after, sql`s.sku`, sql`l.code`)}
      ORDER BY ${Dialect.byText(sql, "s.sku")}, l.code LIMIT ${limit}`.pipe(named(operation))

/** Deletes the rows of SKUs, after `marking`. Waiting for a locked row would deadlock, so this fails instead. */
export const removed = (
  sql: SqlClient,
  operation: string,
  table: Table,
  company: CompanyId,
  skus: ReadonlyArray<string>,
  marking: (places: Fragment) => ReadonlyArray<Effect.Effect<unknown, SqlError>> = () => []
): Stored<void> => {
  // The keys begin with company and location. Without the condition on locations, all rows of the company would be read.
  const places = sql`company_id = ${company}
    AND location_id IN (SELECT l.id FROM crossdock_locations l WHERE l.company_id = ${company})
    AND size_id IN (SELECT s.id FROM crossdock_sizes s
      WHERE s.company_id = ${company} AND ${Dialect.isTextOf(sql, "s.sku", texts(sql, [...new Set(skus)]))})`
  return Effect.all([
    Dialect.lockRows(sql, table, places, "location_id, size_id", "NOWAIT"),
    ...marking(places),
    sql`DELETE FROM ${sql.literal(table)} WHERE ${places}`
  ]).pipe(Effect.asVoid, named(operation))
}
