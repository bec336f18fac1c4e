/** Adapter: orders. */
import { StaleWrite, Text } from "@crossdock/kernel"
import { type Order, OrderStore } from "@crossdock/orders"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { adapter } from "./MemoryDatabase.ts"
import * as Table from "./Table.ts"

/** By id. */
export const orders = Table.make<Order>("orders")

const orderIds = Table.make<string>("orderIds")

const externalKey = (marketplace: string, externalOrderId: string): string =>
  JSON.stringify([marketplace, externalOrderId])

const find = (tables: Table.Tables, marketplace: string, id: string): Order | undefined => {
  const order = orders.get(tables, Table.noCompany, id)
  return order?.marketplace === marketplace ? order : undefined
}

export const layer = adapter(OrderStore, (database) => ({
  insert: (order) =>
    database.decide((tables) => {
      const key = externalKey(order.marketplace, order.draft.externalOrderId)
      const isTaken =
        orderIds.get(tables, Table.noCompany, key) !== undefined ||
        orders.get(tables, Table.noCompany, order.id) !== undefined
      if (isTaken) return Result.fail(new StaleWrite({ operation: "OrderStore.insert" }))
      const named = orderIds.put(tables, Table.noCompany, [[key, order.id]])
      return Result.succeed([undefined, orders.put(named, Table.noCompany, [[order.id, order]])])
    }),
  replace: (order) =>
    database.write((tables) =>
      find(tables, order.marketplace, order.id) === undefined
        ? tables
        : orders.put(tables, Table.noCompany, [[order.id, order]])
    ),
  // Nothing is in files.
  purge: Effect.void,
  byExternalId: (marketplace, externalOrderId) =>
    database.read((tables) => {
      const id = orderIds.get(tables, Table.noCompany, externalKey(marketplace, externalOrderId))
      return id === undefined ? undefined : find(tables, marketplace, id)
    }),
  page: (after, limit) =>
    database.read((tables) =>
      orders
        .rows(tables, Table.noCompany)
        .filter(({ id }) => after === null || Text.order(id, after) > 0)
        .sort((one, other) => Text.order(one.id, other.id))
        .slice(0, limit)
    ),
  byId: (marketplace, id) => database.read((tables) => find(tables, marketplace, id))
}))
