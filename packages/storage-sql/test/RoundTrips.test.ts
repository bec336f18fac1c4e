import { connect, createServer, type Socket } from "node:net"
import * as Goods from "@crossdock/histories/Goods"
import * as World from "@crossdock/histories/World"
import { Inventory } from "@crossdock/inventory"
import { Idempotency, Ids } from "@crossdock/kernel"
import { Orders } from "@crossdock/orders"
import { orderDraft, orderLine, orderShipment } from "@crossdock/orders/testing"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import { noMeta, reportOrReturn, ShipmentStore, Shipments } from "@crossdock/shipments"
import { StorageSql } from "@crossdock/storage-sql"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer, Redacted, Result } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { inject } from "vitest"
import * as StatementCount from "./StatementCount.ts"

/**
 * A way to a server that counts round trips: how often a client sends something after it has received something.
 */
const counting = (target: number) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly trips: () => number; readonly close: () => void }>((resume) => {
      const sockets = new Set<Socket>()
      let trips = 0
      const server = createServer((near) => {
        const far = connect(target, "127.0.0.1")
        let isAnswered = true
        near.on("data", () => {
          if (isAnswered) trips++
          isAnswered = false
        })
        far.on("data", () => {
          isAnswered = true
        })
        for (const [one, other] of [[near, far] as const, [far, near] as const]) {
          sockets.add(one)
          one.on("error", () => other.destroy())
          one.pipe(other)
        }
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const close = () => {
          for (const socket of sockets) socket.destroy()
          server.close()
        }
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed({ port, trips: () => trips, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

/** Announcements of events are statements of their own, which no write waits for, so that they would be counted at random. */
const unannounced = Layer.effectDiscard(Effect.map(SqlClient.SqlClient, (sql) => Reflect.deleteProperty(sql, "listen")))

const [company] = World.companies

const draft = (externalOrderId: string) =>
  orderDraft({
    externalOrderId,
    shipments: [
      orderShipment({
        externalShipmentId: "S1",
        location: `bazaar-${company}-L1`,
        selfShip: true,
        lines: Goods.skus.slice(0, 3).map((sku, at) => orderLine({ externalLineId: `${at}`, sku }))
      })
    ]
  })

const place = (id: string) =>
  Effect.flatMap(Orders.Orders, (orders) => orders.place(World.marketplace("bazaar"), draft(id)))

const setStock = (quantity: number) =>
  Effect.flatMap(Inventory.Inventory, (inventory) =>
    inventory.setStock(
      World.seller(company),
      Goods.skus.map((sku) => Result.succeed({ location: "L1", sku, quantity, expected: null }))
    )
  )

const confirmed = (id: string) =>
  Effect.gen(function* () {
    const order = yield* place(id)
    const [shipment] = yield* (yield* ShipmentStore).ofOrder(order.id)
    if (shipment === undefined) return yield* Effect.die(new Error("An order without a shipment"))
    const items = shipment.items.map((item) => ({ itemId: item.id, quantity: 1 }))
    const { moveAsSeller } = yield* Shipments.Shipments
    const record = { shipmentId: shipment.id, path: "/0", command: () => ({ _tag: "Confirm", items }) as const }
    return Effect.map(moveAsSeller(World.seller(company), "confirm", [Result.succeed(record)]), ({ status }) => {
      strictEqual(status, "SUCCESS")
    })
  })

/** A marketplace's report that an order's shipment is cancelled. */
const cancelled = (id: string) =>
  Effect.gen(function* () {
    const order = yield* place(id)
    const { moveAsMarketplace } = yield* Shipments.Shipments
    const shipmentId = order.shipments[0]?.shipmentId ?? ""
    const asked = {
      by: "marketplace",
      items: null,
      returnId: null,
      meta: noMeta,
      status: "cancelled_customer"
    } as const
    const command = (newShipmentId: string) => reportOrReturn({ ...asked, newShipmentId })
    const request = Result.succeed({ shipmentId, path: "/0", command })
    return Effect.map(moveAsMarketplace(World.marketplace("bazaar"), "status", [request]), ({ status }) => {
      strictEqual(status, "SUCCESS")
    })
  })

describe("Round trips to PostgreSQL", () => {
  it.live(
    "a bulk of stock, an order and a move take two, a status and an order with a key four, whatever their number of statements",
    () =>
      Effect.gen(function* () {
        const target = new URL(Redacted.value(yield* PostgresDatabase.make(inject("postgres"))))
        const proxy = yield* counting(Number(target.port))
        target.port = String(proxy.port)
        const client = Postgres.layer(Redacted.make(target.href))
        const storage = Layer.orDie(Layer.provideMerge(StorageSql.layer, Layer.provideMerge(unannounced, client)))
        const context = yield* Layer.build(Layer.merge(World.services(storage), StatementCount.layer))
        yield* Effect.gen(function* () {
          const { of } = yield* StatementCount.StatementCount
          const counted = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
            Effect.gen(function* () {
              const before = proxy.trips()
              const { statements } = yield* of(effect)
              return { trips: proxy.trips() - before, statements: statements.length }
            })
          yield* World.settle(World.make(() => 0))
          yield* setStock(50)
          // The first of each fills the host's caches.
          yield* yield* confirmed("O1")
          const move = yield* confirmed("O2")
          yield* yield* cancelled("O5")
          const status = yield* cancelled("O6")
          const { once } = yield* Effect.provide(Idempotency.make, Ids.layer)
          const key = { principal: "p", method: "POST", path: "/", key: "k" }
          const answer = { status: 200, contentType: "text/plain", body: "placed" }
          deepStrictEqual(
            {
              bulk: yield* counted(setStock(60)),
              order: yield* counted(place("O3")),
              move: yield* counted(move),
              // The companies of the shipments are read first, and their stock and returns when they are locked.
              status: yield* counted(status),
              // What is kept for the key is read and claimed first.
              keyed: yield* counted(once(key, "", Effect.as(place("O4"), answer), () => undefined))
            },
            {
              bulk: { trips: 2, statements: 4 },
              order: { trips: 2, statements: 8 },
              move: { trips: 2, statements: 4 },
              status: { trips: 4, statements: 8 },
              keyed: { trips: 4, statements: 11 }
            }
          )
        }).pipe(Effect.provideContext(context))
      })
  )
})
