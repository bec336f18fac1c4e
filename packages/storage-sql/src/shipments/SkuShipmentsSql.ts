/**
 * Adapter: shipments of SKUs that are about to be deleted.
 */
import { SkuShipments } from "@crossdock/catalog"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { named, texts } from "../Database.ts"
import * as Dialect from "../Dialect.ts"

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  return SkuShipments.of({
    open: (company, skus) =>
      sql<{ sku: string }>`
        SELECT r.value AS sku FROM ${texts(sql, skus)} r WHERE EXISTS (
          SELECT 1 FROM crossdock_shipment_skus s
          WHERE s.company_id = ${company} AND ${Dialect.isText(sql, "s.sku", sql`r.value`)} ${Dialect.alone(sql)})`.pipe(
        Effect.map((found) => new Set(found.map(({ sku }) => sku))),
        named("SkuShipments.open")
      )
  })
})

export const layer: Layer.Layer<SkuShipments, never, SqlClient.SqlClient> = Layer.effect(SkuShipments, make)
