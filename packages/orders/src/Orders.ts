/**
 * Use cases: place an order, read an order, erase its personal data.
 */
import { type Caller, type Directory, Gstin, type MarketplaceCaller } from "@crossdock/access"
import { CompanyWrite } from "@crossdock/audit"
import type { ProductStore } from "@crossdock/catalog"
import { Inventory, StockFeed, type StockLevels } from "@crossdock/inventory"
import { Ids, Money, Pipeline, required, type StorageError } from "@crossdock/kernel"
import type { Marketplace, MarketplaceStore } from "@crossdock/marketplaces"
import { type Shipment, ShipmentStore } from "@crossdock/shipments"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Order, OrderDraft } from "./Order.ts"
import * as OrderConsistency from "./OrderConsistency.ts"
import * as OrderDifference from "./OrderDifference.ts"
import * as OrderErasure from "./OrderErasure.ts"
import * as OrderFeed from "./OrderFeed.ts"
import * as OrderLookups from "./OrderLookups.ts"
import * as OrderPricing from "./OrderPricing.ts"
import { type OrderInProgress, OrderNotFound, OrderRejected } from "./OrderRejected.ts"
import * as OrderReservation from "./OrderReservation.ts"
import { shipmentsOf } from "./OrderShipments.ts"
import { OrderStore } from "./OrderStore.ts"

/** What a marketplace gets for an order: its id and those of its shipments. */
export interface PlacedOrder {
  readonly id: string
  readonly shipments: Order["shipments"]
}

/** Places orders of marketplaces, reads them and erases their personal data. */
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

/** A company's audit record: only its own shipments, and no address. */
const recordOf = ({ draft, total }: Order, shipments: ReadonlyArray<Shipment>) => ({
  request: {
    external_order_id: draft.externalOrderId,
    total: Money.toNumber(total, draft.currency),
    currency: draft.currency
  },
  response: shipments.map(({ id, items, location }) => ({
    shipment_id: id,
    location,
    lines: items.map(({ ordered, sku }) => [sku, ordered])
  }))
})

/** Returns the order that was placed before under the same external id, if it has the same content. */
const sameOrder = (first: Order, draft: OrderDraft) => {
  // An earlier release stored the number as it was sent.
  const before = { ...first.draft, gstin: Gstin.normalized(first.draft.gstin) }
  const differences = OrderDifference.between(before, OrderErasure.comparable(first, draft))
  if (differences.length === 0) return Effect.succeed(first)
  return Effect.fail(
    new OrderRejected({
      code: "ORDER_EXISTS",
      summary: `Order ${draft.externalOrderId} already exists with other content. Send a new external_order_id for a new order, or the first content again to repeat it.`,
      violations: [
        {
          path: "/external_order_id",
          code: "ORDER_EXISTS",
          message:
            "is the id of an order with other content. Send a new id for a new order, or the first content again to repeat it"
        },
        ...differences
      ]
    })
  )
}

/** `Orders`, the service that places, reads and erases orders, made from its ports, `Inventory` and `CompanyWrite`. */
export const make = Effect.gen(function* () {
  const store = yield* OrderStore
  const shipmentStore = yield* ShipmentStore
  const inventory = yield* Inventory.Inventory
  const { marketplaceOf, originsOf, soldLines, stockLines } = yield* OrderLookups.make
  const { run } = yield* CompanyWrite.CompanyWrite
  const ids = yield* Ids.Ids
  const erase = yield* OrderErasure.make

  /** An order with new ids: each attempt gets its own, in case another host drew the same ones. */
  const newOrder = (marketplace: string, total: Order["total"], draft: OrderDraft) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const id = yield* ids.hex
      const lineCount = draft.shipments.reduce((sum, { lines }) => sum + lines.length, 0)
      const fresh = yield* ids.decimals(draft.shipments.length + lineCount)
      const shipmentIds = fresh.slice(0, draft.shipments.length)
      const order: Order = {
        id,
        marketplace,
        total,
        orderDate: draft.orderDate ?? now,
        createdAt: now,
        draft,
        shipments: draft.shipments.map(({ externalShipmentId }, at) => ({
          externalShipmentId,
          shipmentId: required(shipmentIds[at], "the id of a new shipment")
        }))
      }
      return { order, shipmentIds, itemIds: fresh.slice(draft.shipments.length) }
    })

  const place = Effect.fnUntraced(function* (caller: Caller<MarketplaceCaller>, sent: OrderDraft) {
    const draft = { ...sent, gstin: Gstin.normalized(sent.gstin) }
    const slug = caller.principal.id
    const marketplace = yield* marketplaceOf(slug)
    const priced = yield* Effect.fromResult(OrderPricing.price(draft))
    const origins = yield* originsOf(marketplace, draft)

    // Stock is judged here, where only its levels are locked, so a rejected order never locks a company, and writes nothing.
    const load = Effect.gen(function* () {
      const { itemIds, order, shipmentIds } = yield* newOrder(slug, priced.total, draft)
      const [before, lines, sold] = yield* Pipeline.together(
        store.byExternalId(slug, draft.externalOrderId),
        stockLines(marketplace, draft, origins, shipmentIds),
        soldLines(draft, origins)
      )
      if (before !== undefined) return { order: yield* sameOrder(before, draft), shipments: [], reserved: [] }
      // Checked of new orders only: an earlier release may have accepted the order that a retry repeats.
      yield* Effect.fromResult(
        OrderConsistency.check(
          draft,
          origins.map((origin) => origin?.currency)
        )
      )
      const reserved = yield* Effect.fromResult(OrderReservation.reserve(lines))
      const keys = lines.map(({ level }, at) => ({
        id: required(itemIds[at], "the id of a new item"),
        sizeId: typeof level === "string" ? 0 : level.sizeId
      }))
      return { order, shipments: shipmentsOf(order, origins, priced.lines, keys.values(), sold), reserved }
    })

    return yield* run(caller, {
      load,
      decide: ({ order, reserved, shipments }) =>
        Effect.succeed({
          answer: { id: order.id, shipments: order.shipments },
          changes: OrderLookups.companiesOf(origins)
            .map((companyId) => [companyId, shipments.filter((one) => one.companyId === companyId)] as const)
            .filter(([, own]) => own.length > 0)
            .map(([companyId, own], nth) => ({
              companyId,
              entity: { type: "order", id: order.id, action: "create" },
              // The order belongs to no company: it goes in with the first one's shipments.
              saveNew:
                nth > 0 ? shipmentStore.insert(own) : Effect.andThen(store.insert(order), shipmentStore.insert(own)),
              save: (mark: CompanyWrite.Mark) =>
                Effect.gen(function* () {
                  const ownReserved = reserved.filter(({ after }) => after.companyId === companyId)
                  yield* inventory.save(mark, companyId, ownReserved)
                  const events = [OrderFeed.placedOf(order, own), ...StockFeed.eventsOf(ownReserved)]
                  return { logs: recordOf(order, own), events }
                })
            }))
        })
    })
  })

  const read = Effect.fn("Orders.read")(function* (caller: Caller<MarketplaceCaller>, id: string) {
    const order = yield* store.byId(caller.principal.id, id)
    if (order === undefined) return yield* new OrderNotFound({ id })
    const marketplace = yield* marketplaceOf(caller.principal.id)
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
