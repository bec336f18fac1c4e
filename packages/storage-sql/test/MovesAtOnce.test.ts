/**
 * Moves on PostgreSQL that depend on what other shipments of their company have.
 */

import { AuditStore } from "@crossdock/audit"
import * as Goods from "@crossdock/histories/Goods"
import * as World from "@crossdock/histories/World"
import { Inventory } from "@crossdock/inventory"
import { Transaction } from "@crossdock/kernel"
import { Orders } from "@crossdock/orders"
import { orderDraft, orderLine, orderShipment } from "@crossdock/orders/testing"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import { Couriers, noMeta, type Shipment, type ShipmentCommand, ShipmentStore, Shipments } from "@crossdock/shipments"
import { StorageSql } from "@crossdock/storage-sql"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Deferred, Effect, Fiber, Layer, Result } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { inject } from "vitest"

const [company] = World.companies

const client = Layer.unwrap(
  Effect.map(PostgresDatabase.make(inject("postgres")), (url) => Layer.orDie(Postgres.layer(url)))
)

const host = Layer.merge(World.services(Layer.provide(StorageSql.layer, client)), client)

/** A host whose courier port gives every shipment the same AWB. */
const sameAwb = Layer.merge(
  World.services(
    Layer.provide(StorageSql.layer, client),
    Layer.succeed(Couriers.Couriers, {
      assign: () => Effect.succeed({ name: "Swift", code: "SW", awbNumbers: ["SAME"] }),
      trackingUrl: () => null
    })
  ),
  client
)

const placed = (id: string, sku = "", selfShip = true) =>
  Effect.gen(function* () {
    const { place } = yield* Orders.Orders
    const line = orderLine({ externalLineId: "1", sku })
    const shipment = orderShipment({
      externalShipmentId: "S1",
      location: `bazaar-${company}-L1`,
      selfShip,
      lines: [line]
    })
    const order = yield* place(World.marketplace("bazaar"), orderDraft({ externalOrderId: id, shipments: [shipment] }))
    const [found] = yield* (yield* ShipmentStore).ofOrder(order.id)
    return found ?? (yield* Effect.die(new Error("An order without a shipment")))
  })

const moved = (
  family: "confirm" | "invoiceUpdate" | "awb",
  { id }: Shipment,
  command: ShipmentCommand,
  named: { readonly invoiceNumber?: string; readonly awbs?: ReadonlyArray<string> } = {}
) =>
  Effect.gen(function* () {
    const { moveAsSeller } = yield* Shipments.Shipments
    const record = { shipmentId: id, path: "/0", command: () => command, ...named }
    return yield* moveAsSeller(World.seller(company), family, [Result.succeed(record)])
  })

const itemsOf = ({ items }: Shipment) => items.map((item) => ({ itemId: item.id, quantity: item.ordered }))

const confirmed = (id: string, sku?: string) =>
  Effect.tap(placed(id, sku), (shipment) => moved("confirm", shipment, { _tag: "Confirm", items: itemsOf(shipment) }))

const invoiced = (shipment: Shipment, number: string) =>
  moved(
    "invoiceUpdate",
    shipment,
    {
      _tag: "InvoiceSale",
      invoice: { number, irn: null, qrCode: null, signedInvoice: null, ackNumber: null, ackDate: null },
      items: [],
      packages: null
    },
    { invoiceNumber: number }
  )

const handedOver = (shipment: Shipment, awbNumber: string) =>
  moved(
    "awb",
    shipment,
    { _tag: "AssignAwb", by: "seller", awbNumber, courierName: "Garuda", autoDispatch: false },
    { awbs: [awbNumber] }
  )

/** Runs both while the company is locked, until both wait for it, and returns their statuses in alphabetical order. */
const together = <A extends { readonly status: string }, E, R>(
  one: Effect.Effect<A, E, R>,
  other: Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { run } = yield* Transaction.Transaction
    const [locked, end] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const lock = Effect.flatMap(AuditStore, (log) => log.lock([company]))
    const holder = yield* Effect.forkChild(
      run(Effect.andThen(lock, Effect.andThen(Deferred.succeed(locked, undefined), Deferred.await(end))))
    )
    yield* Deferred.await(locked)
    const both = yield* Effect.forkChild(Effect.all([one, other], { concurrency: "unbounded" }))
    const waiting = sql`SELECT 1 AS one FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
    while ((yield* waiting).length < 2) yield* Effect.yieldNow
    yield* Deferred.succeed(end, undefined)
    yield* Fiber.join(holder)
    return (yield* Fiber.join(both)).map(({ status }) => status).sort()
  })

describe("Two moves at once, of which neither has been written when the other is decided", () => {
  it.live("use an invoice number once, and an AWB of a courier once", () =>
    Effect.gen(function* () {
      yield* World.settle(World.make(() => 0))
      const { setStock } = yield* Inventory.Inventory
      const stock = Goods.skus.map((sku) => Result.succeed({ location: "L1", sku, quantity: 50, expected: null }))
      yield* setStock(World.seller(company), stock)
      // Of different SKUs, or the second one would wait for the stock of the first.
      const [sku, otherSku] = Goods.skus
      const [one, other] = [yield* confirmed("O1", sku), yield* confirmed("O2", otherSku)]
      deepStrictEqual(yield* together(invoiced(one, "INV-1"), invoiced(other, "INV-1")), ["FAILED", "SUCCESS"])
      const [third, fourth] = [yield* confirmed("O3", sku), yield* confirmed("O4", otherSku)]
      yield* invoiced(third, "INV-3")
      yield* invoiced(fourth, "INV-4")
      deepStrictEqual(yield* together(handedOver(third, "AWB-1"), handedOver(fourth, "AWB-1")), ["FAILED", "SUCCESS"])
    }).pipe(Effect.provide(host))
  )

  it.live("get an AWB of the courier port once", () =>
    Effect.gen(function* () {
      yield* World.settle(World.make(() => 0))
      const { setStock } = yield* Inventory.Inventory
      const stock = Goods.skus.map((sku) => Result.succeed({ location: "L1", sku, quantity: 50, expected: null }))
      yield* setStock(World.seller(company), stock)
      const store = yield* ShipmentStore
      const delivered = (id: string, sku?: string) =>
        Effect.gen(function* () {
          const before = yield* placed(id, sku, false)
          const after: Shipment = { ...before, status: "delivery_done", version: before.version + 1 }
          yield* store.update(company, [{ before, after }])
          return after
        })
      const giveBack = ({ id }: Shipment) =>
        Effect.flatMap(Shipments.Shipments, ({ moveAsMarketplace }) =>
          moveAsMarketplace(World.marketplace("bazaar"), "status", [
            Result.succeed({
              shipmentId: id,
              path: "/0",
              command: (newShipmentId) => ({
                _tag: "InitiateReturn",
                by: "marketplace",
                items: null,
                returnId: "R",
                newShipmentId,
                meta: noMeta
              })
            })
          ])
        )
      const [sku, otherSku] = Goods.skus
      const [one, other] = [yield* delivered("O1", sku), yield* delivered("O2", otherSku)]
      deepStrictEqual(yield* together(giveBack(one), giveBack(other)), ["SUCCESS", "SUCCESS"])
      const returns = yield* store.returnsOf(company, [one.id, other.id])
      deepStrictEqual(returns.map(({ status }) => status).sort(), ["return_dp_assigned", "return_initiated"])
    }).pipe(Effect.provide(sameAwb))
  )
})
