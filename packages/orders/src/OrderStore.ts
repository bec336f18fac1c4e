/**
 * Port: orders.
 */

import type { StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Order } from "./Order.ts"

/**
 * Port: orders. An external id is used once for each marketplace; of several inserts at once exactly one succeeds.
 */
export class OrderStore extends Context.Service<
  OrderStore,
  {
    /** False, without a write, when the marketplace has an order with this external id, or any order has this id. */
    readonly insert: (order: Order) => Effect.Effect<boolean, StorageError>
    /** Replaces the stored order of this id and marketplace; what its shipments show of it changes too. */
    readonly replace: (order: Order) => Effect.Effect<void, StorageError>
    /**
     * Removes what orders and shipments contained before from the underlying files too. It runs outside of a transaction, and
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
