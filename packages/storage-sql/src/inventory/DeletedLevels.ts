/** Levels that marketplaces see as 0 stock: deleted with their product, or missing for one marketplace. */
import type { CompanyLocation, Level } from "@crossdock/inventory"
import type { CompanyId, StockKey, Stored } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import * as Dialect from "../Dialect.ts"
import { each, rowsOf, texts } from "../Dialect.ts"
import { durableRead, named } from "../TransactionSql.ts"

const keyColumns = Dialect.columns("sku text, location text")

export interface Mark {
  readonly changeNumber: number
  readonly at: number
}

type MarkedRow = Omit<Level.Level, "companyId">

/** SQL that reads marked levels: columns with SKU and stock, and FROM, where `v` are the marks and `l` their locations. */
export interface Marks {
  readonly sku: Fragment
  readonly columns: string
  readonly from: Fragment
}

const nothingLeft = `0 AS "sizeId", 0 AS "locationId", 0 AS "onHand", 0 AS reserved, 0 AS unsellable, 0 AS version`

const markColumns = `v.sequence AS "changeNumber", v.changed_at AS "changedAt"`

/** The marks of deleted levels. `markedAgain` selects a level of the same SKU and location that was marked later. */
export const marks = (
  sql: SqlClient,
  company: CompanyId,
  locations: ReadonlyArray<string>,
  after: number,
  marketplace: string,
  markedAgain: Fragment
): Marks => ({
  sku: sql`v.sku`,
  columns: nothingLeft,
  from: sql`
    FROM crossdock_deleted_levels v
    JOIN crossdock_locations l ON l.company_id = ${company} AND l.id = v.location_id
    WHERE v.company_id = ${company} AND v.sequence > ${after} AND ${Dialect.isOneOf(sql, "l.code", locations)}
      AND v.marketplace IN ('', ${marketplace})
      AND NOT EXISTS (${markedAgain})`
})

/** Reads the first `limit` levels of both kinds of marks. It also reads all other levels of the last change. */
export const marked = (
  sql: SqlClient,
  company: CompanyId,
  limit: number,
  [current, deleted]: readonly [Marks, Marks]
): Stored<ReadonlyArray<Level.Level>> => {
  const page = ({ columns, from, sku }: Marks) => sql`
    SELECT ${sku} AS sku, l.code AS location, ${sql.literal(`${columns}, ${markColumns}`)}
    ${from} AND v.sequence <= (
      SELECT MAX(page.sequence) FROM (SELECT v.sequence ${from} ORDER BY v.sequence LIMIT ${limit}) page)`
  // One statement reads both kinds, because a deletion could be committed between two statements and found by neither.
  return sql<MarkedRow>`${page(current)} UNION ALL ${page(deleted)} ORDER BY ${sql("changeNumber")}, sku, location`.pipe(
    Effect.map((all) => {
      // The next page begins after the last change, so this page needs all levels of that change.
      const last = all[limit - 1]?.changeNumber ?? Number.POSITIVE_INFINITY
      return all.filter(({ changeNumber }) => changeNumber <= last).map((row) => ({ ...row, companyId: company }))
    }),
    named("StockLevels.marked"),
    durableRead(sql)
  )
}

/** Finds the levels of these keys that are deleted, or that are missing for this marketplace. */
export const find = (sql: SqlClient, company: CompanyId, keys: ReadonlyArray<StockKey>, marketplace: string) =>
  sql<MarkedRow>`
    SELECT v.sku, l.code AS location, ${sql.literal(`${nothingLeft}, ${markColumns}`)}
    FROM ${rowsOf(sql, keyColumns, keys, ({ location, sku }) => [sku, location])} r
    CROSS JOIN crossdock_locations l
    CROSS JOIN crossdock_deleted_levels v
    WHERE l.company_id = ${company} AND l.code = r.location
      AND v.company_id = ${company} AND v.location_id = l.id AND ${Dialect.isText(sql, "v.sku", sql`r.sku`)}
      AND v.marketplace IN ('', ${marketplace})`.pipe(
    each((row) => ({ ...row, companyId: company })),
    named("StockLevels.deleted"),
    durableRead(sql)
  )

/**
 * Marks levels that the marketplace may have seen at `from` but that don't exist at `to`.
 * `markedSkus` selects the marked SKUs at `from`; `isMarked` selects a marked level at the location `t` for the SKU of `f`.
 */
export const markMissing = (
  sql: SqlClient,
  marketplace: string,
  to: CompanyLocation,
  { at, changeNumber }: Mark,
  [from, markedSkus, isMarked]: readonly [CompanyLocation, Fragment, Fragment]
): Stored<void> =>
  sql`
    INSERT INTO crossdock_deleted_levels (company_id, location_id, sku, sequence, changed_at, marketplace)
    SELECT ${to.companyId}, t.id, f.sku, ${changeNumber}, ${at}, ${marketplace}
    FROM (
      ${markedSkus}
      UNION
      SELECT g.sku FROM crossdock_locations l
      CROSS JOIN crossdock_deleted_levels g
      WHERE l.company_id = ${from.companyId} AND l.code = ${from.location} AND g.company_id = ${from.companyId}
        AND g.location_id = l.id AND g.marketplace IN ('', ${marketplace})) f
    CROSS JOIN crossdock_locations t
    WHERE t.company_id = ${to.companyId} AND t.code = ${to.location}
      AND NOT EXISTS (${isMarked})
      AND NOT EXISTS (SELECT 1 FROM crossdock_deleted_levels g
        WHERE g.company_id = ${to.companyId} AND g.location_id = t.id AND ${Dialect.isText(sql, "g.sku", sql`f.sku`)} AND g.marketplace = '')
    ON CONFLICT (company_id, location_id, ${Dialect.indexed(sql, "sku")}, marketplace) DO NOTHING`.pipe(
    Effect.asVoid,
    named("StockLevels.markMissing")
  )

/** Marks levels as deleted for all marketplaces. `levels` selects the short keys of their locations, and their SKUs. */
export const markDeleted = (
  sql: SqlClient,
  company: CompanyId,
  skus: ReadonlyArray<string>,
  { at, changeNumber }: Mark,
  levels: Fragment
): ReadonlyArray<Effect.Effect<unknown, SqlError>> => [
  sql`
    INSERT INTO crossdock_deleted_levels (company_id, location_id, sku, sequence, changed_at, marketplace)
    SELECT ${company}, d.location_id, d.sku, ${changeNumber}, ${at}, '' FROM (${levels}) d WHERE true
    ON CONFLICT (company_id, location_id, ${Dialect.indexed(sql, "sku")}, marketplace) DO UPDATE SET sequence = excluded.sequence,
      changed_at = excluded.changed_at`,
  sql`
    DELETE FROM crossdock_deleted_levels
    WHERE company_id = ${company} AND location_id IN (SELECT l.id FROM crossdock_locations l WHERE l.company_id = ${company})
      AND ${Dialect.isTextOf(sql, "sku", texts(sql, skus))}
      AND marketplace <> ''
      AND EXISTS (SELECT 1 FROM crossdock_deleted_levels d
        WHERE d.company_id = ${company} AND d.location_id = crossdock_deleted_levels.location_id
          AND ${Dialect.isText(sql, "d.sku", sql`crossdock_deleted_levels.sku`)} AND d.marketplace = '')`
]
