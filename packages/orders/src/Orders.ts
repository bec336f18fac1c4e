/**
 * Use cases: place an order, read an order, erase its personal data.
 */

import type { Caller, Directory, MarketplaceCaller } from "@crossdock/access"
import type { CompanyWrite } from "@crossdock/audit"
import type { ProductStore } from "@crossdock/catalog"
import type { Inventory, StockLevels } from "@crossdock/inventory"
import type { Ids, StorageError } from "@crossdock/kernel"
import type { Marketplace, MarketplaceStore } from "@crossdock/marketplaces"
import { type Shipment, ShipmentStore } from "@crossdock/shipments"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Erasing from "./internal/Erasing.ts"
import * as KnownMarketplaces from "./internal/KnownMarketplaces.ts"
import * as Placing from "./internal/Placing.ts"
import type { Order } from "./Order.ts"
import type { OrderDraft } from "./OrderDraft.ts"
import { type OrderInProgress, OrderNotFound, type OrderRejected } from "./OrderRejected.ts"
import { OrderStore } from "./OrderStore.ts"

/**
 * What a marketplace gets for an order: its id and those of its shipments.
 */
export interface PlacedOrder {
  readonly id: string
  readonly shipments: Order["shipments"]
}

/**
 * Places orders of marketplaces, reads them and erases their personal data.
 */
export class Orders extends Context.Service<
  Orders,
  {
    /**
     * Places an order: all its stock is reserved and all its shipments are placed, or nothing is done. The same external id
     * with the same content returns the first answer again. Source: docs/reference/orders.md#create.
     */
    readonly place: (
      caller: Caller<MarketplaceCaller>,
      draft: OrderDraft
    ) => Effect.Effect<PlacedOrder, OrderRejected | StorageError>
    /** The order and all its shipments, including returns, oldest first. */
    readonly read: (
      caller: Caller<MarketplaceCaller>,
      id: string
    ) => Effect.Effect<
      { readonly order: Order; readonly marketplace: Marketplace; readonly shipments: ReadonlyArray<Shipment> },
      OrderNotFound | StorageError
    >
    /**
     * Erases the personal data of an order and its shipments and records it in the trails of their companies, both or neither;
     * lines, amounts and numbers stay. The storage's files are purged afterwards; when that fails, erase again. False when it
     * was erased before. Source: docs/reference/orders.md#erasure.
     */
    readonly erase: (
      caller: Caller,
      marketplace: string,
      id: string
    ) => Effect.Effect<boolean, OrderNotFound | OrderInProgress | StorageError>
  }
>()("@crossdock/orders/Orders") {}

/**
 * `Orders`, the service that places and reads orders, made from its ports, `Inventory` and `CompanyWrite`.
 */
export const make = Effect.gen(function* () {
  const store = yield* OrderStore
  const shipmentStore = yield* ShipmentStore
  const marketplaces = yield* KnownMarketplaces.make
  const place = yield* Placing.make(marketplaces)
  const erase = yield* Erasing.make

  const read = Effect.fn("Orders.read")(function* (caller: Caller<MarketplaceCaller>, id: string) {
    const order = yield* store.byId(caller.principal.id, id)
    if (order === undefined) return yield* new OrderNotFound({ id })
    const marketplace = yield* marketplaces.get(caller.principal.id)
    return { order, marketplace, shipments: yield* shipmentStore.ofOrder(id) }
  })

  return Orders.of({ place, read, erase })
})

/**
 * Provides `Orders`. Requires `OrderStore` and `ShipmentStore` for what it writes, `Directory`, `MarketplaceStore`,
 * `ProductStore` and `StockLevels` for what it reads, `Inventory`, `CompanyWrite` and `Ids`.
 */
export const layer: Layer.Layer<
  Orders,
  never,
  | Directory
  | MarketplaceStore
  | ProductStore
  | StockLevels
  | Inventory.Inventory
  | ShipmentStore
  | OrderStore
  | CompanyWrite.CompanyWrite
  | Ids.Ids
> = Layer.effect(Orders, make)
