import * as World from "@crossdock/histories/World"
import { Inventory } from "@crossdock/inventory"
import { Transaction } from "@crossdock/kernel"
import { Orders } from "@crossdock/orders"
import { orderDraft, orderLine, orderShipment } from "@crossdock/orders/testing"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import { storageLaws } from "@crossdock/storage-laws"
import { StorageSql, TransactionSql, UnitTimeout } from "@crossdock/storage-sql"
import * as NodePostgres from "@crossdock/storage-sql/NodePostgres"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Deferred, Duration, Effect, Fiber, Layer, Queue, Redacted, Schedule } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Pool } from "pg"
import { inject } from "vitest"
import * as Pgbouncer from "./Pgbouncer.ts"

/** Fewer sessions of the server than connections of one client, so that every unit gets one that another unit had. */
const sessions = 4

const addresses = Effect.gen(function* () {
  const url = yield* PostgresDatabase.make(inject("postgres"))
  return { url, pooler: Redacted.make(yield* Pgbouncer.make(Redacted.value(url), sessions)) }
})

type Addresses = Effect.Success<typeof addresses>

const clientOf = ({ pooler, url }: Addresses) => Layer.fresh(Layer.orDie(Postgres.layer(url, { pooler })))

const pooled = Layer.unwrap(Effect.map(addresses, clientOf))

const poolOf = (pooler: Redacted.Redacted) =>
  Effect.acquireRelease(
    Effect.sync(() => new Pool({ connectionString: Redacted.value(pooler), max: 10 }).on("error", () => {})),
    (pool) => Effect.promise(() => pool.end())
  )

const pooledPool = Layer.unwrap(
  Effect.map(
    Effect.flatMap(addresses, ({ pooler }) => poolOf(pooler)),
    NodePostgres.fromPool
  )
)

const times = (count: number) => Array.from({ length: count }, (_, nth) => nth)

const suites = () => {
  storageLaws("PostgreSQL through pgbouncer", Layer.provide(StorageSql.layer, pooled))
  storageLaws("a pool of pg through pgbouncer", Layer.provide(StorageSql.layer, pooledPool))

  describe("Hosts behind pgbouncer", () => {
    it.live("three of them sell each unit once, with fewer sessions than they have connections", () =>
      Effect.gen(function* () {
        const at = yield* addresses
        const host = Layer.build(Layer.fresh(World.services(Layer.provideMerge(StorageSql.layer, clientOf(at)))))
        const hosts = [yield* host, yield* host, yield* host] as const
        const [company] = World.companies
        const order = (nth: number) =>
          Effect.flatMap(Orders.Orders, ({ place }) =>
            place(
              World.marketplace("bazaar"),
              orderDraft({
                externalOrderId: `X${nth}`,
                shipments: [
                  orderShipment({
                    externalShipmentId: "S1",
                    location: `bazaar-${company}-L1`,
                    selfShip: true,
                    lines: [orderLine({ externalLineId: "0", sku: "P1-S" })]
                  })
                ]
              })
            )
          ).pipe(
            Effect.match({ onFailure: (error) => error._tag, onSuccess: () => "placed" }),
            Effect.provideContext(hosts[nth % 3] ?? hosts[0])
          )
        yield* Effect.provideContext(World.settle(World.make(() => 0)), hosts[0])
        const answers = yield* Effect.all(times(120).map(order), { concurrency: "unbounded" })
        strictEqual(answers.filter((answer) => answer === "placed").length, 20)
        const verified = yield* Effect.provideContext(
          Effect.flatMap(Inventory.Inventory, ({ verify }) => verify(company)),
          hosts[0]
        )
        deepStrictEqual(verified, [])
      }).pipe(Effect.scoped)
    )

    it.live("wait no longer for a lock once their unit was interrupted", () =>
      Effect.gen(function* () {
        const { pooler, url } = yield* addresses
        const isLocked = yield* Deferred.make<void>()
        yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const run = TransactionSql.run(sql)
          yield* sql`CREATE TABLE test_locked (id BIGINT PRIMARY KEY)`
          yield* sql`INSERT INTO test_locked (id) VALUES (1)`
          const lock = sql`SELECT 1 AS one FROM test_locked FOR UPDATE`
          const first = yield* Effect.forkChild(
            run(Effect.andThen(lock, Effect.andThen(Deferred.succeed(isLocked, undefined), Effect.never)))
          )
          yield* Deferred.await(isLocked)
          const second = yield* Effect.forkChild(run(lock))
          const waiting = (count: number) =>
            Effect.repeat(
              sql`SELECT 1 AS one FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
              { until: ({ length }) => length === count, schedule: Schedule.spaced("20 millis") }
            )
          yield* waiting(1)
          yield* Fiber.interrupt(second)
          // The first one ends after 8 s idle in its transaction, which would free the lock.
          yield* Effect.timeout(waiting(0), "5 seconds")
          // Its commit waits behind its write, and isn't waited for any longer than the unit may take.
          const third = run(Transaction.writes(Transaction.write(lock)))
          yield* Effect.flip(Effect.provideService(third, UnitTimeout, Duration.millis(500)))
          yield* Effect.timeout(waiting(0), "4 seconds")
          yield* Fiber.interrupt(first)
        }).pipe(Effect.provide(clientOf({ pooler, url })))
      }).pipe(Effect.scoped)
    )

    it.live("receive what others announce, on a connection to the server itself", () =>
      Effect.gen(function* () {
        const at = yield* addresses
        const received = yield* Effect.gen(function* () {
          const sql = (yield* SqlClient.SqlClient) as SqlClient.SqlClient & {
            readonly listen: (channel: string) => Effect.Effect<Queue.Dequeue<{ readonly payload: string }, unknown>>
          }
          const queue = yield* sql.listen("test_channel")
          yield* Effect.all(
            times(20).map((nth) => sql`SELECT pg_notify('test_channel', ${String(nth)})`),
            { concurrency: "unbounded" }
          )
          return yield* Effect.timeout(Effect.all(times(20).map(() => Queue.take(queue))), "5 seconds")
        }).pipe(Effect.scoped, Effect.provide(clientOf(at)))
        strictEqual(received.length, 20)
      }).pipe(Effect.scoped)
    )
  })
}

if (Pgbouncer.program !== undefined) suites()
else describe.skip("pgbouncer is not installed here: apt-get install pgbouncer", () => it("is not tried", () => {}))
