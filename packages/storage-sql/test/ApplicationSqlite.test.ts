/**
 * Units on a database handle that a program has opened, and goes on to use.
 */
import { join } from "node:path"
import { StorageError, Transaction } from "@crossdock/kernel"
import { Sqlite, TransactionSql } from "@crossdock/storage-sql"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import Database from "better-sqlite3"
import { Cause, Context, Effect, Exit, Fiber, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { temporaryFolder } from "./Databases.ts"

const opened = Effect.gen(function* () {
  const handle = yield* Effect.acquireRelease(
    Effect.sync(() => new Database(":memory:")),
    (own) => Effect.sync(() => own.close())
  )
  handle.exec("CREATE TABLE shop (n BIGINT NOT NULL)")
  const context = yield* Layer.build(Layer.provideMerge(TransactionSql.layer, Sqlite.fromDatabase(handle)))
  const sql = Context.get(context, SqlClient.SqlClient)
  const { run } = Context.get(context, Transaction.Transaction)
  const put = (n: number) => sql`INSERT INTO shop (n) VALUES (${n})`
  const rows = () => handle.prepare("SELECT n FROM shop ORDER BY n").pluck().all()
  return { handle, put, rows, run, sql }
})

describe("A unit on a program's SQLite handle", () => {
  it.effect("ends before anything else of the process runs, however long it is", () =>
    Effect.gen(function* () {
      const { handle, put, rows, run } = yield* opened
      const seen: Array<boolean> = []
      const fiber = yield* Effect.forkChild(
        run(Effect.forEach(Array.from({ length: 3000 }), (_, n) => put(n), { discard: true }))
      )
      while (fiber.pollUnsafe() === undefined) {
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        seen.push(handle.inTransaction)
      }
      deepStrictEqual(
        seen.filter((isOpen) => isOpen),
        []
      )
      strictEqual(rows().length, 3000)
    })
  )

  it.live("is rolled back at once when a reader of another process keeps it from committing", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "journal.db")
      const open = Effect.acquireRelease(
        Effect.sync(() => new Database(file, { timeout: 0 })),
        (own) => Effect.sync(() => own.close())
      )
      const [handle, other] = [yield* open, yield* open]
      handle.exec(
        "PRAGMA journal_mode = DELETE; CREATE TABLE shop (n BIGINT NOT NULL); INSERT INTO shop (n) VALUES (0)"
      )
      const context = yield* Layer.build(Layer.provideMerge(TransactionSql.layer, Sqlite.fromDatabase(handle)))
      const sql = Context.get(context, SqlClient.SqlClient)
      const { run } = Context.get(context, Transaction.Transaction)
      other.exec("BEGIN")
      other.prepare("SELECT n FROM shop").all()
      const fiber = yield* Effect.forkChild(Effect.flip(run(sql`INSERT INTO shop (n) VALUES (1)`)))
      while (fiber.pollUnsafe() === undefined) {
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        strictEqual(handle.inTransaction, false)
      }
      const error = yield* Fiber.join(fiber)
      assertTrue(error instanceof StorageError)
      other.exec("COMMIT")
      handle.exec("INSERT INTO shop (n) VALUES (9)")
      deepStrictEqual(handle.prepare("SELECT n FROM shop").pluck().all(), [0, 9])
    })
  )

  it.effect("is a savepoint of the transaction that the program has open, and fails alone", () =>
    Effect.gen(function* () {
      const { handle, put, rows, run } = yield* opened
      handle.exec("BEGIN; INSERT INTO shop (n) VALUES (1)")
      yield* Effect.flip(run(Effect.andThen(put(2), Effect.fail("rejected"))))
      yield* run(Effect.andThen(put(3), run(put(4))))
      deepStrictEqual([rows(), handle.inTransaction], [[1, 3, 4], true])
      handle.exec("ROLLBACK")
      deepStrictEqual(rows(), [])
    })
  )

  it.effect("that keeps out of the program's transaction waits for its end, and so does a statement", () =>
    Effect.gen(function* () {
      const { handle, put, rows, run } = yield* opened
      handle.exec("BEGIN; INSERT INTO shop (n) VALUES (1)")
      const [unit, statement] = yield* Effect.forEach([run(put(2)), put(3)], (write) =>
        Effect.forkChild(Effect.provideService(write, Transaction.OwnTransactionOnly, true), { startImmediately: true })
      )
      yield* TestClock.adjust("4900 millis")
      deepStrictEqual([unit?.pollUnsafe(), statement?.pollUnsafe()], [undefined, undefined])
      // Meanwhile the program's own calls have their turn.
      yield* run(put(4))
      handle.exec("ROLLBACK")
      yield* TestClock.adjust("2 millis")
      yield* Effect.forEach([unit, statement], (fiber) => Fiber.join(fiber as Fiber.Fiber<unknown, unknown>))
      deepStrictEqual(rows(), [2, 3])
    })
  )

  it.live("that waits for another process's lock doesn't join a transaction that the program begins meanwhile", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "lock.db")
      const open = Effect.acquireRelease(
        Effect.sync(() => new Database(file, { timeout: 0 })),
        (own) => Effect.sync(() => own.close())
      )
      const [handle, other] = [yield* open, yield* open]
      handle.exec("PRAGMA journal_mode = WAL; CREATE TABLE shop (n BIGINT NOT NULL)")
      const context = yield* Layer.build(Layer.provideMerge(TransactionSql.layer, Sqlite.fromDatabase(handle)))
      const sql = Context.get(context, SqlClient.SqlClient)
      const { run } = Context.get(context, Transaction.Transaction)
      const put = (n: number) => sql`INSERT INTO shop (n) VALUES (${n})`
      other.exec("BEGIN IMMEDIATE")
      const writes = yield* Effect.forEach([put(1), run(put(2))], (write) =>
        Effect.forkChild(Effect.provideService(write, Transaction.OwnTransactionOnly, true), { startImmediately: true })
      )
      handle.exec("BEGIN")
      other.exec("COMMIT")
      yield* Effect.sleep("50 millis")
      deepStrictEqual(
        writes.map((fiber) => fiber.pollUnsafe()),
        [undefined, undefined]
      )
      handle.exec("ROLLBACK")
      for (const fiber of writes) yield* Fiber.join(fiber as Fiber.Fiber<unknown, unknown>)
      deepStrictEqual(handle.prepare("SELECT n FROM shop ORDER BY n").pluck().all(), [1, 2])
    })
  )

  it.effect("fails with a sentence when the program's transaction does not end", () =>
    Effect.gen(function* () {
      const { handle, put, run } = yield* opened
      handle.exec("BEGIN")
      const fiber = yield* Effect.forkChild(
        Effect.flip(Effect.provideService(run(put(1)), Transaction.OwnTransactionOnly, true)),
        { startImmediately: true }
      )
      yield* TestClock.adjust("5100 millis")
      const error = yield* Fiber.join(fiber)
      assertTrue(error instanceof StorageError)
      const cause = Cause.pretty(Cause.fail(error))
      assertTrue(cause.includes("The program has had a transaction open on its database handle"), cause)
      handle.exec("COMMIT")
      yield* run(put(1))
    })
  )

  it.effect(
    "keeps what it acknowledged: a handle with less than FULL gets it, one that can't roll back is rejected",
    () =>
      Effect.gen(function* () {
        const build = (handle: Database.Database) =>
          Effect.exit(Effect.scoped(Layer.build(Sqlite.fromDatabase(handle))))
        const handle = new Database(":memory:")
        handle.pragma("synchronous = NORMAL")
        assertTrue(Exit.isSuccess(yield* build(handle)))
        strictEqual(handle.pragma("synchronous", { simple: true }), 2)
        handle.pragma("synchronous = EXTRA")
        assertTrue(Exit.isSuccess(yield* build(handle)))
        strictEqual(handle.pragma("synchronous", { simple: true }), 3)
        handle.unsafeMode(true)
        handle.pragma("journal_mode = OFF")
        const exit = yield* build(handle)
        assertTrue(Exit.isFailure(exit) && Cause.pretty(exit.cause).includes("can't roll back"))
        handle.close()
      })
  )
})
