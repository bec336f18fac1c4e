import { connect, createServer, type Server, type Socket } from "node:net"
import { Metrics, StorageError, Transaction } from "@crossdock/kernel"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import { TransactionSql, UnitTimeout } from "@crossdock/storage-sql"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Context, Deferred, Duration, Effect, Exit, Fiber, Layer, Metric, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { inject } from "vitest"

/** A database of its own, with so few connections that waiting for one shows. */
const two = Layer.unwrap(
  Effect.map(PostgresDatabase.make(inject("postgres")), (url) =>
    Layer.orDie(Layer.provideMerge(TransactionSql.layer, Postgres.layer(url, { maxConnections: 2 })))
  )
)

const unit = Effect.map(Transaction.Transaction, ({ run }) => run)

const ended = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`
)

/** A server that takes connections and never says a word. */
const silent = Effect.acquireRelease(
  Effect.callback<{ readonly port: number; readonly close: () => void }>((resume) => {
    const sockets: Array<Socket> = []
    const server: Server = createServer((socket) => sockets.push(socket))
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const close = () => {
        for (const socket of sockets) socket.destroy()
        server.close()
      }
      resume(Effect.succeed({ port: typeof address === "object" && address !== null ? address.port : 0, close }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

/** A way to a server that can stop to let anything through, in either direction. */
const pausable = (target: number) =>
  Effect.acquireRelease(
    Effect.callback<{ port: number; pause: () => void; resume: () => void; close: () => void }>((resume) => {
      const sockets = new Set<Socket>()
      let paused = false
      const server = createServer((near) => {
        const far = connect(target, "127.0.0.1")
        for (const [one, other] of [[near, far] as const, [far, near] as const]) {
          sockets.add(one)
          one.on("error", () => other.destroy())
          one.pipe(other)
          if (paused) one.pause()
        }
      })
      const each = (change: (socket: Socket) => void) => () => {
        for (const socket of sockets) change(socket)
      }
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(
          Effect.succeed({
            port: typeof address === "object" && address !== null ? address.port : 0,
            pause: () => {
              paused = true
              each((socket) => socket.pause())()
            },
            resume: () => {
              paused = false
              each((socket) => socket.resume())()
            },
            close: () => {
              each((socket) => socket.destroy())()
              server.close()
            }
          })
        )
      })
    }),
    ({ close }) => Effect.sync(close)
  )

describe("PostgreSQL's client", () => {
  it.effect("counts the connections that transactions have", () =>
    Effect.gen(function* () {
      const { refresh } = yield* Metrics.Gauges
      const inUse = Effect.map(Metric.value(Metrics.poolInUse.at({})), (state) => (state as { value: number }).value)
      const read = Effect.andThen(TestClock.adjust("5 seconds"), Effect.andThen(refresh, inUse))
      const run = yield* unit
      const both = run(Effect.andThen(run(Effect.void), read))
      deepStrictEqual([yield* both, yield* read], [1, 0])
    }).pipe(Effect.provide(two))
  )

  it.layer(two, { excludeTestServices: true })((it) => {
    it.effect("reads whole numbers, counts and sums as numbers, and everything else as it is", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [row] = yield* sql`SELECT 9007199254740991::bigint AS most, -9007199254740991::bigint AS least,
          0::bigint AS zero, (SELECT COUNT(*) FROM generate_series(1, 3)) AS counted,
          (SELECT SUM(n) FROM (VALUES (2::bigint), (-5::bigint)) v (n)) AS summed, 12.5::numeric AS fraction,
          7::int AS int, 1.25::float8 AS float, '007'::text AS text, NULL::bigint AS nothing,
          ARRAY[1, 2]::bigint[] AS list, '{"a": 1}'::jsonb::text AS json`
        deepStrictEqual(
          { ...row },
          {
            most: 9_007_199_254_740_991,
            least: -9_007_199_254_740_991,
            zero: 0,
            counted: 3,
            summed: -3,
            fraction: 12.5,
            int: 7,
            float: 1.25,
            text: "007",
            nothing: null,
            list: [1, 2],
            json: '{"a": 1}'
          }
        )
      })
    )

    it.effect("keeps what it is given: numbers of any size, text of any script, nothing", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE test_values (n BIGINT, x DOUBLE PRECISION, t TEXT)`
        const rows = [
          { n: 9_007_199_254_740_991, x: 0.1, t: "'; DROP TABLE test_values; --" },
          { n: -1, x: -2.5, t: '₹ ९ ١٢ 漢字 🛒 \\ " \n' },
          { n: null, x: null, t: null },
          { n: 0, x: 1e300, t: "" }
        ] as const
        yield* Effect.forEach(rows, (row) => sql`INSERT INTO test_values ${sql.insert(row)}`)
        const found = yield* sql`SELECT n, x, t FROM test_values`
        deepStrictEqual(
          found.map((row) => ({ ...row })),
          rows.map((row) => ({ ...row }))
        )
      })
    )

    it.effect("reads back a text of 20 MiB", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE test_long (t TEXT)`
        yield* sql`INSERT INTO test_long (t) VALUES (${"₹".repeat(7 * 1024 * 1024)})`
        const [row] = yield* sql<{ t: string }>`SELECT t FROM test_long`
        strictEqual(row?.t.length, 7 * 1024 * 1024)
      })
    )

    it.effect("tries a unit again that it ended in favour of another one", () =>
      Effect.gen(function* () {
        const [sql, decide] = [yield* SqlClient.SqlClient, Transaction.retrying(yield* Transaction.Transaction)]
        yield* sql`CREATE TABLE test_rows (id BIGINT PRIMARY KEY, n BIGINT NOT NULL)`
        yield* sql`INSERT INTO test_rows (id, n) VALUES (1, 0), (2, 0)`
        const add = (id: number) => sql`UPDATE test_rows SET n = n + 1 WHERE id = ${id}`
        const inEachOther = [yield* Deferred.make<void>(), yield* Deferred.make<void>()] as const
        let attempts = 0
        // Each takes its row and then the other's, so one of them has to give way.
        const unit = (mine: number) =>
          decide(
            Effect.gen(function* () {
              attempts++
              yield* add(mine)
              yield* Deferred.succeed(inEachOther[mine - 1] ?? inEachOther[0], undefined)
              yield* Effect.all(inEachOther.map((one) => Deferred.await(one)))
              yield* add(3 - mine)
            })
          )
        yield* Effect.all([unit(1), unit(2)], { concurrency: "unbounded" })
        const rows = yield* sql<{ n: number }>`SELECT n FROM test_rows ORDER BY id`
        deepStrictEqual(
          rows.map(({ n }) => n),
          [2, 2]
        )
        // The one that gave way may meet the other once more.
        assertTrue(attempts >= 3)
      })
    )

    it.effect("lets more statements and transactions at once than it has connections end, one after the other", () =>
      Effect.gen(function* () {
        const [sql, run] = [yield* SqlClient.SqlClient, yield* unit]
        yield* sql`CREATE TABLE test_turns (n BIGINT)`
        const one = run(Effect.andThen(sql`INSERT INTO test_turns (n) VALUES (1)`, sql`SELECT pg_sleep(0.005)`))
        yield* Effect.all(
          Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? one : sql`SELECT COUNT(*) FROM test_turns`)),
          { concurrency: "unbounded", discard: true }
        )
        deepStrictEqual((yield* sql<{ n: number }>`SELECT COUNT(*) AS n FROM test_turns`)[0]?.n, 20)
      })
    )

    it.effect("counts no connection as lent to a fiber that was interrupted, waiting or in the middle", () =>
      Effect.gen(function* () {
        const [sql, run] = [yield* SqlClient.SqlClient, yield* unit]
        const open = yield* Deferred.make<void>()
        const stuck = run(Effect.andThen(sql`SELECT 1`, Deferred.await(open)))
        for (let round = 0; round < 10; round++) {
          const all = yield* Effect.forEach(Array.from({ length: 12 }), (_, n) =>
            Effect.forkChild(n % 3 === 0 ? sql`SELECT pg_sleep(60)` : stuck)
          )
          yield* sql`SELECT 1`.pipe(Effect.timeoutOption(Duration.millis(20)))
          yield* Fiber.interruptAll(all)
        }
        const answers = yield* Effect.all([run(sql`SELECT 1 AS one`), run(sql`SELECT 1 AS one`)], {
          concurrency: 2
        }).pipe(Effect.timeout(Duration.seconds(10)))
        strictEqual(answers.length, 2)
      })
    )

    it.effect("works on after the server ended all of its sessions, and fails with a StorageError at worst", () =>
      Effect.gen(function* () {
        const [sql, run] = [yield* SqlClient.SqlClient, yield* unit]
        yield* sql`CREATE TABLE test_ended (n BIGINT)`
        let written = 0
        for (let round = 0; round < 10; round++) {
          yield* ended
          for (let n = 0; n < 4; n++) {
            const result = yield* Effect.result(run(sql`INSERT INTO test_ended (n) VALUES (1)`))
            if (result._tag === "Success") written++
            else assertTrue(result.failure instanceof StorageError)
          }
        }
        assertTrue(written >= 20, `${written} of 40 written`)
        // What was acknowledged is there; what was not may be.
        const [row] = yield* sql<{ n: number }>`SELECT COUNT(*) AS n FROM test_ended`
        assertTrue((row?.n ?? 0) >= written)
      })
    )
  })

  it.live("gives up on an address without a server, and on a server that never answers", () =>
    Effect.gen(function* () {
      const mute = yield* silent
      for (const port of [1, mute.port]) {
        const url = Redacted.make(`postgres://someone:secret@127.0.0.1:${port}/none`)
        const failure = yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT 1`).pipe(
          Effect.provide(Postgres.layer(url)),
          Effect.flip,
          Effect.timeout("1 minute")
        )
        strictEqual(failure._tag, "SqlError")
        strictEqual(JSON.stringify(failure).includes("secret"), false)
      }
    })
  )

  it.live("a server that falls silent fails reads and writes in time, and works on as soon as it answers", () =>
    Effect.gen(function* () {
      const target = new URL(Redacted.value(yield* PostgresDatabase.make(inject("postgres"))))
      const proxy = yield* pausable(Number(target.port))
      target.port = String(proxy.port)
      const url = Redacted.make(target.href)
      const context = yield* Layer.build(
        Layer.provideMerge(TransactionSql.layer, Postgres.layer(url, { maxConnections: 2 }))
      )
      const sql = Context.get(context, SqlClient.SqlClient)
      const { run } = Context.get(context, Transaction.Transaction)
      yield* sql`CREATE TABLE test_silent (n BIGINT)`
      const write = run(sql`INSERT INTO test_silent (n) VALUES (1)`)
      proxy.pause()
      // None would end while the server is silent.
      yield* Effect.forEach(Array.from({ length: 6 }), () => Effect.flip(write), { concurrency: "unbounded" }).pipe(
        Effect.timeout("1 minute")
      )
      proxy.resume()
      yield* Effect.retry(write, { times: 10 })
      const [row] = yield* sql<{ n: number }>`SELECT COUNT(*) AS n FROM test_silent`
      assertTrue((row?.n ?? 0) >= 1)
    }).pipe(Effect.provideService(UnitTimeout, Duration.seconds(1)))
  )

  /** On a database whose commits wait for the log's file, as they do unless a test's server says otherwise. */
  const waiting = Layer.unwrap(
    Effect.gen(function* () {
      const url = yield* PostgresDatabase.make(inject("postgres"))
      const set = Effect.flatMap(SqlClient.SqlClient, (sql) =>
        sql.unsafe(`ALTER DATABASE ${new URL(Redacted.value(url)).pathname.slice(1)} SET synchronous_commit = on`)
      )
      yield* Effect.provide(set, Layer.fresh(Postgres.layer(url)))
      return Layer.orDie(Layer.provideMerge(TransactionSql.layer, Postgres.layer(url)))
    })
  )

  it.live("what a unit wrote or read is on the disk when it ends", () =>
    Effect.gen(function* () {
      const [sql, run] = [yield* SqlClient.SqlClient, yield* unit]
      yield* sql`CREATE TABLE test_disk (n BIGINT)`
      const isOnDisk = (at: string | undefined) =>
        Effect.map(
          sql<{ is: boolean }>`SELECT pg_current_wal_flush_lsn() >= ${at}::text::pg_lsn AS is`,
          ([row]) => row?.is
        )
      const end = sql<{ at: string }>`SELECT pg_current_wal_insert_lsn()::text AS at`
      /** A commit that others see and that is not on the disk, as a unit's is for a moment. */
      const commitOnly = Effect.gen(function* () {
        const connection = yield* sql.reserve
        for (const text of [
          "BEGIN",
          "SET LOCAL synchronous_commit = off",
          "INSERT INTO test_disk VALUES (2)",
          "COMMIT"
        ]) {
          yield* connection.executeUnprepared(text, [], undefined)
        }
      }).pipe(Effect.scoped)
      // The server writes its log from time to time on its own, so not every round shows a unit that doesn't wait.
      for (let round = 0; round < 20; round++) {
        const [written] = yield* run(Effect.andThen(sql`INSERT INTO test_disk VALUES (1)`, end))
        strictEqual(yield* isOnDisk(written?.at), true)
        yield* commitOnly
        const [, [read]] = yield* run(Effect.all([sql`SELECT n FROM test_disk LIMIT 1`, end]))
        strictEqual(yield* isOnDisk(read?.at), true)
      }
    }).pipe(Effect.provide(waiting))
  )

  it.live("a unit that could not begin writes nothing", () =>
    Effect.gen(function* () {
      const [sql, run] = [yield* SqlClient.SqlClient, yield* unit]
      yield* sql`CREATE TABLE test_begin (n BIGINT)`
      const write = sql.withTransaction(sql`INSERT INTO test_begin (n) VALUES (1)`)
      const failed = yield* Effect.exit(Effect.provideService(write, SqlClient.BeginTransaction, "BEGIN NOTHING"))
      strictEqual(Exit.isFailure(failed), true)
      deepStrictEqual(yield* run(sql`SELECT n FROM test_begin`), [])
    }).pipe(Effect.provide(waiting))
  )

  it.live("a unit after the server has lost what was prepared writes all or nothing, and so do those after it", () =>
    Effect.gen(function* () {
      const [sql, run] = [yield* SqlClient.SqlClient, yield* unit]
      yield* sql`CREATE TABLE test_lost (n BIGINT)`
      const add = (n: number) => sql`INSERT INTO test_lost (n) VALUES (${n})`
      // On the connection of the unit that follows it.
      yield* run(Effect.andThen(add(0), sql`DEALLOCATE ALL`))
      const first = sql`INSERT INTO test_lost (n) SELECT 1 AS never_prepared_before`
      strictEqual(Exit.isFailure(yield* Effect.exit(run(Effect.andThen(first, Effect.fail("no"))))), true)
      yield* Effect.retry(run(add(2)), { times: 2 })
      const rows = yield* Effect.retry(sql<{ n: number }>`SELECT n FROM test_lost ORDER BY n`, { times: 2 })
      deepStrictEqual(
        rows.map(({ n }) => n),
        [0, 2]
      )
    }).pipe(Effect.provide(waiting))
  )

  it.live("a statement that comes after its unit has ended fails, and is in no other unit", () =>
    Effect.gen(function* () {
      const [sql, run] = [yield* SqlClient.SqlClient, yield* unit]
      yield* sql`CREATE TABLE test_late (n BIGINT)`
      const ended = yield* Deferred.make<void>()
      const late = Effect.andThen(Deferred.await(ended), sql`INSERT INTO test_late (n) VALUES (1)`)
      const fiber = yield* run(Effect.andThen(sql`SELECT 1 AS one`, Effect.forkDetach(late)))
      yield* run(
        Effect.gen(function* () {
          yield* sql`SELECT 1 AS one`
          yield* Deferred.succeed(ended, undefined)
          strictEqual(Exit.isFailure(yield* Fiber.await(fiber)), true)
        })
      )
      deepStrictEqual(yield* run(sql`SELECT n FROM test_late`), [])
    }).pipe(Effect.provide(waiting))
  )

  it.live("a commit that fails leaves no open transaction on a connection that others get", () =>
    Effect.gen(function* () {
      const [sql, run] = [yield* SqlClient.SqlClient, yield* unit]
      yield* sql`CREATE TABLE test_commit (n BIGINT PRIMARY KEY DEFERRABLE INITIALLY DEFERRED)`
      const twice = Effect.andThen(sql`INSERT INTO test_commit VALUES (1)`, sql`INSERT INTO test_commit VALUES (1)`)
      for (let nth = 0; nth < 4; nth++) strictEqual(Exit.isFailure(yield* Effect.exit(run(twice))), true)
      for (let nth = 0; nth < 4; nth++) deepStrictEqual(yield* run(sql`SELECT n FROM test_commit`), [])
      const open = sql`SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%'`
      deepStrictEqual(yield* open, [])
    }).pipe(Effect.provide(waiting))
  )

  it.live("a part that could not begin takes back no earlier part: the unit fails", () =>
    Effect.gen(function* () {
      const [sql, run] = [yield* SqlClient.SqlClient, yield* unit]
      yield* sql`CREATE TABLE test_parts (n BIGINT)`
      const add = (n: number) => sql`INSERT INTO test_parts (n) VALUES (${n})`
      // Its savepoint can't be released, because the failed statement aborted the transaction.
      const aborting = run(Effect.andThen(add(1), Effect.ignore(sql`SELECT 1 / 0`)))
      const whole = run(Effect.andThen(aborting, Effect.ignore(run(add(2)))))
      strictEqual(Exit.isFailure(yield* Effect.exit(whole)), true)
      deepStrictEqual(yield* run(sql`SELECT n FROM test_parts`), [])
    }).pipe(Effect.provide(waiting))
  )

  it.live("a unit whose commit did not reach the disk fails", () =>
    Effect.gen(function* () {
      const [sql, run] = [yield* SqlClient.SqlClient, yield* unit]
      yield* sql`CREATE FUNCTION public.pg_logical_emit_message(boolean, text, text) RETURNS pg_lsn
        LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'the disk failed'; END $$`
      const failed = yield* Effect.exit(run(sql`SELECT set_config('search_path', 'public, pg_catalog', false)`))
      strictEqual(Exit.isFailure(failed), true)
    }).pipe(Effect.provide(waiting))
  )

  it.live("a unit that is interrupted while it waits for a lock gives back its own locks at once", () =>
    Effect.gen(function* () {
      const [sql, run] = [yield* SqlClient.SqlClient, yield* unit]
      yield* sql`CREATE TABLE test_locks (id BIGINT PRIMARY KEY, n BIGINT)`
      yield* sql`INSERT INTO test_locks (id, n) VALUES (1, 0), (2, 0)`
      const add = (id: number) => sql`UPDATE test_locks SET n = n + 1 WHERE id = ${id}`
      const [locked, end] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const first = yield* Effect.forkChild(
        run(Effect.andThen(add(1), Effect.andThen(Deferred.succeed(locked, undefined), Deferred.await(end))))
      )
      yield* Deferred.await(locked)
      const waits = yield* Effect.forkChild(run(Effect.andThen(add(2), add(1))))
      const isBlocked = Effect.map(
        sql`SELECT 1 AS one FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
        (found) => found.length === 1
      )
      while (!(yield* isBlocked)) yield* Effect.yieldNow
      yield* Fiber.interrupt(waits)
      yield* Effect.timeout(run(add(2)), Duration.seconds(5))
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.join(first)
      const rows = yield* sql<{ n: number }>`SELECT n FROM test_locks ORDER BY id`
      deepStrictEqual(
        rows.map(({ n }) => n),
        [1, 1]
      )
    }).pipe(Effect.provide(waiting))
  )

  it.live("a unit takes as long as it does when a host sets no bound, and no longer than the bound when it does", () =>
    Effect.gen(function* () {
      const context = yield* Layer.build(two)
      const sql = Context.get(context, SqlClient.SqlClient)
      const { run } = Context.get(context, Transaction.Transaction)
      const slow = run(sql`SELECT pg_sleep(0.5)`)
      const within = (longest: Duration.Duration) => Effect.exit(Effect.provideService(slow, UnitTimeout, longest))
      const [bounded, unbounded] = yield* Effect.all([within(Duration.millis(100)), within(Duration.infinity)])
      deepStrictEqual([Exit.isFailure(bounded), Exit.isSuccess(unbounded)], [true, true])
    })
  )
})
