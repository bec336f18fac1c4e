/** Stores orders. The column `facts` has what shipments show of an order, so that lists read no whole orders. */
import { StoredBody, Transaction } from "@crossdock/kernel"
import { type Order, OrderArchived, OrderStore, shipmentOrderOf } from "@crossdock/orders"
import type { Address, ShipmentOrder } from "@crossdock/shipments"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import * as Dialect from "../Dialect.ts"
import { type BodyRow, bodyOf, each, expectRows, first } from "../Dialect.ts"
import { named, unbounded } from "../TransactionSql.ts"

const address: StoredBody.Fields<Address> = StoredBody.present(
  "name phone email address1 address2 landmark city state pincode country"
)

export const orders = StoredBody.make<Order>({
  name: "order",
  fields: {
    ...StoredBody.present("id marketplace total orderDate createdAt"),
    draft: {
      ...StoredBody.present("externalOrderId currency orderDate gstin totalAmount meta"),
      payment: { mode: true, methods: [{ mode: true, name: true, amount: true }] },
      customer: { name: true, phone: true, email: true },
      billingAddress: address,
      shippingAddress: address,
      coupon: { code: true, amount: true, ownership: true },
      charges: [{ name: true, type: true, amount: true, tax: true }],
      shipments: [
        {
          ...StoredBody.present(
            "externalShipmentId location fulfillment selfShip packAfter packBy dispatchBy deliverBy"
          ),
          lines: [StoredBody.present("externalLineId sku quantity mrp esp discount couponDiscount deliveryCharge tax")]
        }
      ]
    },
    shipments: [{ externalShipmentId: true, shipmentId: true }]
  }
})

export const facts = StoredBody.make<ShipmentOrder>({
  name: "order of shipment",
  fields: {
    ...StoredBody.present("paymentMode gstin couponOwner taxExempt"),
    shippingAddress: address,
    billingAddress: address,
    methods: { cod: true, prepaid: true, lines: true, units: true }
  }
})

const textsOf = (order: Order) => ({ facts: facts.write(shipmentOrderOf(order)), body: orders.write(order) })

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient
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
          ...textsOf(order)
        })}
        ON CONFLICT DO NOTHING`
      ).pipe(named("OrderStore.insert"), Transaction.write),
    replace: (order) =>
      sql`
        UPDATE crossdock_orders SET ${sql.update(textsOf(order))}
        WHERE id = ${order.id} AND marketplace = ${order.marketplace}`.pipe(Effect.asVoid, named("OrderStore.replace")),
    purge: Dialect.purge(sql, "crossdock_orders", "crossdock_shipments").pipe(named("OrderStore.purge"), unbounded),
    byExternalId: (marketplace, externalOrderId) => {
      const isIt = sql`marketplace = ${marketplace} AND ${Dialect.isText(sql, "external_order_id", sql`${externalOrderId}`)}`
      // One statement reads both tables, so an order that is being archived is found in one of them.
      return sql<{ id: string; body: string | null }>`
        SELECT id, body FROM crossdock_orders WHERE ${isIt}
        UNION ALL SELECT id, NULL FROM crossdock_archived_orders WHERE ${isIt}`.pipe(
        Effect.flatMap(([row]) =>
          row?.body === null
            ? Effect.fail(new OrderArchived({ id: row.id }))
            : Effect.succeed(row && orders.read(row.body, row.id))
        ),
        named("OrderStore.byExternalId")
      )
    },
    page: (after, limit) =>
      sql<BodyRow>`
        SELECT id, body FROM crossdock_orders WHERE id > ${after ?? ""}
        ORDER BY id LIMIT ${limit}`.pipe(each(bodyOf(orders)), named("OrderStore.page")),
    byId: (marketplace, id) =>
      sql<BodyRow>`
        SELECT id, body FROM crossdock_orders
        WHERE id = ${id} AND marketplace = ${marketplace}`.pipe(first(bodyOf(orders)), named("OrderStore.byId"))
  })
})

export const layer = Layer.effect(OrderStore, make)
