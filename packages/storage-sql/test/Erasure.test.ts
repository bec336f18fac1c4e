import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Directory } from "@crossdock/access"
import { AuditStore, AuditTrail, CompanyWrite, UserAgents } from "@crossdock/audit"
import { Billing, BillingLedger } from "@crossdock/billing"
import { DigestNode, NonceNode } from "@crossdock/crypto"
import { Inventory } from "@crossdock/inventory"
import { Ids } from "@crossdock/kernel"
import { OrderStore, Orders } from "@crossdock/orders"
import { orderDraft } from "@crossdock/orders/testing"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import { ShipmentStore } from "@crossdock/shipments"
import { placedShipment } from "@crossdock/shipments/testing"
import * as Fresh from "@crossdock/storage-laws/Fresh"
import { StorageSql, UnitTimeout } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Deferred, Duration, Effect, Fiber, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { inject } from "vitest"
import { postgres, temporaryFolder } from "./Databases.ts"

const services = (file: string) =>
  Layer.merge(AuditTrail.layer, Layer.provide(Billing.layer, BillingLedger.layer)).pipe(
    Layer.provideMerge(CompanyWrite.layer),
    Layer.provideMerge(StorageSql.layer),
    Layer.provide(BetterSqlite3.layer(file)),
    Layer.provide([
      DigestNode.layer,
      NonceNode.layer,
      Ids.layer,
      Layer.succeed(UserAgents, UserAgents.of({ describe: () => ({}) }))
    ])
  )

const caller = { principal: { kind: "system", id: "test" }, requestId: null } as const
const bytes = (file: string) =>
  ["", "-wal", "-shm"].map((end) => readFileSync(`${file}${end}`).toString("latin1")).join("")

describe("Erasure on SQLite", () => {
  it.live("leaves no byte of the person in any file of the database, while the host runs on", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "erasure.db")
      yield* Effect.gen(function* () {
        const [directory, trail] = [yield* Directory, yield* AuditTrail.AuditTrail]
        const company = yield* Fresh.companyId
        yield* directory.putCompanies([Fresh.company(company)])
        const client = {
          principal: { kind: "platform_client", id: "test", companyId: company, scopes: [] },
          requestId: null
        } as const
        for (let n = 0; n < 60; n++) {
          const who = n % 3 === 0 ? "zarathustra" : "somebody"
          yield* trail.record(client, {
            entity: { type: "order", id: `o-${n}`, action: "update" },
            application: null,
            modifier: { user_id: who, user_details: { email: `${who}@example.com`, full_name: who.toUpperCase() } },
            deviceInfo: null,
            location: null,
            sessions: null,
            // Some so long that SQLite keeps them on pages of their own.
            payload: { customer: { name: who, note: `${who} `.repeat(n % 2 === 0 ? 3 : 900) }, n }
          })
        }
        assertTrue(bytes(file).toLowerCase().includes("zarathustra"))
        strictEqual(yield* trail.erase(caller, company, "Zarathustra"), 20)
        const left = bytes(file).toLowerCase()
        strictEqual(left.includes("zarathustra"), false)
        assertTrue(left.includes("somebody"))
        strictEqual((yield* trail.verify(company)).broken, undefined)
      }).pipe(Effect.provide(services(file)))
    })
  )

  it.live("leaves no byte of a billing customer either", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "erasure.db")
      yield* Effect.gen(function* () {
        const [directory, billing] = [yield* Directory, yield* Billing.Billing]
        const [company, other] = [yield* Fresh.companyId, yield* Fresh.companyId]
        yield* directory.putCompanies([company, other].map((id) => Fresh.company(id)))
        yield* billing.putCustomer(caller, other, { uniqueId: null, detail: { name: "somebody" } })
        for (let n = 0; n < 20; n++) {
          yield* billing.putCustomer(caller, company, {
            uniqueId: null,
            detail: { name: "zarathustra ".repeat(n % 2 === 0 ? 3 : 900) }
          })
        }
        assertTrue(bytes(file).includes("zarathustra"))
        strictEqual(yield* billing.eraseCustomer(caller, company), true)
        const left = bytes(file)
        strictEqual(left.includes("zarathustra"), false)
        assertTrue(left.includes("somebody"))
      }).pipe(Effect.provide(services(file)))
    })
  )
})

const orderServices = Orders.layer.pipe(
  Layer.provideMerge(Inventory.layer),
  Layer.provideMerge(AuditTrail.layer),
  Layer.provideMerge(CompanyWrite.layer),
  Layer.provideMerge(StorageSql.layer),
  Layer.provide([
    DigestNode.layer,
    NonceNode.layer,
    Ids.layer,
    Layer.succeed(UserAgents, UserAgents.of({ describe: () => ({}) }))
  ])
)

const person = {
  name: "Zarathustra Rao",
  phone: "+919811111111",
  email: "zarathustra@example.com",
  address1: "7 Zarathustra Road",
  address2: null,
  landmark: null,
  city: "Zarathustrapur",
  state: "Karnataka",
  pincode: "560099",
  country: "India"
}

