/**
 * Use case: place an order. Source: docs/reference/orders.md#create.
 */
import { type Caller, Gstin, type MarketplaceCaller } from "@crossdock/access"
import { CompanyWrite } from "@crossdock/audit"
import { Inventory, StockFeed } from "@crossdock/inventory"
import { Ids, Money, Pipeline, required } from "@crossdock/kernel"
import { type Shipment, ShipmentStore } from "@crossdock/shipments"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Order } from "../Order.ts"
import * as OrderConsistency from "../OrderConsistency.ts"
import * as OrderDifference from "../OrderDifference.ts"
import type { OrderDraft } from "../OrderDraft.ts"
import * as OrderErasure from "../OrderErasure.ts"
import * as OrderFeed from "../OrderFeed.ts"
import * as OrderPricing from "../OrderPricing.ts"
import { OrderRejected } from "../OrderRejected.ts"
import * as OrderReservation from "../OrderReservation.ts"
import { OrderStore } from "../OrderStore.ts"
import type { KnownMarketplaces } from "./KnownMarketplaces.ts"
import * as OrderLines from "./OrderLines.ts"
import * as OrderOrigins from "./OrderOrigins.ts"
import { shipmentsOf } from "./OrderShipments.ts"

/**
 * A company's audit record: only its own shipments, and no address.
 */
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

/**
 * Returns the order that was placed before under the same external id, if it has the same content.
 */
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

/**
 * Makes the use case.
 */
export const make = (marketplaces: KnownMarketplaces) =>
  Effect.gen(function* () {
    const inventory = yield* Inventory.Inventory
    const shipmentStore = yield* ShipmentStore
    const store = yield* OrderStore
    const originsOf = yield* OrderOrigins.make
    const { soldLines, stockLines } = yield* OrderLines.make
    const { run } = yield* CompanyWrite.CompanyWrite
    const ids = yield* Ids.Ids

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

    return Effect.fnUntraced(function* (caller: Caller<MarketplaceCaller>, sent: OrderDraft) {
      const draft = { ...sent, gstin: Gstin.normalized(sent.gstin) }
      const slug = caller.principal.id
      const marketplace = yield* marketplaces.get(slug)
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
            changes: OrderOrigins.companiesOf(origins)
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
                    const reservedHere = reserved.filter(({ after }) => after.companyId === companyId)
                    yield* inventory.save(mark, companyId, reservedHere)
                    const events = [OrderFeed.placedOf(order, own), ...StockFeed.eventsOf(reservedHere)]
                    return { logs: recordOf(order, own), events }
                  })
              }))
          })
      })
    })
  })
