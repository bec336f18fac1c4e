import { AuditStore } from "@crossdock/audit"
import { CatalogWrites, SkuStock } from "@crossdock/catalog"
import * as Goods from "@crossdock/histories/Goods"
import * as World from "@crossdock/histories/World"
import { Inventory } from "@crossdock/inventory"
import { type Bulk, type CompanyId, Idempotency, Ids, Transaction } from "@crossdock/kernel"
import { Orders } from "@crossdock/orders"
import { orderDraft, orderLine, orderShipment } from "@crossdock/orders/testing"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import { Pricing } from "@crossdock/pricing"
import {
  type MoveBatch,
  noMeta,
  type OperationFamily,
  reportOrReturn,
  type ShipmentCommand,
  ShipmentStore,
  Shipments
} from "@crossdock/shipments"
import { StorageSql, UnitTimeout } from "@crossdock/storage-sql"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Context, Deferred, Duration, Effect, Fiber, Layer, type Redacted, Ref, Result, Schedule } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { inject } from "vitest"
import * as ApplicationStock from "./ApplicationStock.ts"

type Storage = typeof StorageSql.layer

const storageOn = (storage: Storage, url: Redacted.Redacted) =>
  Layer.provideMerge(storage, Layer.orDie(Postgres.layer(url)))

const hostOn = (storage: Storage, url: Redacted.Redacted) =>
  Layer.build(Layer.fresh(Layer.provideMerge(Pricing.layer, World.services(storageOn(storage, url)))))

type Host = Effect.Success<ReturnType<typeof hostOn>>
type Services = Host extends Context.Context<infer R> ? R : never

const [one, other] = World.companies

const withClient = <A, E>(url: Redacted.Redacted, effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.scoped(Effect.provide(effect, Layer.fresh(Postgres.layer(url))))

/**
 * Runs `race` on three hosts of one database, and returns how many deadlocks the server has counted. A connection reports
 * them when it ends, at the latest.
 */
const deadlocksOf = <E>(
  race: (hosts: readonly [Host, Host, Host], url: Redacted.Redacted) => Effect.Effect<void, E>,
  storage: Storage = StorageSql.layer
) =>
  Effect.gen(function* () {
    const url = yield* PostgresDatabase.make(inject("postgres"))
    yield* Effect.scoped(
      Effect.gen(function* () {
        const host = hostOn(storage, url)
        const hosts = [yield* host, yield* host, yield* host] as const
        yield* Effect.provideContext(World.settle(World.make(() => 0)), hosts[0])
        yield* race(hosts, url)
      })
    )
    const [counted] = yield* withClient(
      url,
      Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql<{ deadlocks: number }>`SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`
      )
    )
    return Number(counted?.deadlocks)
  })

const draft = (externalOrderId: string, lines: ReadonlyArray<string>, companies: ReadonlyArray<CompanyId>) =>
  orderDraft({
    externalOrderId,
    shipments: companies.map((company) =>
      orderShipment({
        externalShipmentId: `S${company}`,
        location: `bazaar-${company}-L1`,
        selfShip: true,
        lines: lines.map((sku, at) => orderLine({ externalLineId: `${at}`, sku }))
      })
    )
  })

const bazaar = World.marketplace("bazaar")

const place = (
  externalOrderId: string,
  lines: ReadonlyArray<string> = ["P1-S", "P1-M"],
  companies: ReadonlyArray<CompanyId> = World.companies
) =>
  Effect.gen(function* () {
    const { id, shipments } = yield* (yield* Orders.Orders).place(bazaar, draft(externalOrderId, lines, companies))
    return { id, shipments: shipments.map(({ shipmentId }) => shipmentId) }
  })

const requests = (
  ids: ReadonlyArray<string>,
  command: (id: string, newId: string) => ShipmentCommand
): ReadonlyArray<Result.Result<MoveBatch.MoveRequest, Bulk.Rejection>> =>
  ids.map((id, at) =>
    Result.succeed({ shipmentId: id, path: `/${at}`, command: (newId: string) => command(id, newId) })
  )

