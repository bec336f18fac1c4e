import { Transaction } from "@crossdock/kernel"
import { OrderStore, withEachOrder } from "@crossdock/orders"
import { orderDraft } from "@crossdock/orders/testing"
import { StorageSql } from "@crossdock/storage-sql"
import { layer } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { postgres, sqliteFile } from "./Databases.ts"

const orders = withEachOrder(StorageSql.orders, ({ id, marketplace }, sql) =>
  sql(`INSERT INTO own_orders (id, marketplace) VALUES ('${id}', '${marketplace}')`, [])
)

const storage = Layer.provideMerge(orders, StorageSql.base)

const order = (id: string) => ({
  ...{ id, marketplace: "bazaar", total: 10_000, orderDate: 0, createdAt: 0, shipments: [] },
  draft: orderDraft({ externalOrderId: `external ${id}` })
})

const ownOrders = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ id: string }>`SELECT id FROM own_orders ORDER BY id`
).pipe(Effect.map((rows) => rows.map(({ id }) => id)))

for (const [name, database] of [
  ["SQLite", sqliteFile],
  ["PostgreSQL", postgres()]
] as const) {
  layer(Layer.provideMerge(storage, database), { timeout: "1 minute", excludeTestServices: true })(
    `A program's row with each order on ${name}`,
    (it) => {
      it.effect("is there with the order, once, and neither is when the row can't be written", () =>
        Effect.gen(function* () {
          const [store, transaction, sql] = [
            yield* OrderStore,
            yield* Transaction.Transaction,
            yield* SqlClient.SqlClient
          ]
          yield* sql`CREATE TABLE own_orders (id VARCHAR(20) PRIMARY KEY, marketplace TEXT NOT NULL)`
          const insert = (id: string) => transaction.run(store.insert(order(id)))
          yield* insert("o1")
          strictEqual((yield* Effect.flip(insert("o1")))._tag, "StaleWrite")
          deepStrictEqual(yield* ownOrders, ["o1"])
          yield* sql`INSERT INTO own_orders (id, marketplace) VALUES ('o2', 'elsewhere')`
          strictEqual((yield* Effect.flip(insert("o2")))._tag, "StorageError")
          strictEqual(yield* store.byId("bazaar", "o2"), undefined)
        })
      )
    }
  )
}
