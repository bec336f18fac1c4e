import { Level, StockLevels } from "@crossdock/inventory"
import { CompanyId } from "@crossdock/kernel"
import { orderStatusOf, ShipmentStore } from "@crossdock/shipments"
import { placedShipment } from "@crossdock/shipments/testing"
import { Seed } from "@crossdock/storage-laws"
import { StorageSql } from "@crossdock/storage-sql"
import { layer } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { postgres, sqliteFile } from "./Databases.ts"

const suite = (name: string, database: typeof sqliteFile) =>
  layer(Layer.provideMerge(StorageSql.layer, database), { timeout: "2 minutes", excludeTestServices: true })(
    name,
    (it) => {
      it.effect(
        "folded movements leave the table, their level keeps one, and a level that differs is still found",
        () =>
          Effect.gen(function* () {
            const [sql, levels] = [yield* SqlClient.SqlClient, yield* StockLevels]
            const skus = ["s1", "s2"]
            const company = yield* Effect.provide(Seed.seller(["L1"], skus), Seed.layer)
            for (let number = 1; number <= 25; number++) {
              const found = yield* levels.load(
                company,
                skus.map((sku) => ({ sku, location: "L1" }))
              )
              const wanted = { onHand: 2, reserved: 1, unsellable: 0, reason: "adjust", reference: null } as const
              const changes = found
                .filter((level) => typeof level === "object")
                .map((level) => ({ ...Level.move(Level.unchanged(level), wanted), marked: true }))
              yield* levels.save(company, number, 1000 + number, changes)
            }
            const folded = [yield* levels.foldMovements(1021, 8), yield* levels.foldMovements(1021, 100)]
            deepStrictEqual([...folded, yield* levels.foldMovements(1021, 100)], [8, 12, 0])
            const rest =
              yield* sql`SELECT number FROM crossdock_movements WHERE company_id = ${company} ORDER BY number`
            deepStrictEqual(
              rest.map(({ number }) => number),
              [21, 22, 23, 24, 25]
            )
            const lines = yield* sql`
            SELECT number, on_hand, reserved FROM crossdock_movement_lines
            WHERE company_id = ${company} AND reason = 'checkpoint'`
            const line = { number: 20, on_hand: 40, reserved: 20 }
            deepStrictEqual(
              lines.map((one) => ({ ...one })),
              [line, line]
            )
            deepStrictEqual(yield* levels.discrepancies(company), [])
            yield* sql`UPDATE crossdock_levels SET on_hand = on_hand + 1 WHERE company_id = ${company}`
            strictEqual((yield* levels.discrepancies(company)).length, 2)
          })
      )

      it.effect("a status, day and place without shipments has no count, and the others keep theirs", () =>
        Effect.gen(function* () {
          const [sql, store] = [yield* SqlClient.SqlClient, yield* ShipmentStore]
          const company = CompanyId.make(77)
          const shipments = Array.from({ length: 6 }, (_, i) => ({
            ...placedShipment(),
            id: String(i + 1).padStart(20, "0"),
            companyId: company,
            orderDate: (i % 3) * 86_400_000
          }))
          yield* store.insert(shipments)
          const moved = shipments.map((before, i) => ({
            before,
            after: { ...before, version: 2, status: i === 0 ? ("placed" as const) : ("delivery_done" as const) }
          }))
          yield* store.update(company, moved)
          const counts = yield* sql<{ order_status: string; day: number; total: number }>`
            SELECT order_status, day, total FROM crossdock_shipment_counts
            WHERE company_id = ${company} ORDER BY day, order_status`
          const expected = new Map<string, number>()
          for (const { after } of moved) {
            const key = `${after.orderDate / 86_400_000} ${orderStatusOf(after)}`
            expected.set(key, (expected.get(key) ?? 0) + 1)
          }
          deepStrictEqual(
            new Map(counts.map(({ day, order_status, total }) => [`${day} ${order_status}`, total])),
            new Map([...expected].sort(([a], [b]) => (a < b ? -1 : 1)))
          )
        })
      )
    }
  )

suite("Retention on SQLite", sqliteFile)
suite("Retention on PostgreSQL", postgres())
