/**
 * Adapter: stock and prices of SKUs that are about to be deleted, in tables of the program's own.
 */
import { SkuStock } from "@crossdock/catalog"
import type { CompanyId } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as ApplicationStock from "../ApplicationStock.ts"
import { named, texts } from "../Database.ts"
import * as Dialect from "../Dialect.ts"
import * as DeletedLevels from "./DeletedLevels.ts"

export const make = (tables: ApplicationStock.Names) =>
  Effect.map(SqlClient.SqlClient, (sql) => {
    const { columns, movements, stock } = tables
    const levels = ApplicationStock.levels(sql, tables)

    const theirs = (company: CompanyId, skus: ReadonlyArray<string>) => sql`
      ${sql.literal(columns.company)} = ${company} AND ${Dialect.isAnyOf(sql, columns.sku, texts(sql, skus))}`

    return SkuStock.of({
      lock: (company, skus) =>
        ApplicationStock.lock(sql, tables, theirs(company, skus), "WAIT").pipe(named("SkuStock.lock")),
      reserved: (company, skus) =>
        sql<{ sku: string }>`
          SELECT DISTINCT v.sku FROM ${levels} v
          WHERE v.company_id = ${company} AND ${Dialect.isAnyOf(sql, "v.sku", texts(sql, skus))} AND v.reserved > 0`.pipe(
          Effect.map((found) => new Set(found.map(({ sku }) => sku))),
          named("SkuStock.reserved")
        ),
      remove: (company, skus, mark) => {
        const marked = sql`
          SELECT l.id AS location_id, v.sku FROM ${levels} v
          CROSS JOIN crossdock_locations l
          WHERE v.company_id = ${company} AND ${Dialect.isAnyOf(sql, "v.sku", texts(sql, skus))} AND ${Dialect.unindexed(sql, "v.change_number")} > 0
            AND l.company_id = ${company} AND l.code = ${Dialect.byCodePoint(sql, "v.location")}`
        return Effect.all([
          // Who has locked what was stored since waits for the company, which this write has.
          ApplicationStock.lock(sql, tables, theirs(company, skus), "NOWAIT"),
          ...DeletedLevels.markDeleted(sql, company, skus, mark, marked),
          sql`DELETE FROM ${sql.literal(stock)} WHERE ${theirs(company, skus)}`,
          sql`DELETE FROM ${sql.literal(movements)} WHERE ${theirs(company, skus)}`
        ]).pipe(Effect.asVoid, named("SkuStock.remove"))
      }
    })
  })
