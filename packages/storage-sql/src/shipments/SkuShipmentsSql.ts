/**
 * Adapter: shipments of SKUs that are about to be deleted.
 */
import { SkuShipments } from "@crossdock/catalog"
import type { CompanyId } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { named, rows } from "../Database.ts"

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

  // PostgreSQL reads no JSON that contains the escape of NUL anywhere; there the text of the body, which JSON.stringify
  // wrote, is searched for the SKU's own text.
  const openSkus = (company: CompanyId, skus: ReadonlyArray<string>) =>
    sql.onDialectOrElse({
      orElse: () => sql<{ sku: string }>`
        SELECT DISTINCT e.value ->> 'sku' AS sku FROM crossdock_shipments o, json_each(o.body, '$.items') e
        WHERE o.company_id = ${company} AND o.may_move_stock = 1 AND e.value ->> 'sku' IN (SELECT r.sku FROM ${wanted(skus)} r)`,
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

  return SkuShipments.of({
    open: (company, skus) =>
      openSkus(company, skus).pipe(
        Effect.map((found) => new Set(found.map(({ sku }) => sku))),
        named("SkuShipments.open")
      )
  })
})

export const layer: Layer.Layer<SkuShipments, never, SqlClient.SqlClient> = Layer.effect(SkuShipments, make)
