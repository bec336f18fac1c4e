/**
 * PostgreSQL through a pool and a client of pg that a program has.
 */
import { StorageError, Transaction } from "@crossdock/kernel"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import { TransactionSql, UnitTimeout } from "@crossdock/storage-sql"
import * as NodePostgres from "@crossdock/storage-sql/NodePostgres"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Context, Deferred, Duration, Effect, Fiber, Layer, Option, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import pg from "pg"
import { inject } from "vitest"

/** A pool with so few connections that one that is not given back shows. */
const opened = Effect.gen(function* () {
  const connectionString = Redacted.value(yield* PostgresDatabase.make(inject("postgres")))
  const pool = yield* Effect.acquireRelease(
    Effect.sync(() => new pg.Pool({ connectionString, max: 2 }).on("error", () => {})),
    (own) => Effect.promise(() => own.end())
  )
  const context = yield* Layer.build(Layer.provideMerge(TransactionSql.layer, NodePostgres.fromPool(pool)))
  const sql = Context.get(context, SqlClient.SqlClient)
  const { run } = Context.get(context, Transaction.Transaction)
  yield* sql`CREATE TABLE shop (n BIGINT NOT NULL)`
  const put = (n: number) => sql`INSERT INTO shop (n) VALUES (${n})`
  return { pool, put, rows: sql`SELECT n FROM shop ORDER BY n`.values, run, sql, connectionString }
})

describe("A program's pool of pg", () => {
  it.live("reads what we need in our way, and all else, and all of the program's, in the program's", () =>
    Effect.gen(function* () {
      const { pool, sql } = yield* opened
      const text =
        "SELECT 7::bigint AS big, 1.5::numeric AS fraction, ARRAY[1, NULL]::bigint[] AS list, DATE '2026-01-31' AS day"
      const [ours] = yield* sql.unsafe<{ big: unknown; day: unknown; fraction: unknown; list: unknown }>(text)
      const own = yield* Effect.promise(() => pool.query(text))
      deepStrictEqual({ ...ours, day: null }, { big: 7, fraction: 1.5, list: [1, null], day: null })
      deepStrictEqual(ours?.day, own.rows[0].day)
      deepStrictEqual([own.rows[0].big, own.rows[0].fraction], ["7", "1.5"])
    })
  )

  it.live("keeps its settings: only a transaction of ours is ended when it idles for 8 s", () =>
    Effect.gen(function* () {
      const { pool, run, sql } = yield* opened
      const idles = sql`SHOW idle_in_transaction_session_timeout`.values
      deepStrictEqual(yield* run(idles), [["8s"]])
      deepStrictEqual(yield* idles, [["0"]])
      // Where the server waits for the rest of a statement, only TCP notices that the host vanished.
      const probes = sql`
        SELECT current_setting('tcp_keepalives_idle'), current_setting('tcp_keepalives_interval'),
          current_setting('tcp_keepalives_count'), current_setting('tcp_user_timeout')`.values
      const before = yield* probes
      deepStrictEqual(yield* run(probes), [["5", "1", "3", "8000"]])
      deepStrictEqual(yield* probes, before)
      const own = yield* Effect.promise(() => pool.query("SHOW idle_in_transaction_session_timeout"))
      strictEqual(own.rows[0].idle_in_transaction_session_timeout, "0")
    })
  )

  it.live("has all connections back after interruptions, waiting or in the middle, and none in a transaction", () =>
    Effect.gen(function* () {
      const { pool, put, rows, run, sql } = yield* opened
      const never = yield* Deferred.make<void>()
      for (let round = 0; round < 5; round++) {
        const all = yield* Effect.forEach(Array.from({ length: 8 }), (_, n) =>
          Effect.forkChild(n % 2 === 0 ? sql`SELECT pg_sleep(60)` : run(Effect.andThen(put(1), Deferred.await(never))))
        )
        yield* Effect.sleep("20 millis")
        yield* Fiber.interruptAll(all)
      }
      yield* Effect.timeout(Effect.all([run(put(2)), run(put(3))], { concurrency: 2 }), "10 seconds")
      deepStrictEqual(yield* rows, [[2], [3]])
      strictEqual(pool.waitingCount, 0)
    })
  )

  it.live("has no more sessions than the pool may have, however often a wait for a locked row is interrupted", () =>
    Effect.gen(function* () {
      const { connectionString, pool, put, sql } = yield* opened
      yield* put(1)
      const other = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const client = new pg.Client({ connectionString })
          await client.connect()
          await client.query("BEGIN; UPDATE shop SET n = 2")
          return client
        }),
        (client) => Effect.promise(() => client.end())
      )
      for (let round = 0; round < 10; round++) {
        const all = yield* Effect.forEach([1, 2], () => Effect.forkChild(sql`UPDATE shop SET n = 3`))
        yield* Effect.sleep("20 millis")
        yield* Fiber.interruptAll(all)
      }
      const sessions = Effect.promise(async () => {
        const text =
          "SELECT COUNT(*)::integer AS n FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        const { rows } = await other.query(text)
        return Number(rows[0].n)
      })
      const few = yield* Effect.timeout(
        Effect.repeat(Effect.delay(sessions, "20 millis"), { until: (n) => n <= pool.options.max }),
        "5 seconds"
      )
      assertTrue(few <= pool.options.max)
    })
  )

  it.live("works on after the server ended its sessions, and fails with a StorageError at worst", () =>
    Effect.gen(function* () {
      const { put, rows, run, sql } = yield* opened
      const end = sql`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`
      let written = 0
      for (let round = 0; round < 5; round++) {
        const open = yield* Effect.forkChild(Effect.result(run(Effect.andThen(put(0), Effect.sleep("30 millis")))))
        yield* Effect.sleep("10 millis")
        yield* Effect.result(end)
        yield* Fiber.join(open)
        for (let n = 0; n < 3; n++) {
          const result = yield* Effect.result(run(put(1)))
          if (result._tag === "Success") written++
          else assertTrue(result.failure instanceof StorageError)
        }
      }
      assertTrue(written >= 10, `${written} of 15 written`)
      strictEqual((yield* rows).filter(([n]) => n === 1).length >= written, true)
    })
  )

  it.live("that is exhausted by the program fails units in time", () =>
    Effect.gen(function* () {
      const { pool, put, run } = yield* opened
      const taken = yield* Effect.promise(() => Promise.all([pool.connect(), pool.connect()]))
      const error = yield* Effect.flip(Effect.provideService(run(put(1)), UnitTimeout, Duration.millis(200)))
      assertTrue(error instanceof StorageError)
      for (const client of taken) client.release()
      yield* run(put(2))
    })
  )
})

