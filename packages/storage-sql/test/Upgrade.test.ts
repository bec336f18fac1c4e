import { type Agreement, BillingStore } from "@crossdock/billing"
import { pendingSubscription } from "@crossdock/billing/testing"
import { ProductStore } from "@crossdock/catalog"
import * as Laws from "@crossdock/histories/Laws"
import * as World from "@crossdock/histories/World"
import { StockLevels } from "@crossdock/inventory"
import { OrderStore, shipmentOrderOf } from "@crossdock/orders"
import { mayMoveStock, type Shipment, ShipmentStore, Shipments } from "@crossdock/shipments"
import * as Fresh from "@crossdock/storage-laws/Fresh"
import { Migrations, StorageSql } from "@crossdock/storage-sql"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer, Result } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { postgres, sqliteFile } from "./Databases.ts"
import * as Reads from "./fixtures/Reads.ts"
import { fill, fixtures, migrateTo } from "./OldDatabases.ts"

const placedOf = Effect.gen(function* () {
  const { items } = yield* Effect.flatMap(ShipmentStore, (store) =>
    store.page(Reads.company, { locations: null, orderStatus: "CREATED" }, { number: 1, size: 1 })
  )
  return yield* Effect.orDie(Effect.fromNullishOr(items[0]?.shipment))
})

/** What the database has of its own rows beside their bodies: in tables and columns that a migration filled. */
const derivedRows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const skus = yield* sql`SELECT company_id, sku, shipment_id FROM crossdock_shipment_skus`
  const writes = yield* sql`SELECT trace_id, finished_at FROM crossdock_catalog_writes`
  const moves = yield* sql`SELECT company_id, number, at FROM crossdock_movements`
  const [zero] = yield* sql`SELECT COUNT(*) AS count FROM crossdock_shipment_counts WHERE total = 0`
  return sorted([...[...skus, ...writes, ...moves].map((row) => Object.values(row)), ["zeros", zero?.count]])
})

/** The same from the bodies. */
const derivedAgain = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const bodies = <A>(table: string) =>
    Effect.map(sql<{ body: string }>`SELECT body FROM ${sql.literal(table)}`, (found) =>
      found.map(({ body }): A => JSON.parse(body))
    )
  const skus = (yield* bodies<Shipment>("crossdock_shipments"))
    .filter(mayMoveStock)
    .flatMap(({ companyId, id, items }) => [...new Set(items.map(({ sku }) => sku))].map((sku) => [companyId, sku, id]))
  const writes = (yield* bodies<{ readonly traceId: string; readonly modifiedAt: number }>(
    "crossdock_catalog_writes"
  )).map(({ modifiedAt, traceId }) => [traceId, modifiedAt])
  const changes = yield* sql<{ company_id: number; number: number; at: number }>`
    SELECT m.company_id, m.number, a.at FROM crossdock_movements m
    JOIN crossdock_audit_records a ON a.company_id = m.company_id AND a.sequence = m.number`
  const moves = changes.map((change) => [change.company_id, change.number, change.at])
  assertTrue(skus.length > 0 && moves.length > 0)
  return sorted([...skus, ...writes, ...moves, ["zeros", 0]])
})

const sorted = (rows: ReadonlyArray<ReadonlyArray<unknown>>) => rows.map((row) => JSON.stringify(row)).toSorted()

/**
 * What is read in another form than it was recorded: an invoice's seller was its name alone, and an agreement repeated what its
 * last period cost; a channel set nothing aside. How an order is paid and whether it is tax exempt are made again from the order, so they are left out.
 */
const asReadNow = (recorded: unknown): unknown =>
  JSON.parse(JSON.stringify(recorded), (key, value) => {
    if (key === "lastBilled" || key === "aside" || (key === "size" && value === null)) return undefined
    return key === "seller" && typeof value === "string"
      ? { name: value, addressLines: [], taxNumber: null, bank: null }
      : key === "taxExempt" || (key === "methods" && !Array.isArray(value))
        ? undefined
        : value
  })

