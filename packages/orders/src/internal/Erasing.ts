/**
 * Use case: erase the personal data of an order. Source: docs/reference/orders.md#erasure.
 */
import type { Caller } from "@crossdock/access"
import { CompanyWrite, EventType } from "@crossdock/audit"
import { StaleWrite } from "@crossdock/kernel"
import { erasedShipment, isErased, mayMoveStock, type Shipment, ShipmentStore } from "@crossdock/shipments"
import * as Effect from "effect/Effect"
import * as OrderErasure from "../OrderErasure.ts"
import * as OrderFeed from "../OrderFeed.ts"
import { OrderInProgress, OrderNotFound } from "../OrderRejected.ts"
import { OrderStore } from "../OrderStore.ts"

const idsOf = (shipments: ReadonlyArray<Shipment>) => shipments.map(({ id }) => id)

/**
 * Makes the use case.
 */
export const make = Effect.gen(function* () {
  const store = yield* OrderStore
  const shipmentStore = yield* ShipmentStore
  const { run } = yield* CompanyWrite.CompanyWrite

  /** The order and its shipments, which must all be closed. */
  const closed = (marketplace: string, id: string) =>
    Effect.gen(function* () {
      const order = yield* store.byId(marketplace, id)
      if (order === undefined) return yield* new OrderNotFound({ id })
      const shipments = yield* shipmentStore.ofOrder(id)
      const open = shipments.filter(({ status }) => mayMoveStock(status))
      if (open.length > 0) return yield* new OrderInProgress({ id, shipmentIds: open.map((one) => one.id) })
      return { order, own: [...Map.groupBy(shipments, ({ companyId }) => companyId)].sort(([a], [b]) => a - b) }
    })

  return Effect.fn("Orders.erase")(function* (caller: Caller, marketplace: string, id: string) {
    const erased = yield* run(caller, {
      load: Effect.gen(function* () {
        const { own } = yield* closed(marketplace, id)
        for (const [companyId, shipments] of own) yield* shipmentStore.load(companyId, idsOf(shipments))
        return own
      }),
      // They are read again now that they are locked: nobody erases the order meanwhile, or opens a return of one of them. A return
      // that was opened and closed before isn't locked: start again.
      decide: (loaded, at) =>
        Effect.gen(function* () {
          const { order, own: all } = yield* closed(marketplace, id)
          // What was written after an earlier erasure is erased now.
          const isAgain = order.erasedAt !== undefined
          const own = isAgain ? all.filter(([, shipments]) => !shipments.every(isErased)) : all
          if (isAgain && own.length === 0) return CompanyWrite.nothing(false)
          const locked = new Set(loaded.flatMap(([, shipments]) => idsOf(shipments)))
          if (own.some(([, shipments]) => idsOf(shipments).some((one) => !locked.has(one)))) {
            return yield* new StaleWrite({ operation: "Orders.erase" })
          }
          if (!isAgain) yield* store.replace(OrderErasure.erased(order, at))
          const changes = own.map(([companyId, shipments]) => ({
            companyId,
            entity: { type: "order", id, action: "erase" },
            save: () =>
              Effect.as(
                shipmentStore.update(
                  companyId,
                  shipments.map((before) => ({ before, after: erasedShipment(before, at) }))
                ),
                {
                  logs: { request: {}, response: { shipments: idsOf(shipments) } },
                  events: [
                    EventType.draft(OrderFeed.erased, { orderId: id, marketplace, shipmentIds: idsOf(shipments) })
                  ]
                }
              )
          }))
          return { answer: true, changes }
        })
    })
    // Also when it was erased before: an earlier purge may have failed.
    yield* store.purge
    return erased
  })
})
