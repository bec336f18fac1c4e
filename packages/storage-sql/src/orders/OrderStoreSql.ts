/**
 * Adapter: orders. `facts` has the fields of an order that shipments show, so that lists of shipments read nothing else
 * of it.
 */
import { StoredBody, Transaction } from "@crossdock/kernel"
import { type Order, OrderStore, shipmentOrderOf } from "@crossdock/orders"
import type { Address, ShipmentOrder } from "@crossdock/shipments"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as Dialect from "../Dialect.ts"
import { expectRows } from "../Dialect.ts"
import { named, unbounded } from "../TransactionSql.ts"

const address: StoredBody.Fields<Address> = {
  name: true,
  phone: true,
  email: true,
  address1: true,
  address2: true,
  landmark: true,
  city: true,
  state: true,
  pincode: true,
  country: true
}

export const orders = StoredBody.make<Order>({
  name: "order",
  fields: {
    id: true,
    marketplace: true,
    total: true,
    orderDate: true,
    createdAt: true,
    draft: {
      externalOrderId: true,
      currency: true,
      orderDate: true,
      payment: { mode: true, methods: [{ mode: true, name: true, amount: true }] },
      customer: { name: true, phone: true, email: true },
      billingAddress: address,
      shippingAddress: address,
      coupon: { code: true, amount: true, ownership: true },
      charges: [{ name: true, type: true, amount: true, tax: true }],
      gstin: true,
      totalAmount: true,
      shipments: [
        {
          externalShipmentId: true,
          location: true,
          fulfillment: true,
          selfShip: true,
          packAfter: true,
          packBy: true,
          dispatchBy: true,
          deliverBy: true,
          lines: [
            {
              externalLineId: true,
              sku: true,
              quantity: true,
              mrp: true,
              esp: true,
              discount: true,
              couponDiscount: true,
              deliveryCharge: true,
              tax: true
            }
          ]
        }
      ],
      meta: true
    },
    shipments: [{ externalShipmentId: true, shipmentId: true }]
  }
})

export const facts = StoredBody.make<ShipmentOrder>({
  name: "order of shipment",
  fields: {
    shippingAddress: address,
    billingAddress: address,
    paymentMode: true,
    methods: { cod: true, prepaid: true, lines: true, units: true },
    gstin: true,
    couponOwner: true,
    taxExempt: true
  }
})

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
      ).pipe(named("OrderStore.insert"), Transaction.write),
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

export const layer = Layer.effect(OrderStore, make)
