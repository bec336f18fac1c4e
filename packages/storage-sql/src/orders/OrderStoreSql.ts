/**
 * Adapter: orders. `facts` is what shipments show of their order, kept apart so that a list of shipments reads no more.
 */

import { Pipeline } from "@crossdock/kernel"
import { OrderStore, shipmentOrderOf } from "@crossdock/orders"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { expectRows, named, unbounded } from "../Database.ts"
import * as Dialect from "../Dialect.ts"
import { facts, orders } from "./OrderBodies.ts"

const orderOf = ([row]: ReadonlyArray<{ readonly id: string; readonly body: string }>) =>
  row && orders.read(row.body, row.id)

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return OrderStore.of({
    insert: (order) =>
      expectRows(
        sql,
        "OrderStore.insert",
        1,
        sql`
        INSERT INTO crossdock_orders ${sql.insert({
          id: order.id,
          marketplace: order.marketplace,
          external_order_id: order.draft.externalOrderId,
          facts: facts.write(shipmentOrderOf(order)),
          body: orders.write(order)
        })}
        ON CONFLICT DO NOTHING`
      ).pipe(named("OrderStore.insert"), Pipeline.write),
    replace: (order) =>
      sql`
        UPDATE crossdock_orders SET ${sql.update({
          facts: facts.write(shipmentOrderOf(order)),
          body: orders.write(order)
        })}
        WHERE id = ${order.id} AND marketplace = ${order.marketplace}`.pipe(Effect.asVoid, named("OrderStore.replace")),
    purge: Dialect.purge(sql, "crossdock_orders", "crossdock_shipments").pipe(named("OrderStore.purge"), unbounded),
    byExternalId: (marketplace, externalOrderId) =>
      sql<{ id: string; body: string }>`
        SELECT id, body FROM crossdock_orders
        WHERE marketplace = ${marketplace} AND ${Dialect.isText(sql, "external_order_id", sql`${externalOrderId}`)}`.pipe(
        Effect.map(orderOf),
        named("OrderStore.byExternalId")
      ),
    page: (after, limit) =>
      sql<{ id: string; body: string }>`
        SELECT id, body FROM crossdock_orders WHERE id > ${after ?? ""} ORDER BY id LIMIT ${limit}`.pipe(
        Effect.map((found) => found.map((row) => orders.read(row.body, row.id))),
        named("OrderStore.page")
      ),
    byId: (marketplace, id) =>
      sql<{ id: string; body: string }>`
        SELECT id, body FROM crossdock_orders WHERE id = ${id} AND marketplace = ${marketplace}`.pipe(
        Effect.map(orderOf),
        named("OrderStore.byId")
      )
  })
})

export const layer: Layer.Layer<OrderStore, never, SqlClient.SqlClient> = Layer.effect(OrderStore, make)
