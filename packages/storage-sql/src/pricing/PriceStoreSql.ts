import { Transaction } from "@crossdock/kernel"
import { PriceStore, type PriceUpdate } from "@crossdock/pricing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { columns, expectRows, rows } from "../Dialect.ts"
import * as StockLevelsSql from "../inventory/StockLevelsSql.ts"
import * as StockRows from "../inventory/StockRows.ts"
import { allOrNothing, named } from "../TransactionSql.ts"

const priceColumns = columns("location_id integer, size_id integer, mrp integer, esp integer, version integer")

const loaded = {
  table: "crossdock_prices",
  columns: ["l.currency", "COALESCE(v.mrp, 0)", "COALESCE(v.esp, 0)", "COALESCE(v.version, 0)"],
  of: (
    place: StockLevelsSql.RowKey,
    [currency, mrp, esp, version]: readonly [string, number, number, number]
  ): PriceUpdate.Price => ({ ...place, currency, mrp, esp, version })
}

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const whole = allOrNothing(sql)

  const update = sql`DO UPDATE SET mrp = excluded.mrp, esp = excluded.esp,
    version = excluded.version, modified_at = excluded.modified_at
    WHERE crossdock_prices.version = excluded.version - 1`

  return PriceStore.of({
    load: (company, keys) => StockLevelsSql.loadRows(sql, company, keys, loaded).pipe(named("PriceStore.load")),
    save: (company, at, changes) =>
      Effect.gen(function* () {
        const valuesOf = (some: typeof changes) =>
          some
            .toSorted(StockLevelsSql.byKey)
            .map(({ after, before }) => [after.locationId, after.sizeId, after.mrp, after.esp, before.version + 1])
        const stored = StockLevelsSql.insertsAndUpdates(sql, company, changes, update).map(
          ({ condition, onConflict, some }) =>
            expectRows(
              sql,
              "PriceStore.save",
              some.length,
              sql`
            INSERT INTO crossdock_prices (company_id, location_id, size_id, mrp, esp, version, modified_at)
            SELECT ${company}, r.location_id, r.size_id, r.mrp, r.esp, r.version, ${at}
            FROM ${rows(sql, priceColumns, valuesOf(some))} r WHERE ${condition}
            ON CONFLICT (company_id, location_id, size_id) ${onConflict}`
            )
        )
        yield* Transaction.together(...stored)
      }).pipe(StockLevelsSql.staleIfDeleted("PriceStore.save"), named("PriceStore.save"), whole, Transaction.write),
    list: StockRows.listed(sql, "PriceStore.list", "crossdock_prices", "v.mrp, v.esp"),
    remove: (company, skus) => StockRows.removed(sql, "PriceStore.remove", "crossdock_prices", company, skus)
  })
})

export const layer = Layer.effect(PriceStore, make)