for (const fixture of fixtures) {
  describe(`a database that was filled at migration ${fixture.version}`, () => {
    for (const [name, database] of [
      ["SQLite", sqliteFile],
      ["PostgreSQL", postgres({ isEmpty: true })]
    ] as const) {
      it.live(`on ${name} is upgraded, reads as it was recorded, keeps its trail and stock, and goes on`, () =>
        Effect.gen(function* () {
          yield* fill(fixture)
          const client = Layer.succeed(SqlClient.SqlClient, yield* SqlClient.SqlClient)
          yield* Effect.gen(function* () {
            const [levels, products, shipments] = [yield* StockLevels, yield* ProductStore, yield* Shipments.Shipments]
            deepStrictEqual(asReadNow(yield* Reads.read), asReadNow(fixture.reads))
            const [orders, store] = [yield* OrderStore, yield* ShipmentStore]
            for (const order of yield* orders.page(null, 100)) {
              for (const { companyId, id } of yield* store.ofOrder(order.id)) {
                const shown = (yield* store.withOrders(companyId, [id])).map((one) => one.order)
                deepStrictEqual(shown, [shipmentOrderOf(order)], "what a shipment shows of its order")
              }
            }
            const whole = Effect.gen(function* () {
              deepStrictEqual(yield* Laws.chain, [])
              for (const company of World.companies) deepStrictEqual(yield* levels.discrepancies(company), [])
            })
            yield* whole
            deepStrictEqual(yield* derivedRows, yield* derivedAgain)
            const { id, items } = yield* placedOf
            const confirmed = items.map((item) => ({ itemId: item.id, quantity: item.ordered }))
            const { status, succeeded } = yield* shipments.moveAsSeller(World.seller(Reads.company), "confirm", [
              Result.succeed({ shipmentId: id, path: "/0", command: () => ({ _tag: "Confirm", items: confirmed }) })
            ])
            deepStrictEqual([succeeded, status], [1, "SUCCESS"])
            const product = Fresh.product(Reads.company, "new", ["new"])
            yield* products.put(Reads.company, [product], fixture.now)
            const found = yield* products.find(Reads.company, { itemCodes: [], slugs: [], skus: ["new"] })
            deepStrictEqual(found, [product])
            yield* whole
          }).pipe(Effect.provide(World.services(Layer.provide(StorageSql.layer, client))))
        }).pipe(Effect.provide(Layer.fresh(database)))
      )
    }
  })
}

/** A running agreement as the release before slots stored it. */
const agreement = (id: string, activatedAt: number, more: Partial<Agreement.Agreement> = {}) => ({
  ...pendingSubscription({ kind: "plan", entityId: "basic", status: "active", confirmation: null }),
  id,
  companyId: Reads.company,
  activatedAt,
  ...more
})

describe("a database in which an earlier release activated several agreements at once", () => {
  for (const [name, database] of [
    ["SQLite", sqliteFile],
    ["PostgreSQL", postgres({ isEmpty: true })]
  ] as const) {
    it.live(`on ${name} keeps the last one of each slot and ends the others, which are read and stay ended`, () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* migrateTo({ version: "0005" })
        yield* sql`INSERT INTO crossdock_companies ${sql.insert({ id: Reads.company, name: "A", legal_name: "A" })}`
        const all = [
          agreement("first", 1_000),
          agreement("second", 2_000, { entityId: "growth", status: "frozen" }),
          agreement("third", 2_000, { status: "no_renew" }),
          agreement("ended", 3_000, { status: "cancelled", cancelledAt: 4_000 }),
          agreement("ext1", 500, { kind: "subscription", entityId: "ext1" }),
          agreement("ext2", 400, { kind: "subscription", entityId: "ext2" })
        ]
        for (const one of all) {
          const { companyId: company_id, createdAt: created_at, id, kind, status, version } = one
          const row = {
            company_id,
            id,
            kind,
            status,
            link: null,
            created_at,
            due_at: 9_000,
            version,
            body: JSON.stringify(one)
          }
          yield* sql`INSERT INTO crossdock_agreements ${sql.insert(row)}`
        }
        const client = Layer.succeed(SqlClient.SqlClient, sql)
        yield* Effect.gen(function* () {
          const store = yield* BillingStore
          const found = yield* Effect.forEach(all, ({ id }) => store.agreement(Reads.company, id))
          deepStrictEqual(
            found.map((one) => [one?.id, one?.status, one?.cancelledAt]),
            [
              ["first", "cancelled", 2_000],
              ["second", "frozen", null],
              ["third", "cancelled", 2_000],
              ["ended", "cancelled", 4_000],
              ["ext1", "active", null],
              ["ext2", "active", null]
            ]
          )
          deepStrictEqual(
            (yield* sql`SELECT id FROM crossdock_agreements WHERE due_at IS NOT NULL ORDER BY id`).map(({ id }) => id),
            ["ended", "ext1", "ext2", "second"]
          )
        }).pipe(Effect.provide(Layer.provide(StorageSql.layer, client)))
      }).pipe(Effect.provide(Layer.fresh(database)))
    )
  }
})

describe("databases of earlier releases", () => {
  it("are there to be upgraded", () => {
    assertTrue(fixtures.length > 0)
    strictEqual(fixtures.filter(({ tables }) => tables.length < 20).length, 0)
  })
})

describe("a database in which an earlier release has not finished a write of products", () => {
  for (const [name, database] of [
    ["SQLite", sqliteFile],
    ["PostgreSQL", postgres({ isEmpty: true })]
  ] as const) {
    it.live(`on ${name} is left as it is until that release has finished it`, () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* migrateTo({ version: "0013" })
        yield* sql`INSERT INTO crossdock_catalog_writes (company_id, trace_id, stage, body)
          VALUES (1, ${"t1"}, ${"RUNNING"}, ${"{}"})`
        const start = Effect.scoped(Layer.build(Migrations.layer))
        const { message } = yield* Effect.flip(start)
        strictEqual(
          message,
          "Writes of products are still being processed: start the earlier release until none is RUNNING, stop it, and start this one"
        )
        strictEqual((yield* Migrations.state).applied, 13)
        yield* sql`UPDATE crossdock_catalog_writes SET stage = ${"COMPLETED"}, finished_at = 1`
        yield* start
      }).pipe(Effect.provide(Layer.fresh(database)))
    )
  }
})
