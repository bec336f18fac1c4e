/**
 * Adapter: prices in a table of the program's own.
 */
import { Pipeline } from "@crossdock/kernel"
import { type Price, PriceStore } from "@crossdock/pricing"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as ApplicationStock from "../ApplicationStock.ts"
import { named } from "../Database.ts"
import * as StockRows from "../StockRows.ts"
import { allOrNothing } from "../TransactionSql.ts"

export const make = (tables: ApplicationStock.Names) =>
  Effect.map(SqlClient.SqlClient, (sql) => {
    const whole = allOrNothing(sql)
    const { esp, mrp, priceVersion } = tables.columns
    const loaded: StockRows.Read<readonly [string, number, number, number], Price.Price> = {
      columns: ["l.currency", ...[mrp, esp, priceVersion].map((column) => `COALESCE(v.${column}, 0)`)],
      of: ({ location, sku }, [currency, mrp, esp, version]) => ({
        sku,
        location,
        sizeId: 0,
        locationId: 0,
        currency,
        mrp,
        esp,
        version
      })
    }
    const writes = ApplicationStock.writes(sql, tables, {
      operation: "PriceStore.save",
      version: "priceVersion",
      columns: ["mrp", "esp"]
    })

    return PriceStore.of({
      load: (company, keys) =>
        StockRows.loadJoined(sql, company, keys, loaded, ApplicationStock.joined(sql, tables, company)).pipe(
          named("PriceStore.load")
        ),
      save: (company, at, changes) => {
        const written = changes.map(({ after: { esp, location, mrp, sku }, before: { version } }) => ({
          location,
          sku,
          version,
          values: [mrp, esp]
        }))
        return Pipeline.together(...writes(company, at, written)).pipe(
          Effect.asVoid,
          named("PriceStore.save"),
          whole,
          Pipeline.write
        )
      }
    })
  })
