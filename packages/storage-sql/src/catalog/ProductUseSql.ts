/**
 * Adapter: what shipments, stock and prices hold against taking a SKU away.
 */
import type { CompanyWrite } from "@crossdock/audit"
import { type ProductChanges, ProductUse } from "@crossdock/catalog"
import type { CompanyId } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { named, rows } from "../Database.ts"
import * as Dialect from "../Dialect.ts"

const skuColumns = { sku: "text" } as const
const textColumns = { sku: "text", text: "text" } as const

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const wanted = (skus: ReadonlyArray<string>) =>
    rows(
      sql,
      skuColumns,
      skus.map((sku) => [sku])
    )

  const skusIn = (skus: ReadonlyArray<string>) => sql`(SELECT r.sku FROM ${wanted(skus)} r)`

  // PostgreSQL reads no JSON that holds the escape of NUL anywhere; there the text of the body, which JSON.stringify
  // wrote, is searched for the SKU's own text.
  const openSkus = (company: CompanyId, skus: ReadonlyArray<string>) =>
    sql.onDialectOrElse({
      orElse: () => sql<{ sku: string }>`
        SELECT DISTINCT e.value ->> 'sku' AS sku FROM crossdock_shipments o, json_each(o.body, '$.items') e
        WHERE o.company_id = ${company} AND o.may_move_stock = 1 AND e.value ->> 'sku' IN ${skusIn(skus)}`,
      pg: () => {
        const needles = rows(
          sql,
          textColumns,
          skus.map((sku) => [sku, `"sku":${JSON.stringify(sku)}`])
        )
        return sql<{ sku: string }>`
          SELECT r.sku FROM ${needles} r WHERE EXISTS (SELECT 1 FROM crossdock_shipments o
            WHERE o.company_id = ${company} AND o.may_move_stock = 1 AND strpos(o.body, r.text) > 0)`
      }
    })

  // The levels are held before the shipments are read: who reserves later finds nothing to reserve.
  const uses = (company: CompanyId, skus: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const levels = yield* sql<{ sku: string; reserved: number }>`
        SELECT s.sku, v.reserved FROM ${wanted(skus)} r
        CROSS JOIN crossdock_sizes s
        CROSS JOIN crossdock_locations l
        CROSS JOIN crossdock_levels v
        WHERE s.company_id = ${company} AND s.sku = r.sku AND l.company_id = ${company}
          AND v.company_id = ${company} AND v.location_id = l.id AND v.size_id = s.id
        ORDER BY v.location_id, v.size_id ${Dialect.held(sql, "v")}`
      const shipped = yield* openSkus(company, skus)
      return new Map<string, ProductChanges.Use>([
        ...levels.filter((row) => row.reserved > 0).map((row) => [row.sku, "RESERVED_STOCK"] as const),
        ...shipped.map((row) => [row.sku, "OPEN_SHIPMENTS"] as const)
      ])
    })

  const clear = (company: CompanyId, skus: ReadonlyArray<string>, { at, number }: CompanyWrite.Mark) => {
    const places = sql`company_id = ${company}
      AND location_id IN (SELECT l.id FROM crossdock_locations l WHERE l.company_id = ${company})
      AND size_id IN (SELECT s.id FROM ${wanted(skus)} r
        CROSS JOIN crossdock_sizes s WHERE s.company_id = ${company} AND s.sku = r.sku)`
    return Effect.all([
      sql`
        INSERT INTO crossdock_gone_levels (company_id, location_id, sku, sequence, changed_at, marketplace)
        SELECT v.company_id, v.location_id, s.sku, ${number}, ${at}, '' FROM ${wanted(skus)} r
        CROSS JOIN crossdock_sizes s
        CROSS JOIN crossdock_locations l
        CROSS JOIN crossdock_levels v
        WHERE s.company_id = ${company} AND s.sku = r.sku AND l.company_id = ${company}
          AND v.company_id = ${company} AND v.location_id = l.id AND v.size_id = s.id AND v.sequence > 0
        ON CONFLICT (company_id, location_id, sku, marketplace) DO UPDATE SET sequence = excluded.sequence,
          changed_at = excluded.changed_at`,
      // What is gone for everybody is not missing for one marketplace besides.
      sql`
        DELETE FROM crossdock_gone_levels
        WHERE company_id = ${company} AND marketplace <> '' AND sku IN ${skusIn(skus)}
          AND EXISTS (SELECT 1 FROM crossdock_gone_levels e
            WHERE e.company_id = ${company} AND e.location_id = crossdock_gone_levels.location_id
              AND e.sku = crossdock_gone_levels.sku AND e.marketplace = '')`,
      sql`DELETE FROM crossdock_levels WHERE ${places}`,
      sql`DELETE FROM crossdock_prices WHERE ${places}`
    ])
  }

  return ProductUse.of({
    uses: (company, skus) =>
      skus.length === 0 ? Effect.succeed(new Map()) : uses(company, skus).pipe(named("ProductUse.uses")),
    clear: (company, skus, mark) =>
      clear(company, [...new Set(skus)], mark).pipe(Effect.asVoid, named("ProductUse.clear"))
  })
})

export const layer: Layer.Layer<ProductUse, never, SqlClient.SqlClient> = Layer.effect(ProductUse, make)
