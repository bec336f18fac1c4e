import { join } from "node:path"
import { StorageError, Transaction } from "@crossdock/kernel"
import { TransactionSql } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import { describe, it } from "@effect/vitest"
import { assertInstanceOf, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Context, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { MaxOpsBeforeYield } from "effect/Scheduler"
import * as SqlClient from "effect/sql/SqlClient"
import * as SqliteClient from "../src/SqliteClient.ts"
import { durableRead } from "../src/TransactionSql.ts"
import { temporaryFolder } from "./Databases.ts"

/** A disk that keeps what is committed when a test says so, and everything when the test has ended. */
const disk = Effect.gen(function* () {
  const syncs: Array<{ readonly kept: () => void; readonly failed: (cause: unknown) => void }> = []
  let isOver = false
  const keepAll = Effect.sync(() => {
    isOver = true
    for (const { kept } of syncs) kept()
  })
  const sync = () => (isOver ? Promise.resolve() : new Promise<void>((kept, failed) => syncs.push({ kept, failed })))
  return { keepAll, sync, syncs }
})

/** Lets everything run that waits for nothing but its turn. On a busy machine a timer alone can fire before others' turns. */
const settled = Effect.promise(async () => {
  await new Promise<void>((resolve) => setTimeout(resolve, 20))
  for (let turn = 0; turn < 50; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
})

const hosts = Effect.flatMap(temporaryFolder, (folder) => hostOn(join(folder, "log.db")))

const hostOn = Effect.fnUntraced(function* (file: string) {
  const { keepAll, sync, syncs } = yield* disk
  let opened = 0
  const open = () => {
    const database = BetterSqlite3.open(file)
    database.exec("PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS numbers (n BIGINT NOT NULL)")
    return { ...database, openLog: async () => ({ opened: ++opened, datasync: sync, close: async () => {} }) }
  }
  const scope = yield* Scope.fork(yield* Effect.scope)
  const layer = Layer.provideMerge(TransactionSql.layer, SqliteClient.layer("test", open))
  const context = yield* Layer.buildWithScope(layer, scope)
  yield* Effect.addFinalizer(() => keepAll)
  const sql = Context.get(context, SqlClient.SqlClient)
  const { run } = Context.get(context, Transaction.Transaction)
  const put = (n: number) => run(Effect.asVoid(sql`INSERT INTO numbers (n) VALUES (${n})`))
  const count = Effect.map(sql<{ total: number }>`SELECT COUNT(*) AS total FROM numbers`, ([row]) => row?.total)
  return { count, opened: () => opened, put, run, sql, stop: Scope.close(scope, Exit.void), syncs }
})

const started = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkDetach(effect, { startImmediately: true })

const isEnded = (fiber: Fiber.Fiber<unknown, unknown>) => fiber.pollUnsafe() !== undefined

describe("The log of a SQLite database", () => {
  it.live("is on the disk before a unit ends, and further units run meanwhile", () =>
    Effect.gen(function* () {
      const { put, syncs } = yield* hosts
      const first = yield* started(put(1))
      yield* settled
      deepStrictEqual([isEnded(first), syncs.length], [false, 1])
      const later = yield* started(Effect.all([put(2), put(3)], { concurrency: 2 }))
      yield* settled
      deepStrictEqual([isEnded(later), syncs.length], [false, 1])
      syncs[0]?.kept()
      yield* Fiber.join(first)
      yield* settled
      deepStrictEqual([isEnded(later), syncs.length], [false, 2])
      syncs[1]?.kept()
      yield* Fiber.join(later)
    })
  )

  it.live("is on the disk before a read or a write outside of units is answered that has seen more", () =>
    Effect.gen(function* () {
      const { count, put, sql, syncs } = yield* hosts
      strictEqual(yield* count, 0)
      const unit = yield* started(put(1))
      yield* settled
      const read = yield* started(count)
      yield* settled
      deepStrictEqual([isEnded(read), syncs.length], [false, 1])
      syncs[0]?.kept()
      strictEqual(yield* Fiber.join(read), 1)
      yield* Fiber.join(unit)
      strictEqual(yield* count, 1)

      const write = yield* started(sql`INSERT INTO numbers (n) VALUES (2)`)
      yield* settled
      deepStrictEqual([isEnded(write), syncs.length], [false, 2])
      syncs[1]?.kept()
      yield* Fiber.join(write)
    })
  )

  it.live("is on the disk before a unit or a write that fails by what it has seen is answered", () =>
    Effect.gen(function* () {
      const { count, put, run, sql, syncs } = yield* hosts
      yield* sql`CREATE UNIQUE INDEX numbers_once ON numbers (n)`.pipe(started, Effect.tap(settled))
      syncs[0]?.kept()
      const unit = yield* started(put(1))
      yield* settled
      const unitFails = yield* started(Effect.flip(run(Effect.flatMap(count, (n) => Effect.fail(`I saw ${n}`)))))
      const writeFails = yield* started(Effect.flip(sql`INSERT INTO numbers (n) VALUES (1)`))
      yield* settled
      deepStrictEqual([isEnded(unitFails), isEnded(writeFails)], [false, false])
      syncs[1]?.kept()
      strictEqual(yield* Fiber.join(unitFails), "I saw 1")
      yield* Fiber.join(writeFails)
      yield* Fiber.join(unit)
    })
  )

  it.live(
    "isn't opened by a pragma: before its first write a connection may see another's log, which that one deletes",
    () =>
      Effect.gen(function* () {
        const { opened, put, sql, syncs } = yield* hosts
        yield* sql`PRAGMA busy_timeout = 0`
        strictEqual(opened(), 0)
        const unit = yield* started(put(1))
        yield* settled
        strictEqual(opened(), 1)
        syncs[0]?.kept()
        yield* Fiber.join(unit)
      })
  )

  it.live("isn't synced by units that only read", () =>
    Effect.gen(function* () {
      const { count, run, syncs } = yield* hosts
      strictEqual(yield* run(count), 0)
      deepStrictEqual(syncs, [])
    })
  )

  it.live("fails every unit and read once a sync failed, since a later sync may succeed without its data", () =>
    Effect.gen(function* () {
      const { count, put, syncs } = yield* hosts
      const first = yield* started(Effect.flip(put(1)))
      yield* settled
      const waiting = yield* started(Effect.flip(put(2)))
      const read = yield* started(Effect.flip(count))
      yield* settled
      syncs[0]?.failed(new Error("EIO"))
      for (const fiber of [first, waiting]) assertInstanceOf(yield* Fiber.join(fiber), StorageError)
      yield* Fiber.join(read)
      assertInstanceOf(yield* Effect.flip(put(3)), StorageError)
      yield* Effect.flip(count)
      strictEqual(syncs.length, 1)
    })
  )

  it.live("is on the disk before a read is answered that has seen a write outside of units, wherever it yielded", () =>
    Effect.gen(function* () {
      const { sql, syncs } = yield* hosts
      for (let steps = 8; steps <= 60; steps++) {
        const insert = sql`INSERT INTO numbers (n) VALUES (${steps})`
        const write = yield* started(Effect.provideService(insert, MaxOpsBeforeYield, steps))
        const reads: Array<Fiber.Fiber<ReadonlyArray<unknown>, unknown>> = []
        for (let turn = 0; turn < 4; turn++) {
          reads.push(yield* started(sql`SELECT n FROM numbers WHERE n = ${steps}`))
          yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        }
        const early = reads.map((read) => read.pollUnsafe()).filter((exit) => exit !== undefined)
        const seen = early.filter((exit) => Exit.isSuccess(exit) && exit.value.length > 0)
        deepStrictEqual(seen, [], `a yield after ${steps} steps`)
        yield* settled
        for (const { kept } of syncs.splice(0)) kept()
        yield* Fiber.join(write)
        yield* Fiber.joinAll(reads)
      }
    })
  )

  it.live("is on the disk before a durable read is answered that has seen another host's commit", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "log.db")
      const [one, other] = [yield* hostOn(file), yield* hostOn(file)]
      const read = durableRead(other.sql)(other.count)
      const first = yield* started(read)
      yield* settled
      for (const { kept } of other.syncs) kept()
      yield* Fiber.join(first)
      // The other host's disk hasn't kept its commit yet.
      yield* started(one.put(1))
      yield* settled
      const reads = [yield* started(read), yield* started(read)]
      yield* settled
      deepStrictEqual([reads.map(isEnded), other.syncs.length], [[false, false], 2])
      other.syncs[1]?.kept()
      for (const fiber of reads) strictEqual(yield* Fiber.join(fiber), 1)
      strictEqual(yield* read, 1)
      for (const { kept } of one.syncs) kept()
    })
  )

  it.live("is on the disk before the database is closed", () =>
    Effect.gen(function* () {
      const { put, stop, syncs } = yield* hosts
      const unit = yield* started(put(1))
      yield* settled
      const stopped = yield* started(stop)
      yield* settled
      strictEqual(isEnded(stopped), false)
      syncs[0]?.kept()
      yield* Fiber.join(stopped)
      yield* Fiber.join(unit)
    })
  )
})
