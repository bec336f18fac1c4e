/**
 * Orders at once over three hosts on PostgreSQL whose stock is in a program's own table.
 */
import * as Goods from "@crossdock/histories/Goods"
import * as World from "@crossdock/histories/World"
import { Inventory } from "@crossdock/inventory"
import { Orders } from "@crossdock/orders"
import { orderDraft, orderLine, orderShipment } from "@crossdock/orders/testing"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import { ShipmentStore } from "@crossdock/shipments"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer, Result } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { inject } from "vitest"
import * as ApplicationStock from "./ApplicationStock.ts"

const [company] = World.companies
/** They have no stock at L2 in the world that is settled. */
const [scarce = "", plenty = ""] = Goods.skusOf("P2")

/** Three hosts on one database, each with connections and services of its own. */
const threeHosts = Effect.flatMap(PostgresDatabase.make(inject("postgres")), (url) => {
  const client = Layer.orDie(Postgres.layer(url))
  const host = Layer.provideMerge(World.services(Layer.provide(ApplicationStock.storage, client)), client)
  return Effect.forEach([1, 2, 3], () => Layer.build(Layer.fresh(host)))
})

/** An order of one unit of each SKU at L2, or why it is rejected. */
const ordered = (id: string, skus: ReadonlyArray<string>) =>
  Effect.flatMap(Orders.Orders, ({ place }) =>
    place(
      World.marketplace("bazaar"),
      orderDraft({
        externalOrderId: id,
        shipments: [
          orderShipment({
            externalShipmentId: "S1",
            location: `bazaar-${company}-L2`,
            selfShip: true,
            lines: skus.map((sku, at) => orderLine({ externalLineId: `${at}`, sku }))
          })
        ]
      })
    ).pipe(
      Effect.map(({ id }) => ({ id })),
      Effect.catch((error) => Effect.succeed({ rejected: error._tag }))
    )
  )

type Levels = ReadonlyArray<readonly [sku: string, quantity: number]>

/** Has units of some SKUs at L2: rows of our own writing, or of the program's before it had this host. */
const stocked: Record<
  string,
  (levels: Levels) => Effect.Effect<void, unknown, Inventory.Inventory | SqlClient.SqlClient>
> = {
  "that it was given": (levels) =>
    Effect.gen(function* () {
      const records = levels.map(([sku, quantity]) => ({ location: "L2", sku, quantity, expected: null }))
      const { setStock } = yield* Inventory.Inventory
      strictEqual((yield* setStock(World.seller(company), records.map(Result.succeed))).succeeded, levels.length)
    }),
  "that the program had in it before": (levels) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const [sku, quantity] of levels) {
        yield* sql`
          INSERT INTO shelf ("Seller", sku, place, "on hand", reserved, unsellable, "list price", esp, version, price_version,
            change, changed_at, modified_at)
          VALUES (${company}, ${sku}, 'L2', ${quantity}, 0, 0, null, null, 0, 0, 0, 0, 0)`
      }
    })
}

describe("A program's own table of stock on PostgreSQL", () => {
  for (const [what, stock] of Object.entries(stocked)) {
    it.live(`is not oversold of units ${what} by 120 orders at once over three hosts, and its movements add up`, () =>
      Effect.gen(function* () {
        const [units, many] = [40, 500]
        const hosts = yield* threeHosts
        const [first] = hosts
        if (first === undefined) return yield* Effect.die(new Error("No host"))
        const levels = [
          [scarce, units],
          [plenty, many]
        ] as const
        yield* Effect.provideContext(Effect.andThen(World.settle(World.make(() => 0)), stock(levels)), first)
        // Some have another SKU before or after the scarce one, of which a rejected order must keep nothing.
        const baskets = [[scarce], [scarce, plenty], [plenty, scarce]]
        const orders = baskets.flatMap((skus, at) =>
          Array.from({ length: 40 }, (_, nth) =>
            Effect.provideContext(ordered(`${at} ${nth}`, skus), hosts[nth % hosts.length] ?? first)
          )
        )
        const outcomes = yield* Effect.all(orders, { concurrency: "unbounded" })
        yield* Effect.gen(function* () {
          const placed = outcomes.flatMap((one) => ("id" in one ? [one.id] : []))
          const reasons = new Set(outcomes.flatMap((one) => ("rejected" in one ? [one.rejected] : [])))
          deepStrictEqual([placed.length, [...reasons]], [units, ["OrderRejected"]])
          const { ofOrder } = yield* ShipmentStore
          const items = (yield* Effect.forEach(placed, ofOrder)).flat().flatMap((shipment) => shipment.items)
          const sold = items.filter(({ sku }) => sku === plenty).length
          const sql = yield* SqlClient.SqlClient
          const rows = sql`
              SELECT sku, "on hand" AS units, reserved FROM shelf
              WHERE "Seller" = ${company} AND place = 'L2' AND sku IN (${scarce}, ${plenty}) ORDER BY sku DESC`
          deepStrictEqual(yield* rows, [
            { sku: scarce, units, reserved: units },
            { sku: plenty, units: many, reserved: sold }
          ])
          deepStrictEqual(yield* (yield* Inventory.Inventory).verify(company), [])
        }).pipe(Effect.provideContext(first))
      })
    )
  }
})
