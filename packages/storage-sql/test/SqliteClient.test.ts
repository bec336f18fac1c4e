import { join } from "node:path"
import { StorageError, Transaction } from "@crossdock/kernel"
import { StorageSql, TransactionSql } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import * as NodeSqlite from "@crossdock/storage-sql/NodeSqlite"
import { describe, it, layer } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual, throws } from "@effect/vitest/utils"
import { Cause, Context, Deferred, Effect, Exit, Fiber, Layer, Stream } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import * as SqliteClient from "../src/SqliteClient.ts"
import type { SqliteDatabase } from "../src/SqliteConnection.ts"
import { sqliteFile, temporaryFolder } from "./Databases.ts"

interface Row {
  readonly n: number
}

layer(Layer.provideMerge(StorageSql.layer, sqliteFile), { timeout: "1 minute", excludeTestServices: true })(
  "The SQLite client",
  (it) => {
    const table = (name: string) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE ${sql(name)} (n BIGINT NOT NULL)`
        return {
          sql,
          put: (n: number | null) => sql`INSERT INTO ${sql(name)} (n) VALUES (${n})`,
          rows: sql<Row>`SELECT n FROM ${sql(name)} ORDER BY n`
        }
      })

    /** A transaction that has written and waits to be let go on, and how to let it. */
    const openTransaction = <E>(write: Effect.Effect<unknown, E>) =>
      Effect.gen(function* () {
        const transaction = yield* Transaction.Transaction
        const [written, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const work = write.pipe(
          Effect.andThen(Deferred.succeed(written, undefined)),
          Effect.andThen(Deferred.await(goOn))
        )
        const fiber = yield* Effect.forkChild(transaction.run(work))
        yield* Deferred.await(written)
        return Effect.andThen(Deferred.succeed(goOn, undefined), Fiber.join(fiber))
      })

    /** Lets everything run that can run. */
    const settled = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

    it.effect("keeps a statement out of another's transaction until that has ended", () =>
      Effect.gen(function* () {
        const { put, rows } = yield* table("waits")
        const end = yield* openTransaction(put(1))
        const read = yield* Effect.forkChild(rows)
        yield* settled
        strictEqual(read.pollUnsafe(), undefined)
        yield* end
        deepStrictEqual(yield* Fiber.join(read), [{ n: 1 }])
      })
    )

    it.effect("a fiber that is interrupted while waiting ends at once, and the next one has the connection", () =>
      Effect.gen(function* () {
        const transaction = yield* Transaction.Transaction
        const { put, rows } = yield* table("interrupted")
        const end = yield* openTransaction(put(1))
        const waiting = [yield* Effect.forkChild(rows), yield* Effect.forkChild(transaction.run(put(2)))]
        yield* settled
        yield* Fiber.interruptAll(waiting)
        yield* end
        yield* transaction.run(put(3))
        deepStrictEqual(yield* rows, [{ n: 1 }, { n: 3 }])
      })
    )

    it.effect("gives transactions their turn one after the other, however many come at once", () =>
      Effect.gen(function* () {
        const transaction = yield* Transaction.Transaction
        const { put, rows, sql } = yield* table("turns")
        const next = Effect.gen(function* () {
          const [last] = yield* sql<Row>`SELECT COUNT(*) AS n FROM turns`
          yield* settled
          yield* put(last?.n ?? 0)
        })
        yield* Effect.all(
          Array.from({ length: 50 }, () => transaction.run(next)),
          { concurrency: "unbounded" }
        )
        deepStrictEqual(
          (yield* rows).map(({ n }) => n),
          Array.from({ length: 50 }, (_, n) => n)
        )
      })
    )

    it.effect("answers a statement in each of the forms that a client has", () =>
      Effect.gen(function* () {
        const { put, rows, sql } = yield* table("forms")
        deepStrictEqual(yield* put(1), [])
        const { changes } = (yield* put(2).raw) as { readonly changes: number }
        strictEqual(changes, 1)
        deepStrictEqual(yield* put(3).values, [])
        deepStrictEqual(yield* rows.values, [[1], [2], [3]])
        deepStrictEqual(yield* rows, [{ n: 1 }, { n: 2 }, { n: 3 }])
        deepStrictEqual(yield* rows.unprepared, [{ n: 1 }, { n: 2 }, { n: 3 }])
        deepStrictEqual(yield* rows.raw, [{ n: 1 }, { n: 2 }, { n: 3 }])
        deepStrictEqual([...(yield* Stream.runCollect(rows.stream))], [{ n: 1 }, { n: 2 }, { n: 3 }])
        deepStrictEqual(yield* sql.unsafe("SELECT MAX(n) AS n FROM forms"), [{ n: 3 }])
      })
    )

    it.effect("fails with a SqlError for text that is no SQL and for a row that the table rejects", () =>
      Effect.gen(function* () {
        const { put, rows, sql } = yield* table("rejects")
        strictEqual((yield* Effect.flip(sql.unsafe("SELEKT 1")))._tag, "SqlError")
        strictEqual((yield* Effect.flip(put(null)))._tag, "SqlError")
        strictEqual((yield* Effect.flip(put(null).values))._tag, "SqlError")
        deepStrictEqual(yield* rows, [])
      })
    )
  }
)

describe.each([
  ["better-sqlite3", BetterSqlite3],
  ["node:sqlite", NodeSqlite]
] as const)("another connection's write on the same SQLite file, with %s", (_, driver) => {
  const waiting = Effect.gen(function* () {
    const file = join(yield* temporaryFolder, "test.db")
    const other = yield* Effect.acquireRelease(
      Effect.sync(() => driver.open(file)),
      (database) => Effect.sync(() => database.close())
    )
    const context = yield* Layer.build(Layer.provideMerge(TransactionSql.layer, driver.layer(file)))
    const sql = Context.get(context, SqlClient.SqlClient)
    const { run } = Context.get(context, Transaction.Transaction)
    yield* sql`CREATE TABLE waits (n BIGINT NOT NULL)`
    other.exec("BEGIN IMMEDIATE")
    return { other, run, sql, write: run(sql`INSERT INTO waits (n) VALUES (1)`) }
  })

  it.live("is waited for without stopping this process", () =>
    Effect.gen(function* () {
      const { other, sql, write } = yield* waiting
      const started = performance.now()
      const fiber = yield* Effect.forkChild(write, { startImmediately: true })
      let [longest, last] = [0, started]
      while (performance.now() - started < 200) {
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        longest = Math.max(longest, performance.now() - last)
        last = performance.now()
      }
      strictEqual(fiber.pollUnsafe(), undefined)
      other.exec("COMMIT")
      yield* Fiber.join(fiber)
      deepStrictEqual(yield* sql`SELECT n FROM waits`.values, [[1]])
      // A driver that waits stops the process for its whole five seconds.
      assertTrue(longest < 4_000, `the process stopped for ${longest} ms`)
    })
  )

  it.effect("can't come between the reads and the writes of a transaction", () =>
    Effect.gen(function* () {
      const { other, run, sql } = yield* waiting
      other.exec("COMMIT")
      const rival = () => other.exec("INSERT INTO waits (n) VALUES (2)")
      yield* run(
        Effect.gen(function* () {
          deepStrictEqual(yield* sql`SELECT n FROM waits`, [])
          throws(rival)
          yield* sql`INSERT INTO waits (n) VALUES (1)`
        })
      )
      rival()
      deepStrictEqual(yield* sql`SELECT n FROM waits ORDER BY n`.values, [[1], [2]])
    })
  )

  it.effect("is not waited for by the fiber that has it open itself: that fails at once, and says why", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "test.db")
      const client = Layer.build(Layer.fresh(driver.layer(file)))
      const [one, two] = [yield* client, yield* client].map((context) => Context.get(context, SqlClient.SqlClient))
      if (one === undefined || two === undefined) return yield* Effect.die(new Error("No client"))
      yield* one`CREATE TABLE waits (n BIGINT NOT NULL)`
      const inner = TransactionSql.run(two)(two`INSERT INTO waits (n) VALUES (2)`)
      const outer = TransactionSql.run(one)(Effect.andThen(one`INSERT INTO waits (n) VALUES (1)`, inner))
      const exit = yield* Effect.exit(outer)
      assertTrue(Exit.isFailure(exit))
      assertTrue(Cause.pretty(exit.cause).includes("a transaction of its own caller"), Cause.pretty(exit.cause))
      yield* inner
      deepStrictEqual(yield* one`SELECT n FROM waits`.values, [[2]])
    })
  )

  it.effect("fails as busy when it does not end, and leaves the connection free", () =>
    Effect.gen(function* () {
      const { other, sql, write } = yield* waiting
      const fiber = yield* Effect.forkChild(Effect.flip(write), { startImmediately: true })
      yield* TestClock.adjust("4900 millis")
      strictEqual(fiber.pollUnsafe(), undefined)
      yield* TestClock.adjust("200 millis")
      assertTrue((yield* Fiber.join(fiber)) instanceof StorageError)
      other.exec("COMMIT")
      yield* write
      deepStrictEqual(yield* sql`SELECT n FROM waits`.values, [[1]])
    })
  )
})

describe("Prepared statements on SQLite", () => {
  it.effect("are those of the last 500 texts", () =>
    Effect.gen(function* () {
      const prepared: Array<string> = []
      const database: SqliteDatabase = {
        prepare: (text) => {
          prepared.push(text)
          return { isReader: false, all: () => [], values: () => [], run: () => ({ changes: 0 }) }
        },
        exec: () => {},
        inTransaction: () => false,
        close: () => {}
      }
      const sql = Context.get(yield* Layer.build(SqliteClient.layer("test", () => database)), SqlClient.SqlClient)
      const texts = Array.from({ length: 501 }, (_, n) => `DELETE FROM t${n}`)
      for (const text of [...texts, ...texts.slice(1), ...texts.slice(0, 1)]) yield* sql.unsafe(text)
      deepStrictEqual(prepared, [...texts, "DELETE FROM t0"])
    })
  )
})
