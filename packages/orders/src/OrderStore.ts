/**
 * Port: orders.
 */

import { type StaleWrite, type StorageError, Transaction } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Order } from "./Order.ts"

/** Port: orders. An external id is used once for each marketplace; of several inserts at once exactly one succeeds. */
export class OrderStore extends Context.Service<
  OrderStore,
  {
    /**
     * Fails with `StaleWrite`, without a write, when the marketplace has an order with this external id, or when the order id is
     * taken. Inside a transaction the failure may surface only at commit.
     */
    readonly insert: (order: Order) => Effect.Effect<void, StaleWrite | StorageError>
    /** Replaces the stored order of this id and marketplace; what its shipments show of it changes too. */
    readonly replace: (order: Order) => Effect.Effect<void, StorageError>
    /**
     * Removes what orders and shipments contained before from the underlying files too. It runs outside a transaction, and
     * can be repeated.
     */
    readonly purge: Effect.Effect<void, StorageError>
    readonly byExternalId: (
      marketplace: string,
      externalOrderId: string
    ) => Effect.Effect<Order | undefined, StorageError>
    /** Orders of every marketplace by ascending id: at most `limit` of those after `after` (null: from the first). */
    readonly page: (after: string | null, limit: number) => Effect.Effect<ReadonlyArray<Order>, StorageError>
    readonly byId: (marketplace: string, id: string) => Effect.Effect<Order | undefined, StorageError>
  }
>()("@crossdock/orders/OrderStore") {}

/** A statement of the program's own, with the database's own placeholders. */
type Statement = NonNullable<typeof Transaction.Transaction.Service.statement>

/**
 * Wraps an order storage so that `also` runs for each new order, in the same transaction: when it fails, so does the
 * transaction. On a SQL storage it writes rows of the program's own with `sql`. It may run again when another writer was faster.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { OrderStore, withEachOrder } from "@crossdock/orders"
 * import { orderDraft } from "@crossdock/orders/testing"
 * import { StorageMemory } from "@crossdock/storage-memory"
 * import { Effect } from "effect"
 *
 * const seen: Array<string> = []
 * const storage = withEachOrder(StorageMemory.layer, ({ id }) => Effect.sync(() => seen.push(id)))
 *
 * const draft = orderDraft()
 * const order = { id: "o1", marketplace: "bazaar", total: 10_000, orderDate: 0, createdAt: 0, draft, shipments: [] }
 *
 * await Effect.runPromise(Effect.provide(Effect.flatMap(OrderStore, ({ insert }) => insert(order)), storage))
 * deepStrictEqual(seen, ["o1"])
 * ```
 */
export const withEachOrder = <Ports, E, R>(
  storage: Layer.Layer<Ports, E, R>,
  also: (order: Order, sql: Statement) => Effect.Effect<unknown, StorageError>
): Layer.Layer<Ports, E, R | Exclude<Transaction.Transaction, Ports>> => {
  const noSql: Statement = () => Effect.die(new Error("This storage has no SQL"))
  const store = Effect.gen(function* () {
    const [orders, { statement = noSql }] = [yield* OrderStore, yield* Transaction.Transaction]
    const insert: typeof orders.insert = (order) =>
      Effect.andThen(orders.insert(order), also(order, statement)).pipe(Effect.asVoid)
    return { ...orders, insert }
  })
  return Layer.provideMerge(Layer.effect(OrderStore, store), storage) as Layer.Layer<
    Ports,
    E,
    R | Exclude<Transaction.Transaction, Ports>
  >
}
