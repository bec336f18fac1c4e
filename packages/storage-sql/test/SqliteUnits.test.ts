import { join } from "node:path"
import { StorageError, Transaction } from "@crossdock/kernel"
import { TransactionSql } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import * as NodeSqlite from "@crossdock/storage-sql/NodeSqlite"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import * as SqliteClient from "../src/SqliteClient.ts"
import type { SqliteDatabase } from "../src/SqliteConnection.ts"
import { temporaryFolder } from "./Databases.ts"

describe.each([
  ["better-sqlite3", BetterSqlite3],
  ["node:sqlite", NodeSqlite]
] as const)("Units at once on SQLite, with %s", (_, driver) => {
  /** A client with a table of numbers; `controls` are the statements that began and ended its transactions. */
  const units = Effect.gen(function* () {
    const file = join(yield* temporaryFolder, "units.db")
    const controls: Array<string> = []
    const faults = new Map<string, Error>()
    const open = (): SqliteDatabase => {
      const database = driver.open(file)
      database.exec("PRAGMA journal_mode = WAL")
      const noted = (text: string) => {
        if (/^(BEGIN|COMMIT|ROLLBACK)/.test(text)) controls.push(text)
      }
      return {
        ...database,
        prepare: (text) => {
          const statement = database.prepare(text)
          const run: typeof statement.run = (params) => {
            noted(text)
            return statement.run(params)
          }
          return { ...statement, run }
        },
        exec: (text) => {
          noted(text)
          const failure = faults.get(text)
          faults.delete(text)
          if (failure !== undefined) throw failure
          database.exec(text)
        }
      }
    }
    const client = SqliteClient.layer("test", open)
    const scope = yield* Scope.fork(yield* Effect.scope)
    const context = yield* Layer.buildWithScope(Layer.provideMerge(TransactionSql.layer, client), scope)
    const sql = Context.get(context, SqlClient.SqlClient)
    const { run } = Context.get(context, Transaction.Transaction)
    yield* sql`CREATE TABLE numbers (n BIGINT NOT NULL UNIQUE)`
    const other = yield* Effect.acquireRelease(
      Effect.sync(() => driver.open(file)),
      (database) => Effect.sync(() => database.close())
    )
    controls.length = 0
    return {
      run,
      sql,
      other,
      controls,
      stop: Scope.close(scope, Exit.void),
      failNext: (text: "COMMIT" | "ROLLBACK", error: Error) => {
        faults.set(text, error)
      },
      put: (n: number) => Effect.asVoid(sql`INSERT INTO numbers (n) VALUES (${n})`),
      numbers: Effect.map(sql`SELECT n FROM numbers ORDER BY n`.values, (rows) => rows.map(([n]) => n)),
      onDisk: () =>
        other
          .prepare("SELECT n FROM numbers ORDER BY n")
          .values([])
          .map(([n]) => n)
    }
  })

  const together = <A, E>(effects: ReadonlyArray<Effect.Effect<A, E>>) =>
    Effect.forEach(effects, Effect.exit, { concurrency: "unbounded" })

  it.effect("share one commit, and each has ended when it is on the disk", () =>
    Effect.gen(function* () {
      const { controls, onDisk, put, run } = yield* units
      const seen = yield* together([1, 2, 3].map((n) => Effect.map(run(put(n)), () => onDisk().includes(n))))
      deepStrictEqual(seen, [Exit.succeed(true), Exit.succeed(true), Exit.succeed(true)])
      deepStrictEqual(controls, ["BEGIN IMMEDIATE", "COMMIT"])
    })
  )

  it.effect("one that fails before it has written fails alone", () =>
    Effect.gen(function* () {
      const { controls, numbers, put, run } = yield* units
      const failing = run(Effect.andThen(numbers, Effect.fail("rejected")))
      const [one, two, three] = yield* together([run(put(1)), failing, run(put(3))])
      deepStrictEqual([one, two, three], [Exit.void, Exit.fail("rejected"), Exit.void])
      deepStrictEqual(yield* numbers, [1, 3])
      deepStrictEqual(controls, ["BEGIN IMMEDIATE", "COMMIT"])
    })
  )

  it.effect("one that fails after it has written leaves nothing, and the others are there once", () =>
    Effect.gen(function* () {
      const { numbers, put, run } = yield* units
      const failing = run(Effect.andThen(put(2), Effect.fail("rejected")))
      const exits = yield* together([run(put(1)), failing, run(put(3)), run(put(4))])
      deepStrictEqual(exits, [Exit.void, Exit.fail("rejected"), Exit.void, Exit.void])
      deepStrictEqual(yield* numbers, [1, 3, 4])
    })
  )

  it.effect("one that fails by what another one wrote is right about it, although that one ran again", () =>
    Effect.gen(function* () {
      const { numbers, put, run } = yield* units
      const exits = yield* together([run(put(1)), run(Effect.andThen(put(2), put(1))), run(put(3))])
      deepStrictEqual(
        exits.map((exit) => exit._tag),
        ["Success", "Failure", "Success"]
      )
      deepStrictEqual(yield* numbers, [1, 3])
    })
  )

  it.effect("all fail when their commit does, leave nothing, and the next ones work", () =>
    Effect.gen(function* () {
      const { failNext, numbers, put, run } = yield* units
      failNext("COMMIT", new Error("The disk is full"))
      const exits = yield* together([1, 2].map((n) => Effect.flip(run(put(n)))))
      assertTrue(exits.every((exit) => Exit.isSuccess(exit) && exit.value instanceof StorageError))
      deepStrictEqual(yield* numbers, [])
      yield* run(put(5))
      deepStrictEqual(yield* numbers, [5])
    })
  )

  it.effect("a statement outside of them finds only what is on the disk", () =>
    Effect.gen(function* () {
      const { numbers, onDisk, put, run } = yield* units
      const found = yield* together([
        Effect.as(run(put(1)), true),
        Effect.map(numbers, (seen) => JSON.stringify(seen) === JSON.stringify(onDisk()))
      ])
      deepStrictEqual(found, [Exit.succeed(true), Exit.succeed(true)])
    })
  )

  it.effect(
    "a read outside of them shares their commit, and finds only what is on the disk, also when they are undone",
    () =>
      Effect.gen(function* () {
        const { controls, failNext, numbers, onDisk, put, run } = yield* units
        const read = Effect.map(numbers, (found) => [found, onDisk()])
        const [, one, , all] = yield* together([run(put(1)), read, run(put(2)), read])
        deepStrictEqual<unknown>(one, Exit.succeed([[1], [1, 2]]))
        deepStrictEqual<unknown>(
          all,
          Exit.succeed([
            [1, 2],
            [1, 2]
          ])
        )
        deepStrictEqual(controls, ["BEGIN IMMEDIATE", "COMMIT"])
        const failing = run(Effect.andThen(put(4), Effect.fail("rejected")))
        const [, undone] = yield* together([run(put(3)), read, failing])
        deepStrictEqual<unknown>(
          undone,
          Exit.succeed([
            [1, 2, 3],
            [1, 2, 3]
          ])
        )
        failNext("COMMIT", new Error("busy"))
        const [lost, kept] = yield* together([run(put(5)), read])
        assertTrue(lost !== undefined && Exit.isFailure(lost))
        deepStrictEqual<unknown>(
          kept,
          Exit.succeed([
            [1, 2, 3],
            [1, 2, 3]
          ])
        )
      })
  )

  it.effect("one that waits in its middle keeps the others' commit waiting, and nothing of theirs is lost", () =>
    Effect.gen(function* () {
      const { onDisk, put, run } = yield* units
      const gate = yield* Deferred.make<void>()
      const first = yield* Effect.forkChild(run(put(1)), { startImmediately: true })
      const slow = yield* Effect.forkChild(run(Effect.andThen(put(2), Effect.andThen(Deferred.await(gate), put(3)))), {
        startImmediately: true
      })
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(() => setImmediate(resolve))))
      deepStrictEqual([first.pollUnsafe(), onDisk()], [undefined, []])
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(first)
      yield* Fiber.join(slow)
      deepStrictEqual(onDisk(), [1, 2, 3])
    })
  )

  it.effect(
    "what follows a commit follows it, also of one that is interrupted meanwhile, and not of one that failed",
    () =>
      Effect.gen(function* () {
        const { onDisk, put, run, sql } = yield* units
        const seen: Array<unknown> = []
        const noting = (n: number) =>
          Effect.andThen(put(n), sql.afterCommit(Effect.sync(() => seen.push([n, onDisk()]))))
        yield* run(noting(1))
        const interrupted = yield* Effect.forkChild(run(noting(2)), { startImmediately: true })
        yield* Fiber.interrupt(interrupted)
        yield* Effect.exit(run(Effect.andThen(noting(3), Effect.fail("rejected"))))
        deepStrictEqual(seen, [
          [1, [1]],
          [2, [1, 2]]
        ])
      })
  )

  it.effect("parts of one fail on their own, one after the other", () =>
    Effect.gen(function* () {
      const { numbers, put, run } = yield* units
      const part = (n: number) =>
        Effect.andThen(put(n), Effect.andThen(Effect.yieldNow, n === 2 ? Effect.fail("no") : Effect.void))
      yield* run(Effect.forEach([1, 2, 3], (n) => Effect.exit(run(part(n))), { concurrency: "unbounded" }))
      deepStrictEqual(yield* numbers, [1, 3])
    })
  )

  it.live("those of one turn that go on for more than 10 ms are committed meanwhile", () =>
    Effect.gen(function* () {
      const { controls, put, run } = yield* units
      const busy = Effect.sync(() => {
        const until = performance.now() + 11
        while (performance.now() < until);
      })
      yield* together([1, 2, 3].map((n) => run(Effect.andThen(busy, put(n)))))
      strictEqual(controls.filter((text) => text === "COMMIT").length, 3)
    })
  )

  it.effect("one that failed by what another one wrote runs again when that was undone", () =>
    Effect.gen(function* () {
      const { numbers, put, run } = yield* units
      let attempts = 0
      const once = Effect.suspend(() => (attempts++ === 0 ? put(1) : Effect.void))
      const second = Effect.flatMap(Effect.andThen(put(2), numbers), (found) =>
        found.includes(1) ? Effect.fail("1 is there") : Effect.void
      )
      deepStrictEqual(yield* together([run(once), run(second)]), [Exit.void, Exit.void])
      deepStrictEqual(yield* numbers, [2])
    })
  )

  it.effect("what a part that fails leaves for after the commit doesn't run", () =>
    Effect.gen(function* () {
      const { run, sql } = yield* units
      const seen: Array<string> = []
      const note = (name: string) => sql.afterCommit(Effect.sync(() => seen.push(name)))
      yield* run(Effect.andThen(note("unit"), Effect.exit(run(Effect.andThen(note("part"), Effect.fail("rejected"))))))
      deepStrictEqual(seen, ["unit"])
    })
  )

  it.live("a statement outside of them that is interrupted at any step gives its turn back", () =>
    Effect.gen(function* () {
      const { sql } = yield* units
      // Where a long run of statements yields depends on what ran before them.
      for (let steps = 0; steps < 40; steps++) {
        const before = Effect.forEach(Array.from({ length: steps }), () => Effect.suspend(() => Effect.void))
        const reading = Effect.andThen(before, Effect.forever(sql`SELECT 1`, { disableYield: true }))
        const fiber = yield* Effect.forkChild(reading, { startImmediately: true })
        yield* Fiber.interrupt(fiber)
        const next = yield* Effect.timeoutOption(sql`SELECT 1`, "1 minute")
        strictEqual(next._tag, "Some", `the turn is lost after ${steps} steps`)
      }
    })
  )

  it.effect("an open transaction is committed before the database is closed", () =>
    Effect.gen(function* () {
      const { onDisk, put, run, stop } = yield* units
      const fiber = yield* Effect.forkChild(run(put(1)), { startImmediately: true })
      strictEqual(fiber.pollUnsafe(), undefined)
      yield* stop
      deepStrictEqual(yield* Fiber.await(fiber), Exit.void)
      deepStrictEqual(onDisk(), [1])
    })
  )

  it.effect("one that hasn't ended when the database is closed leaves nothing", () =>
    Effect.gen(function* () {
      const { onDisk, put, run, stop } = yield* units
      const first = yield* Effect.forkChild(run(put(1)), { startImmediately: true })
      const second = yield* Effect.forkChild(run(Effect.andThen(put(2), Effect.never)), { startImmediately: true })
      yield* stop
      strictEqual((yield* Fiber.await(first))._tag, "Failure")
      yield* Fiber.interrupt(second)
      deepStrictEqual(onDisk(), [])
    })
  )

  it.effect("what one that fails without a write leaves for after the commit doesn't run", () =>
    Effect.gen(function* () {
      const { put, run, sql } = yield* units
      const seen: Array<string> = []
      const note = sql.afterCommit(Effect.sync(() => seen.push("failed")))
      yield* together<void, unknown>([run(put(1)), run(Effect.andThen(note, Effect.fail("rejected")))])
      deepStrictEqual(seen, [])
    })
  )

  it.effect("a rollback that fails is made up for before anything else runs", () =>
    Effect.gen(function* () {
      const { failNext, numbers, onDisk, put, run } = yield* units
      const fault = new Error("out of memory")
      failNext("ROLLBACK", fault)
      const exits = yield* together([run(put(1)), run(Effect.andThen(put(2), Effect.fail("rejected"))), run(put(3))])
      deepStrictEqual(exits, [Exit.void, Exit.fail("rejected"), Exit.void])
      deepStrictEqual(onDisk(), [1, 3])
      failNext("ROLLBACK", fault)
      deepStrictEqual(yield* Effect.exit(run(Effect.andThen(put(4), Effect.fail("rejected")))), Exit.fail("rejected"))
      deepStrictEqual(yield* numbers, [1, 3])
      failNext("COMMIT", fault)
      failNext("ROLLBACK", fault)
      strictEqual((yield* Effect.exit(run(put(5))))._tag, "Failure")
      yield* run(put(6))
      deepStrictEqual(onDisk(), [1, 3, 6])
    })
  )

  it.effect("one that SQLite rolls back on a full disk leaves nothing, and the others are there", () =>
    Effect.gen(function* () {
      const { numbers, put, run, sql } = yield* units
      yield* sql`CREATE TABLE large (value BLOB)`
      const [pages] = yield* sql<{ page_count: number }>`PRAGMA page_count`
      yield* sql`PRAGMA max_page_count = ${sql.literal(String((pages?.page_count ?? 0) + 5))}`
      const large = sql`INSERT INTO large (value) VALUES (zeroblob(100000))`
      const bearing = run(Effect.andThen(put(2), Effect.andThen(Effect.exit(large), put(3))))
      const inPart = run(Effect.andThen(put(4), Effect.andThen(Effect.exit(run(large)), run(put(5)))))
      const exits = yield* together([run(put(1)), bearing, run(put(6)), inPart, run(put(7))])
      deepStrictEqual(
        exits.map((exit) => exit._tag),
        ["Success", "Failure", "Success", "Failure", "Success"]
      )
      deepStrictEqual(yield* numbers, [1, 6, 7])
    })
  )

  it.effect("one that swallows SQLite's rollback on a full disk fails, and the next one's writes are there once", () =>
    Effect.gen(function* () {
      const { numbers, put, run, sql } = yield* units
      yield* sql`CREATE TABLE large (value BLOB)`
      const [pages] = yield* sql<{ page_count: number }>`PRAGMA page_count`
      yield* sql`PRAGMA max_page_count = ${sql.literal(String((pages?.page_count ?? 0) + 5))}`
      const large = Effect.exit(sql`INSERT INTO large (value) VALUES (zeroblob(100000))`)
      // Without a key of its own, a row that is written twice is there twice.
      yield* sql`CREATE TABLE repeated (n BIGINT NOT NULL)`
      const repeated = (n: number) => Effect.asVoid(sql`INSERT INTO repeated (n) VALUES (${n})`)
      const exits = yield* together([run(Effect.andThen(put(1), large)), run(repeated(2)), run(repeated(3))])
      deepStrictEqual(
        exits.map((exit) => exit._tag),
        ["Failure", "Success", "Success"]
      )
      deepStrictEqual(yield* numbers, [])
      deepStrictEqual(yield* sql`SELECT n FROM repeated ORDER BY n`.values, [[2], [3]])
    })
  )

  it.live("reads outside of them keep none from its commit for more than 10 ms", () =>
    Effect.gen(function* () {
      const { put, run, sql } = yield* units
      const unit = yield* Effect.forkChild(run(put(1)), { startImmediately: true })
      const reads: Array<Fiber.Fiber<unknown, unknown>> = []
      for (let turn = 0; turn < 100_000 && unit.pollUnsafe() === undefined; turn++) {
        reads.push(yield* Effect.forkChild(sql`SELECT 1`, { startImmediately: true }))
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      }
      deepStrictEqual(unit.pollUnsafe(), Exit.void)
      yield* Fiber.joinAll(reads)
    })
  )

  it.effect("one that is interrupted while another process has the lock gives its turn back at once", () =>
    Effect.gen(function* () {
      const { numbers, other, put, run } = yield* units
      other.exec("BEGIN IMMEDIATE")
      const unit = yield* Effect.forkChild(run(put(1)), { startImmediately: true })
      const interrupted = yield* Effect.forkChild(Fiber.interrupt(unit), { startImmediately: true })
      const read = yield* Effect.forkChild(numbers, { startImmediately: true })
      yield* TestClock.adjust("1 millis")
      // The lock is still there, so only a wait for the turn could delay the read.
      deepStrictEqual([interrupted.pollUnsafe(), read.pollUnsafe()], [Exit.void, Exit.succeed([])])
      other.exec("COMMIT")
      yield* run(put(2))
      deepStrictEqual(yield* numbers, [2])
    }).pipe(Effect.ensuring(TestClock.adjust("6 seconds")))
  )

  it.effect("a pragma of one that fails is undone, although it shared a transaction", () =>
    Effect.gen(function* () {
      const { put, run, sql } = yield* units
      const failing = run(Effect.andThen(sql`PRAGMA user_version = 7`, Effect.fail("rejected")))
      yield* together([run(put(1)), failing])
      deepStrictEqual(yield* sql`PRAGMA user_version`.values, [[0]])
    })
  )

  it.effect("an insert takes what Effect's own takes", () =>
    Effect.gen(function* () {
      const { sql } = yield* units
      yield* sql`CREATE TABLE pairs (a BIGINT, b BIGINT)`
      const rows = yield* sql<object>`INSERT INTO pairs ${sql.insert({ a: undefined, b: 1 }).returning("*")}`
      deepStrictEqual(
        rows.map((row) => ({ ...row })),
        [{ a: null, b: 1 }]
      )
      yield* sql`INSERT INTO pairs ${sql.insert({ a: undefined, b: 2 })}`
      deepStrictEqual(yield* sql`SELECT b FROM pairs WHERE a IS NULL`.values, [[1], [2]])
    })
  )
})