const report = (status: string) => (_: string, newShipmentId: string) =>
  reportOrReturn({ by: "marketplace", items: null, returnId: null, newShipmentId, meta: noMeta, status })

const reported = (ids: ReadonlyArray<string>, command: (id: string, newId: string) => ShipmentCommand) =>
  Effect.flatMap(Shipments.Shipments, ({ moveAsMarketplace }) =>
    moveAsMarketplace(bazaar, "status", requests(ids, command))
  )

const moved = (company: CompanyId, family: OperationFamily, ids: ReadonlyArray<string>, command: ShipmentCommand) =>
  Effect.gen(function* () {
    const { moveAsSeller } = yield* Shipments.Shipments
    strictEqual(
      (yield* moveAsSeller(
        World.seller(company),
        family,
        requests(ids, () => command)
      )).status,
      "SUCCESS"
    )
  })

/** The shipments of a company that an order of this id has. */
const own = (company: CompanyId, orderId: string) =>
  Effect.map(
    Effect.flatMap(ShipmentStore, (store) => store.ofOrder(orderId)),
    (all) => all.filter(({ companyId }) => companyId === company)
  )

/** An order whose shipments are all delivered. */
const delivered = (externalOrderId: string) =>
  Effect.gen(function* () {
    const order = yield* place(externalOrderId)
    for (const company of World.companies) {
      for (const { id, items } of yield* own(company, order.id)) {
        const units = items.map((item) => ({ itemId: item.id, quantity: 1 }))
        const invoice = { number: id, irn: null, qrCode: null, signedInvoice: null, ackNumber: null, ackDate: null }
        const invoiced = units.map(({ itemId }) => ({ itemId, quantity: null, imei: [] }))
        yield* moved(company, "confirm", [id], { _tag: "Confirm", items: units })
        yield* moved(company, "invoiceUpdate", [id], { _tag: "InvoiceSale", invoice, items: invoiced, packages: null })
        yield* moved(company, "pack", [id], { _tag: "Pack" })
        yield* moved(company, "dispatch", [id], { _tag: "Dispatch", items: null })
      }
    }
    strictEqual((yield* reported(order.shipments, report("delivery_done"))).status, "SUCCESS")
    return order
  })

const setStock = (company: CompanyId, quantity: number, skus: ReadonlyArray<string> = Goods.skus, location = "L1") =>
  Effect.flatMap(Inventory.Inventory, (_) =>
    _.setStock(
      World.seller(company),
      skus.map((sku) => Result.succeed({ location, sku, quantity, expected: null }))
    )
  )

const setPrices = (skus: ReadonlyArray<string>, location = "L1") =>
  Effect.flatMap(Pricing.Pricing, (_) =>
    _.setPrices(
      World.seller(one),
      skus.map((sku) => Result.succeed({ sku, location, mrp: 900, esp: 500, currency: "INR" }))
    )
  )

/** Runs on a host, in no transaction of this fiber. What it returns waits for it. */
const outside = <A, E>(effect: Effect.Effect<A, E, Services>, host: Host) =>
  Effect.sync(() => {
    const running = Effect.runFork(Effect.provideContext(effect, host))
    return Fiber.join(running)
  })

/** Writes a product of the first company, and returns its failure if it has one. */
const product = (operation: "create" | "delete", body: unknown) =>
  Effect.gen(function* () {
    const { apply } = yield* CatalogWrites.CatalogWrites
    const { failures } = yield* apply(World.seller(one), { operation, template: "apparel", products: [body] })
    return failures.map(({ code }) => code)
  })

const all = { concurrency: "unbounded", discard: true } as const

const times = (count: number) => Array.from({ length: count }, (_, at) => at)