describe("A program's client of pg", () => {
  it.live("in a transaction of the program's has ours as a part of it, and outside of one as its own", () =>
    Effect.gen(function* () {
      const { connectionString, rows } = yield* opened
      const client = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const own = new pg.Client({ connectionString })
          await own.connect()
          return own
        }),
        (own) => Effect.promise(() => own.end())
      )
      const context = yield* Layer.build(Layer.provideMerge(TransactionSql.layer, NodePostgres.fromClient(client)))
      const sql = Context.get(context, SqlClient.SqlClient)
      const { run } = Context.get(context, Transaction.Transaction)
      const put = (n: number) => sql`INSERT INTO shop (n) VALUES (${n})`
      const own = (text: string) => Effect.promise(() => client.query(text))
      yield* own("BEGIN")
      yield* run(put(1))
      yield* own("ROLLBACK")
      yield* own("BEGIN")
      yield* run(put(2))
      yield* Effect.flip(run(Effect.andThen(put(3), sql`SELECT 1 / 0`)))
      yield* own("COMMIT")
      yield* Effect.flip(run(Effect.andThen(put(4), Effect.fail("rejected"))))
      yield* run(put(5))
      deepStrictEqual(yield* rows, [[2], [5]])
    })
  )

  it.live("of two storages has a unit of one inside of a unit of the other, and takes it back with that", () =>
    Effect.gen(function* () {
      const { connectionString, rows } = yield* opened
      const client = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const own = new pg.Client({ connectionString })
          await own.connect()
          return own
        }),
        (own) => Effect.promise(() => own.end())
      )
      const storage = Effect.map(
        Layer.build(Layer.fresh(Layer.provideMerge(TransactionSql.layer, NodePostgres.fromClient(client)))),
        (context) => ({
          run: Context.get(context, Transaction.Transaction).run,
          put: (n: number) => Context.get(context, SqlClient.SqlClient)`INSERT INTO shop (n) VALUES (${n})`
        })
      )
      const [one, other] = [yield* storage, yield* storage]
      const rejected = other.run(Effect.andThen(other.put(3), Effect.fail("rejected")))
      yield* one.run(Effect.all([one.put(1), other.run(other.put(2)), Effect.flip(rejected)]))
      yield* Effect.flip(one.run(Effect.all([one.put(4), other.run(other.put(5)), Effect.fail("rejected")])))
      yield* other.run(other.put(6))
      deepStrictEqual(yield* rows, [[1], [2], [6]])
    })
  )

  it.live(
    "in a transaction of the program's takes units at once in turn: one that is rejected takes no other's writes",
    () =>
      Effect.gen(function* () {
        const { pool } = yield* opened
        const context = yield* Layer.build(Layer.provideMerge(TransactionSql.layer, NodePostgres.fromPool(pool)))
        const sql = Context.get(context, SqlClient.SqlClient)
        const { within } = Context.get(context, Transaction.Transaction)
        const put = (n: number) => sql`INSERT INTO shop (n) VALUES (${n})`
        const client = yield* Effect.acquireRelease(
          Effect.promise(() => pool.connect()),
          (own) => Effect.sync(() => own.release())
        )
        yield* Effect.promise(() => client.query("BEGIN"))
        const part = Option.getOrThrow(Option.fromNullishOr(within))(client)
        const fulfilled = Effect.forEach([1, 2, 3], (n) => Effect.andThen(Effect.yieldNow, put(n)))
        const rejected = Effect.andThen(Effect.forEach([4, 5], put), Effect.fail("rejected"))
        const all = [part(rejected), Effect.asVoid(part(fulfilled)), part(rejected), Effect.asVoid(put(6))]
        yield* Effect.forEach(all, (one) => Effect.exit(one), { concurrency: "unbounded" })
        yield* Effect.promise(() => client.query("COMMIT"))
        deepStrictEqual(yield* sql`SELECT n FROM shop ORDER BY n`.values, [[1], [2], [3], [6]])
      })
  )
})