/** Some orders of two people, all closed, one of each with a remark; the ids of the person's. */
const ordersOfTwo = Effect.gen(function* () {
  const [orders, store] = [yield* OrderStore, yield* ShipmentStore]
  const company = yield* Fresh.companyId
  yield* Effect.flatMap(Directory, (directory) => directory.putCompanies([Fresh.company(company)]))
  for (let n = 0; n < 12; n++) {
    const name = n % 2 === 0 ? person.name : "Somebody Else"
    const address = n % 2 === 0 ? person : { ...person, name, email: null, address1: "1 Road", city: "Bengaluru" }
    const draft = orderDraft({
      externalOrderId: `X${n}`,
      customer: { name, phone: person.phone, email: null },
      shippingAddress: address,
      billingAddress: address,
      meta: { gift: `for ${name}` }
    })
    const id = `order-${n}`
    yield* orders.insert({ id, marketplace: "m", total: 10_000, orderDate: 1, createdAt: 1, draft, shipments: [] })
    const shipmentId = String(n + 1).padStart(20, "0")
    const placed = { ...placedShipment(), id: shipmentId, forwardId: shipmentId, companyId: company, orderId: id }
    const closed = { ...placed, status: "delivery_done" as const, additionalInfo: `ring at ${name}'s` }
    yield* store.insert([{ ...closed, events: closed.events.map((event) => ({ ...event, remark: name })) }])
  }
  return company
})

const erasedOrders = (bytesOf: Effect.Effect<string, unknown, SqlClient.SqlClient>) =>
  Effect.gen(function* () {
    const { byId } = yield* OrderStore
    const { erase } = yield* Orders.Orders
    const [trail, store] = [yield* AuditTrail.AuditTrail, yield* ShipmentStore]
    const company = yield* ordersOfTwo
    assertTrue((yield* bytesOf).includes("Zarathustra"))
    for (let n = 0; n < 12; n += 2) strictEqual(yield* erase(caller, "m", `order-${n}`), true)
    strictEqual(yield* erase(caller, "m", "order-0"), false)
    const left = yield* bytesOf
    strictEqual(/zarathustra/i.test(left), false)
    assertTrue(left.includes("Somebody Else"))
    strictEqual((yield* trail.verify(company)).broken, undefined)
    const [first] = yield* store.ofOrder("order-0")
    strictEqual(first?.additionalInfo, null)
    deepStrictEqual(first?.items, placedShipment().items)
    strictEqual((yield* byId("m", "order-0"))?.total, 10_000)
  })

/** What is in the files of PostgreSQL's tables. */
const tableFiles = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CHECKPOINT`
  const [found] = yield* sql<{ folder: string; oid: string }>`
    SELECT current_setting('data_directory') AS folder, oid::text AS oid FROM pg_database
    WHERE datname = current_database()`
  const folder = join(found?.folder ?? "", "base", found?.oid ?? "")
  // The server replaces its other files while it runs.
  return readdirSync(folder)
    .filter((name) => /^\d/.test(name))
    .map((name) => readFileSync(join(folder, name)).toString("latin1"))
    .join("")
})

describe("Erasure of orders", () => {
  it.live("leaves no byte of the person in any file of SQLite, and all sums", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "erasure.db")
      const services = Layer.provideMerge(orderServices, BetterSqlite3.layer(file))
      yield* erasedOrders(Effect.sync(() => bytes(file))).pipe(Effect.provide(services))
    })
  )

  it.live("takes as long as it does to rewrite the files, on either database", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "erasure.db")
      for (const database of [BetterSqlite3.layer(file), postgres()]) {
        yield* Effect.gen(function* () {
          yield* (yield* OrderStore).purge
          yield* (yield* AuditStore).purge
        }).pipe(
          Effect.provideService(UnitTimeout, Duration.millis(0)),
          Effect.provide(Layer.provideMerge(StorageSql.layer, database))
        )
      }
    })
  )

  it.live("leaves no byte of the person in any table of PostgreSQL's files, and all sums", () =>
    erasedOrders(tableFiles).pipe(Effect.provide(Layer.provideMerge(orderServices, postgres())))
  )

  /** A transaction that makes PostgreSQL keep what is erased, until `ends`. */
  const keeping = (sees: Deferred.Deferred<void>, ends: Deferred.Deferred<void>) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) =>
      Effect.provideService(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`CREATE TEMPORARY TABLE test_keeping (n BIGINT)`
            yield* Deferred.succeed(sees, undefined)
            yield* Deferred.await(ends)
          })
        ),
        SqlClient.BeginTransaction,
        "BEGIN ISOLATION LEVEL REPEATABLE READ"
      )
    )

  const another = Layer.unwrap(
    Effect.map(PostgresDatabase.make(inject("postgres")), (url) => Layer.orDie(Postgres.layer(url)))
  )

  it.live.each([
    ["this", keeping],
    ["another", (...when: Parameters<typeof keeping>) => Effect.provide(keeping(...when), Layer.fresh(another))]
  ] as const)("on PostgreSQL waits for an older transaction, of %s database", ([_, older]) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { erase } = yield* Orders.Orders
      yield* ordersOfTwo
      const [sees, ends] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const keeps = yield* Effect.forkChild(older(sees, ends))
      yield* Deferred.await(sees)
      const erasing = yield* Effect.forkChild(
        Effect.forEach([0, 2, 4, 6, 8, 10], (n) => erase(caller, "m", `order-${n}`))
      )
      const waits = sql`SELECT 1 AS one FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event = 'PgSleep'`
      yield* Effect.repeat(waits, { until: (found) => found.length > 0 || erasing.pollUnsafe() !== undefined })
      yield* Deferred.succeed(ends, undefined)
      yield* Fiber.join(keeps)
      yield* Fiber.join(erasing)
      strictEqual(/zarathustra/i.test(yield* tableFiles), false)
    }).pipe(Effect.provide(Layer.provideMerge(orderServices, postgres())))
  )
})