describe("Locks on PostgreSQL", () => {
  const noDeadlock = (storage: Storage) =>
    Effect.gen(function* () {
      const deadlocks = yield* deadlocksOf(
        (hosts) =>
          Effect.gen(function* () {
            const closed = [yield* delivered("A1"), yield* delivered("A2")]
            const forward = closed.flatMap(({ shipments }) => shipments)
            strictEqual((yield* reported(forward, report("return_initiated"))).status, "SUCCESS")
            const returns = (yield* Effect.forEach(closed, ({ id }) =>
              Effect.flatMap(ShipmentStore, (_) => _.ofOrder(id))
            ))
              .flat()
              .flatMap(({ id, journey }) => (journey === "return" ? [id] : []))
            strictEqual(returns.length, forward.length)
            const later = [yield* place("B1"), yield* place("B2")]
            const open = later.flatMap(({ shipments }) => shipments)
            const toErase = yield* delivered("E1")
            const unlock = (ids: ReadonlyArray<string>) =>
              Effect.flatMap(Shipments.Shipments, ({ setLocked }) =>
                Effect.forEach(World.companies, (company) => setLocked(World.host, company, ids, false))
              )
            const erase = Effect.flatMap(Orders.Orders, (_) => Effect.result(_.erase(World.host, "bazaar", toErase.id)))
            const writes = (n: number): ReadonlyArray<Effect.Effect<unknown, unknown, Services>> => [
              reported([...forward, ...open], report("delivery_done")),
              reported([...open, ...returns], report("return_dp_assigned")),
              reported([...forward, ...toErase.shipments], report("return_initiated")),
              reported([...returns.toReversed(), ...open.toReversed()], report("return_bag_in_transit")),
              reported([...forward, ...open], report("return_bag_in_transit")),
              Effect.flatMap(place(`N${n}`, n % 2 === 0 ? ["P1-S", "P2-M"] : ["P2-M", "P1-S"]), ({ shipments }) =>
                reported(shipments, report("cancelled_customer"))
              ),
              unlock([...open, ...forward].filter((_, at) => at % 2 === n % 2)),
              setStock(n % 2 === 0 ? one : other, 500 + n),
              setStock(one, 500 + n, Goods.skus.toReversed()),
              setPrices(n % 2 === 0 ? Goods.skus : Goods.skus.toReversed()),
              product("delete", { item_code: "P3", sizes: [{ primary_identifier: "P3-S" }] }),
              product("create", Goods.product("P3")),
              product("delete", { item_code: "P3" }),
              erase
            ]
            yield* Effect.forEach(
              times(12),
              (n) =>
                Effect.forEach(
                  writes(n),
                  (write, at) => Effect.provideContext(write, hosts[(n + at) % 3] ?? hosts[0]),
                  all
                ),
              { concurrency: 3, discard: true }
            )
            deepStrictEqual(
              yield* Effect.forEach(World.companies, (company) =>
                Effect.flatMap(Inventory.Inventory, ({ verify }) => verify(company))
              ),
              [[], []]
            )
          }).pipe(Effect.provideContext(hosts[0])),
        storage
      )
      strictEqual(deadlocks, 0)
    })

  it.live("no two writes of any kind deadlock, over three hosts and two companies", () => noDeadlock(StorageSql.layer))

  it.live("no two writes deadlock on a program's own table of stock either", () => noDeadlock(ApplicationStock.storage))

  /** The sessions that wait for a lock. A transaction sees the same activity until it clears its snapshot. */
  const waiting = (sql: SqlClient.SqlClient) =>
    Effect.andThen(
      sql`SELECT pg_stat_clear_snapshot()`,
      sql`SELECT 1 AS one FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    )

  const untilWaiting = (sql: SqlClient.SqlClient, count: number) =>
    Effect.repeat(waiting(sql), { until: ({ length }) => length === count, schedule: Schedule.spaced("5 millis") })

  it.live("an order that waits for its company has inserted its shipments, and locked none of their counts", () =>
    deadlocksOf(([host], url) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const written = sql<{ table: string }>`
          SELECT DISTINCT l.relation::regclass::text AS table FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
          WHERE a.wait_event_type = 'Lock' AND l.mode = 'RowExclusiveLock' AND l.relation::regclass::text IN (
            'crossdock_shipments', 'crossdock_shipment_skus', 'crossdock_shipment_counts', 'crossdock_movements')
          ORDER BY 1`
        const [placing, tables] = yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`SELECT 1 AS one FROM crossdock_companies WHERE id = ${one} FOR UPDATE`
            const placing = yield* outside(place("W1", ["P1-S"], [one]), host)
            yield* untilWaiting(sql, 1)
            return [placing, yield* written] as const
          })
        )
        deepStrictEqual(
          tables.map(({ table }) => table),
          ["crossdock_shipment_skus", "crossdock_shipments"]
        )
        const order = yield* placing
        const counted = sql<{ total: number }>`
          SELECT total FROM crossdock_shipment_counts WHERE company_id = ${one} AND order_status = 'CREATED'`
        deepStrictEqual([order.shipments.length, yield* counted], [1, [{ total: 1 }]])
      }).pipe(Effect.provide(Layer.fresh(Layer.orDie(Postgres.layer(url)))))
    )
  )

  it.live("a report of a forward shipment, which is for its return, and a move of that return don't deadlock", () =>
    Effect.gen(function* () {
      const deadlocks = yield* deadlocksOf(([first, second], url) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const [reporting, moving, id] = yield* Effect.gen(function* () {
            const order = yield* delivered("R1")
            const [forward] = yield* own(one, order.id)
            const ids = [forward?.id ?? ""]
            yield* reported(ids, report("return_initiated"))
            const opened = (yield* own(one, order.id)).flatMap(({ id, journey }) => (journey === "return" ? [id] : []))
            return yield* sql.withTransaction(
              Effect.gen(function* () {
                yield* sql`SELECT 1 AS one FROM crossdock_companies WHERE id = ${one} FOR UPDATE`
                const reporting = yield* outside(reported(ids, report("return_bag_in_transit")), first)
                yield* untilWaiting(sql, 1)
                const locking = Effect.flatMap(Shipments.Shipments, (_) => _.setLocked(World.host, one, opened, true))
                const moving = yield* outside(locking, second)
                yield* untilWaiting(sql, 2)
                return [reporting, moving, opened] as const
              })
            )
          }).pipe(Effect.provideContext(first))
          const outcomes = [yield* reporting, yield* moving]
          deepStrictEqual([outcomes.map(({ status }) => status), id.length], [["SUCCESS", "SUCCESS"], 1])
          const stored = Effect.flatMap(ShipmentStore, (store) => store.load(one, id))
          deepStrictEqual(
            (yield* Effect.provideContext(stored, first)).map(({ locked, status }) => [status, locked]),
            [["return_bag_in_transit", true]]
          )
        }).pipe(Effect.provide(Layer.fresh(Layer.orDie(Postgres.layer(url)))))
      )
      strictEqual(deadlocks, 0)
    })
  )

  it.live("a report that changes the return of its shipment does so once, under an Idempotency-Key too", () =>
    deadlocksOf(([host]) =>
      Effect.gen(function* () {
        const { once } = yield* Effect.provide(Idempotency.make, Ids.layer)
        const order = yield* delivered("K1")
        const ids = (yield* own(one, order.id)).map(({ id }) => id)
        yield* reported(ids, report("return_initiated"))
        const work = Effect.map(reported(ids, report("return_bag_in_transit")), ({ status }) => ({
          status: 200,
          contentType: "text/plain",
          body: status
        }))
        const key = { principal: "p", method: "POST", path: "/", key: "K1" }
        const records = Effect.flatMap(AuditStore, (log) => log.read(one, 0, 1000))
        const before = (yield* records).length
        for (const isReplayed of [false, true]) {
          const answered = yield* once(key, "", work, () => undefined)
          deepStrictEqual([answered.answer.body, answered.isReplayed], ["SUCCESS", isReplayed])
        }
        strictEqual((yield* records).length, before + 1)
        deepStrictEqual(
          (yield* own(one, order.id)).map(({ status }) => status),
          ["delivery_done", "return_bag_in_transit"]
        )
      }).pipe(Effect.provideContext(host))
    )
  )

  it.live("an order whose commit takes too long ends with its session, and isn't placed when the lock is free", () =>
    deadlocksOf(([host], url) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const hasSeconds = Effect.provideService(UnitTimeout, Duration.seconds(3))
        yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`LOCK TABLE crossdock_shipment_counts IN EXCLUSIVE MODE`
            const placing = yield* outside(Effect.flip(hasSeconds(place("T1", ["P1-S"], [one]))), host)
            yield* untilWaiting(sql, 1)
            strictEqual((yield* placing)._tag, "StorageError")
            yield* Effect.timeout(untilWaiting(sql, 0), "10 seconds")
          })
        )
        const placed = sql`SELECT id FROM crossdock_orders WHERE external_order_id = 'T1'`
        deepStrictEqual(yield* placed, [])
        strictEqual((yield* Effect.provideContext(place("T1", ["P1-S"], [one]), host)).shipments.length, 1)
      }).pipe(Effect.provide(Layer.fresh(Layer.orDie(Postgres.layer(url)))))
    )
  )

  it.live("a list inside of a unit locks no counts of the order that it places next", () =>
    deadlocksOf(([host], url) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const unit = Effect.gen(function* () {
          const [{ run }, store] = [yield* Transaction.Transaction, yield* ShipmentStore]
          const page = store.page(one, { locations: null }, { number: 1, size: 1 })
          return yield* run(Effect.andThen(page, place("L1", ["P1-S"], [one])))
        })
        const locked = sql`
          SELECT 1 AS one FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
          WHERE a.wait_event_type = 'Lock' AND l.mode = 'RowExclusiveLock'
            AND l.relation = 'crossdock_shipment_counts'::regclass`
        const [placing, counts] = yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`SELECT 1 AS one FROM crossdock_companies WHERE id = ${one} FOR UPDATE`
            const placing = yield* outside(unit, host)
            yield* untilWaiting(sql, 1)
            return [placing, yield* locked] as const
          })
        )
        deepStrictEqual(counts, [])
        strictEqual((yield* placing).shipments.length, 1)
      }).pipe(Effect.provide(Layer.fresh(Layer.orDie(Postgres.layer(url)))))
    )
  )

  it.live("stock and prices of a SKU that is deleted while they wait for its company are UNKNOWN_SKU", () =>
    Effect.gen(function* () {
      const deadlocks = yield* deadlocksOf(([first, second], url) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* Effect.provideContext(product("create", Goods.product("P4")), first)
          const skus = Goods.skusOf("P4")
          const codes = <E, R>(write: Effect.Effect<Bulk.Summary, E, R>) =>
            Effect.map(write, ({ failures }) => failures.map(({ code }) => code))
          const [deleting, stocking, pricing] = yield* sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`SELECT 1 AS one FROM crossdock_companies WHERE id = ${one} FOR UPDATE`
              const deleting = yield* outside(product("delete", { item_code: "P4" }), first)
              yield* untilWaiting(sql, 1)
              const stocking = yield* outside(codes(setStock(one, 7, skus)), second)
              const pricing = yield* outside(codes(setPrices(skus)), second)
              yield* untilWaiting(sql, 3)
              return [deleting, stocking, pricing] as const
            })
          )
          const unknown = ["UNKNOWN_SKU", "UNKNOWN_SKU"]
          deepStrictEqual([yield* deleting, yield* stocking, yield* pricing], [[], unknown, unknown])
          for (const table of ["crossdock_levels", "crossdock_prices"]) {
            const orphans = sql`SELECT v.size_id FROM ${sql.literal(table)} v
              WHERE NOT EXISTS (SELECT 1 FROM crossdock_sizes s WHERE s.id = v.size_id)`
            deepStrictEqual(yield* orphans, [])
          }
        }).pipe(Effect.provide(Layer.fresh(Layer.orDie(Postgres.layer(url)))))
      )
      strictEqual(deadlocks, 0)
    })
  )

  /** What a delete of P4 fails with when `between` happens after it has locked the stock of P4. */
  const deleteWith = (between: Effect.Effect<unknown, unknown, Services>, [first, second]: ReadonlyArray<Host>) =>
    Effect.gen(function* () {
      if (first === undefined || second === undefined) return yield* Effect.die(new Error("No host"))
      const [stock, pending] = [Context.get(first, SkuStock), yield* Ref.make(true)]
      const lock: typeof stock.lock = (company, skus) =>
        Effect.gen(function* () {
          yield* stock.lock(company, skus)
          if (yield* Ref.getAndSet(pending, false)) yield* Effect.orDie(Effect.flatten(outside(between, second)))
        })
      const ports = Context.add(first, SkuStock, { ...stock, lock })
      const writes = yield* Effect.provideContext(CatalogWrites.make, ports)
      yield* Effect.provideContext(product("create", Goods.product("P4")), first)
      return yield* Effect.provideContext(
        product("delete", { item_code: "P4" }),
        Context.add(ports, CatalogWrites.CatalogWrites, writes)
      )
    })

  it.live("a SKU that got stock and was ordered after its stock was locked is not deleted", () =>
    Effect.gen(function* () {
      const ordered = Effect.andThen(setStock(one, 5, ["P4-S"]), place("X1", ["P4-S"], [one]))
      yield* deadlocksOf((hosts) =>
        Effect.gen(function* () {
          deepStrictEqual(yield* deleteWith(ordered, hosts), ["OPEN_SHIPMENTS"])
        })
      )
    })
  )

  const deleteWithoutWaiting = (levels: string, storage: Storage) =>
    Effect.gen(function* () {
      const deadlocks = yield* deadlocksOf(
        (hosts, url) =>
          Effect.gen(function* () {
            const isLocked = yield* Deferred.make<void>()
            const sql = yield* SqlClient.SqlClient
            let isDeleted = false
            const company = sql`SELECT 1 AS one FROM crossdock_companies WHERE id = ${one} FOR UPDATE`
            // Rolled back, so that a look at a free company doesn't keep it.
            const free = Effect.flip(
              sql.withTransaction(Effect.flatMap(sql`${company} SKIP LOCKED`, ({ length }) => Effect.fail(length)))
            )
            const writer = sql.withTransaction(
              Effect.gen(function* () {
                yield* sql`SELECT 1 AS one FROM ${sql.literal(levels)} = ${one} FOR UPDATE`
                yield* Deferred.succeed(isLocked, undefined)
                // The delete may have had the company for less than a look takes, and begin again with the stock that there is now.
                yield* Effect.repeat(Effect.all([free, waiting(sql)]), {
                  until: ([count, { length }]) => count === 0 || length > 0 || isDeleted,
                  schedule: Schedule.spaced("1 millis")
                })
                yield* company
              })
            )
            const between = Effect.gen(function* () {
              yield* setStock(one, 5, ["P4-S"])
              yield* Effect.forkDetach(writer)
              yield* Deferred.await(isLocked)
            })
            const failures = yield* deleteWith(between, hosts)
            isDeleted = true
            deepStrictEqual(failures, [])
          }).pipe(Effect.provide(Layer.fresh(Layer.orDie(Postgres.layer(url))))),
        storage
      )
      strictEqual(deadlocks, 0)
    })

  it.live("a delete does not wait for stock that was stored and locked after it locked what there was", () =>
    deleteWithoutWaiting("crossdock_levels WHERE company_id", StorageSql.layer)
  )

  it.live("a delete does not wait for such stock on a program's own table either", () =>
    deleteWithoutWaiting('shelf WHERE "Seller"', ApplicationStock.storage)
  )
})
