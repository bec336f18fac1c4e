/**
 * Adapter: prices.
 */

import { StaleWrite } from "@crossdock/kernel"
import { type Price, PriceStore } from "@crossdock/pricing"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { affected, named, rows } from "../Database.ts"
import * as Dialect from "../Dialect.ts"
import { allOrNothing } from "../TransactionSql.ts"

const keyColumns = { sku: "text", location: "text" } as const
const priceColumns = {
  location_id: "integer",
  size_id: "integer",
  mrp: "integer",
  esp: "integer",
  version: "integer"
} as const

interface LoadedRow {
  readonly size_id: number | null
  readonly location_id: number | null
  readonly currency: string
  readonly mrp: number
  readonly esp: number
  readonly version: number
}

/**
 * Rows are written in the order of their keys, so that two writers never wait for each other.
 */
const byKey = (a: Price.PriceChange, b: Price.PriceChange): number =>
  a.after.locationId - b.after.locationId || a.after.sizeId - b.after.sizeId

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const whole = allOrNothing(sql)

  return PriceStore.of({
    load: (company, keys) => {
      const wanted = rows(
        sql,
        keyColumns,
        keys.map((key) => [key.sku, key.location])
      )
      return sql<LoadedRow>`
        SELECT s.id AS size_id, l.id AS location_id, l.currency, COALESCE(v.mrp, 0) AS mrp, COALESCE(v.esp, 0) AS esp,
          COALESCE(v.version, 0) AS version
        FROM ${wanted} r
        LEFT JOIN crossdock_locations l ON l.company_id = ${company} AND l.code = r.location
        LEFT JOIN crossdock_sizes s ON s.company_id = ${company} AND s.sku = r.sku
        LEFT JOIN ${Dialect.heldByKey(sql, "crossdock_prices", company, wanted)} v
          ON v.company_id = ${company} AND v.location_id = l.id AND v.size_id = s.id
        ORDER BY r.i`.pipe(
        Effect.map((found) =>
          found.map((row, i) => {
            if (row.location_id === null) return "UNKNOWN_LOCATION"
            if (row.size_id === null) return "UNKNOWN_SKU"
            const { location, sku } = keys[i] as (typeof keys)[number]
            return {
              sku,
              location,
              sizeId: row.size_id,
              locationId: row.location_id,
              currency: row.currency,
              mrp: row.mrp,
              esp: row.esp,
              version: row.version
            }
          })
        ),
        named("PriceStore.load")
      )
    },
    save: (company, at, changes) =>
      Effect.gen(function* () {
        const values = changes
          .toSorted(byKey)
          .map(({ after, before }) => [after.locationId, after.sizeId, after.mrp, after.esp, before.version + 1])
        const written = yield* sql`
          INSERT INTO crossdock_prices (company_id, location_id, size_id, mrp, esp, version, modified_at)
          SELECT ${company}, r.location_id, r.size_id, r.mrp, r.esp, r.version, ${at}
          FROM ${rows(sql, priceColumns, values)} r
          WHERE r.version = 1 OR EXISTS (SELECT 1 FROM crossdock_prices k
            WHERE k.company_id = ${company} AND k.location_id = r.location_id AND k.size_id = r.size_id)
          ON CONFLICT (company_id, location_id, size_id) DO UPDATE SET mrp = excluded.mrp, esp = excluded.esp,
            version = excluded.version, modified_at = excluded.modified_at
          WHERE crossdock_prices.version = excluded.version - 1`.raw
        if (affected(written) !== changes.length) return yield* new StaleWrite({ operation: "PriceStore.save" })
      }).pipe(named("PriceStore.save"), whole)
  })
})

export const layer: Layer.Layer<PriceStore, never, SqlClient.SqlClient> = Layer.effect(PriceStore, make)
