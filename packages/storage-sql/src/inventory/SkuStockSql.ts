/** Adapter: stock and prices of SKUs that are about to be deleted. */
import { SkuStock } from "@crossdock/catalog"
import type { CompanyId } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as Dialect from "../Dialect.ts"
import { rowsOf } from "../Dialect.ts"
import { named } from "../TransactionSql.ts"
import * as DeletedLevels from "./DeletedLevels.ts"

const skuColumns = Dialect.columns("sku text")

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const wanted = (skus: ReadonlyArray<string>) => rowsOf(sql, skuColumns, skus, (sku) => [sku])

  /** The keys of these tables begin with company and location: without its locations all rows of the company would be read. */
  const atAnyLocation = (company: CompanyId) => sql`company_id = ${company}
    AND location_id IN (SELECT l.id FROM crossdock_locations l WHERE l.company_id = ${company})`

  const places = (company: CompanyId, skus: ReadonlyArray<string>) => sql`${atAnyLocation(company)}
    AND size_id IN (SELECT s.id FROM ${wanted(skus)} r
      CROSS JOIN crossdock_sizes s WHERE s.company_id = ${company} AND ${Dialect.isText(sql, "s.sku", sql`r.sku`)})`

  const lock = (company: CompanyId, skus: ReadonlyArray<string>, how: Dialect.Waiting) =>
    Effect.forEach(["crossdock_levels", "crossdock_prices"], (table) =>
      Dialect.lockRows(sql, table, places(company, skus), "location_id, size_id", how)
    )

  const remove = (company: CompanyId, skus: ReadonlyArray<string>, mark: DeletedLevels.Mark) => {
    const marked = sql`
      SELECT v.location_id, s.sku FROM ${wanted(skus)} r
      CROSS JOIN crossdock_sizes s
      CROSS JOIN crossdock_locations l
      CROSS JOIN crossdock_levels v
      WHERE s.company_id = ${company} AND ${Dialect.isText(sql, "s.sku", sql`r.sku`)} AND l.company_id = ${company}
        AND v.company_id = ${company} AND v.location_id = l.id AND v.size_id = s.id AND v.sequence > 0`
    return Effect.all([
      // Who has locked what was stored since waits for the company, which this write has.
      lock(company, skus, "NOWAIT"),
      ...DeletedLevels.markDeleted(sql, company, skus, mark, marked),
      sql`DELETE FROM crossdock_levels WHERE ${places(company, skus)}`,
      sql`DELETE FROM crossdock_prices WHERE ${places(company, skus)}`
    ])
  }

  return SkuStock.of({
    lock: (company, skus) => lock(company, skus, "WAIT").pipe(Effect.asVoid, named("SkuStock.lock")),
    reserved: (company, skus) =>
      sql<{ sku: string; reserved: number }>`
        SELECT s.sku, v.reserved FROM ${wanted(skus)} r
        CROSS JOIN crossdock_sizes s
        CROSS JOIN crossdock_locations l
        CROSS JOIN crossdock_levels v
        WHERE s.company_id = ${company} AND ${Dialect.isText(sql, "s.sku", sql`r.sku`)} AND l.company_id = ${company}
          AND v.company_id = ${company} AND v.location_id = l.id AND v.size_id = s.id`.pipe(
        Effect.map((levels) => new Set(levels.flatMap(({ reserved, sku }) => (reserved > 0 ? [sku] : [])))),
        named("SkuStock.reserved")
      ),
    remove: (company, skus, mark) =>
      remove(company, [...new Set(skus)], mark).pipe(Effect.asVoid, named("SkuStock.remove"))
  })
})

export const layer = Layer.effect(SkuStock, make)
