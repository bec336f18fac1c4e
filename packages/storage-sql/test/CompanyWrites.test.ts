/**
 * Changes of companies on PostgreSQL, whose lock, writes and commit are sent together.
 */
import { createHash } from "node:crypto"
import {
  AuditChain,
  type AuditRecord,
  AuditStore,
  CompanyWrite,
  EventLog,
  type LockedHead,
  type NextRecord
} from "@crossdock/audit"
import { DigestNode } from "@crossdock/crypto"
import { StockLevels } from "@crossdock/inventory"
import { CompanyId, Idempotency, Ids, StaleWrite, StorageError, Transaction } from "@crossdock/kernel"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import * as Fresh from "@crossdock/storage-laws/Fresh"
import * as SeedLayer from "@crossdock/storage-laws/Seed"
import { Seed } from "@crossdock/storage-laws/Seed"
import { StorageSql, UnitTimeout } from "@crossdock/storage-sql"
import * as NodePostgres from "@crossdock/storage-sql/NodePostgres"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Deferred, Duration, Effect, Exit, Fiber, Layer, Redacted, Ref } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import pg from "pg"
import { inject } from "vitest"
import { expectRows } from "../src/Dialect.ts"

const services = Layer.mergeAll(CompanyWrite.layer, Idempotency.layer, SeedLayer.layer).pipe(
  Layer.provideMerge(StorageSql.layer),
  Layer.provideMerge(Layer.mergeAll(DigestNode.layer, Ids.layer))
)

const url = PostgresDatabase.make(inject("postgres"))

const hostOn = (address: Redacted.Redacted) =>
  Layer.build(Layer.fresh(Layer.orDie(Layer.provideMerge(services, Postgres.layer(address)))))

const clients = {
  "that pipelines": Layer.unwrap(Effect.map(url, (address) => Layer.orDie(Postgres.layer(address)))),
  "that waits for each answer": Layer.unwrap(
    Effect.map(
      Effect.flatMap(url, (address) =>
        Effect.acquireRelease(
          Effect.sync(() => new pg.Pool({ connectionString: Redacted.value(address) })),
          (pool) => Effect.promise(() => pool.end())
        )
      ),
      NodePostgres.fromPool
    )
  )
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

const freshCompany = Effect.gen(function* () {
  const id = yield* Fresh.companyId
  yield* (yield* Seed).companies([Fresh.company(id)])
  return id
})

const caller = { principal: { kind: "system", id: "test" }, requestId: "r1" } as const

const nextRecord = (companyId: CompanyId, nth: number, text: string): NextRecord => ({
  companyId,
  random: `${nth}`.padStart(24, "f"),
  at: 1_790_000_000_000 + nth,
  entityType: "inventory",
  entityId: text,
  action: "set",
  content: JSON.stringify({ at: 1_790_000_000_000 + nth, logs: text }).slice(1),
  personal: nth % 2 === 0 ? null : `{"salt":"${nth}"}`,
  events: Array.from({ length: nth % 3 }, (_, i) => ({ type: "test.happened", version: 1, data: { i, text } }))
})

/** Writes a change with one event and nothing else. */
const change = (
  companyId: CompanyId,
  id: string,
  save: Effect.Effect<void, StaleWrite | StorageError> = Effect.void,
  lockFirst: ReadonlyArray<CompanyId> = []
) =>
  Effect.flatMap(CompanyWrite.CompanyWrite, ({ run }) =>
    run(caller, {
      load: Effect.void,
      lockFirst: () => lockFirst,
      decide: () =>
        Effect.succeed({
          answer: id,
          changes: [
            {
              companyId,
              entity: { type: "test", id, action: "set" },
              save: () => Effect.as(save, { logs: null, events: [{ type: "test.happened", version: 1, data: { id } }] })
            }
          ]
        })
    })
  )

const trail = (companyId: CompanyId) => Effect.flatMap(AuditStore, (log) => log.read(companyId, 0, 1000))

/** The numbers of a trail that follows on nothing, and whether it has a break. */
const followed = (companyId: CompanyId) =>
  Effect.map(trail(companyId), (records) => {
    const { broken, head } = AuditChain.follow({ companyId, sequence: 0, hash: "" }, records, sha256)
    return { broken, last: head.sequence }
  })

const locksWaitedFor = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.orDie(
    sql`SELECT 1 AS one FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
  )
)

const untilOneWaits = Effect.gen(function* () {
  while ((yield* locksWaitedFor).length === 0) yield* Effect.yieldNow
})

const untilNobodyWaits = Effect.gen(function* () {
  while ((yield* locksWaitedFor).length > 0) yield* Effect.yieldNow
})

/** Locks the company until `end`. */
const locking = (companyId: CompanyId) =>
  Effect.gen(function* () {
    const [locked, end] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const { run } = yield* Transaction.Transaction
    const lock = Effect.flatMap(AuditStore, (log) => log.lock([companyId]))
    const work = Effect.andThen(lock, Effect.andThen(Deferred.succeed(locked, undefined), Deferred.await(end)))
    const fiber = yield* Effect.forkChild(run(work))
    yield* Deferred.await(locked)
    return Effect.andThen(Deferred.succeed(end, undefined), Fiber.join(fiber))
  })

for (const [which, client] of Object.entries(clients)) {
  describe(`Changes of companies on PostgreSQL, by a client ${which}`, () => {
    it.live("are numbered, composed and chained by the server exactly as the rule does it, with their events", () =>
      Effect.gen(function* () {
        const [log, feed] = [yield* AuditStore, yield* EventLog]
        const { run } = yield* Transaction.Transaction
        const companies = [yield* freshCompany, yield* freshCompany]
        const texts = ["", `"\\ \n\t\u2028`, "कुर्ता 😀", "x".repeat(300_000), "%' $1 ?", "7"]
        const heads = new Map<CompanyId, LockedHead>()
        const expected = new Map(companies.map((id) => [id, [] as Array<AuditRecord>]))
        for (const [nth, text] of texts.entries()) {
          const next = companies.slice(0, 1 + (nth % 2)).map((companyId) => nextRecord(companyId, nth, text))
          yield* run(Transaction.writes(log.appendNext?.(next) ?? Effect.die("no appendNext")))
          for (const one of next) {
            const head = heads.get(one.companyId) ?? { companyId: one.companyId, sequence: 0, hash: "", events: 0 }
            const { batch, record } = AuditChain.sealed(head, one, sha256)
            expected.get(one.companyId)?.push(record)
            const events = head.events + (batch?.drafts.length ?? 0)
            heads.set(one.companyId, { companyId: one.companyId, sequence: record.sequence, hash: record.hash, events })
            const [found] = (yield* feed.read(one.companyId, head.events, 10)).batches
            deepStrictEqual(found, batch)
          }
        }
        for (const id of companies) deepStrictEqual(yield* trail(id), expected.get(id))
        deepStrictEqual(yield* log.lock(companies), [...heads.values()])
      }).pipe(Effect.provide(Layer.provideMerge(services, client)))
    )

    it.live("mark stock with the number that the change gets, also when another one comes between", () =>
      Effect.gen(function* () {
        const levels = yield* StockLevels
        const seed = yield* Seed
        const company = yield* freshCompany
        yield* seed.locations([Fresh.location(company, "L1")])
        yield* seed.products(company, [Fresh.product(company, "item", ["s1"])])
        const { run } = yield* CompanyWrite.CompanyWrite
        const addThen = (saved: Effect.Effect<unknown>) =>
          run(caller, {
            load: levels.load(company, [{ sku: "s1", location: "L1" }]),
            decide: ([before]) =>
              Effect.succeed({
                answer: undefined,
                changes: [
                  {
                    companyId: company,
                    entity: { type: "inventory", id: "s1", action: "set" },
                    save: ({ at, changeNumber }) => {
                      if (before === undefined || typeof before === "string") return Effect.die("no level")
                      const after = { ...before, onHand: before.onHand + 1 }
                      const movement = {
                        onHand: 1,
                        reserved: 0,
                        unsellable: 0,
                        reason: "set",
                        reference: null
                      } as const
                      const marked = { before, after, movements: [movement], marked: true }
                      return levels
                        .save(company, changeNumber, at, [marked])
                        .pipe(Effect.andThen(saved), Effect.as({ logs: null, events: [] }))
                    }
                  }
                ]
              })
          })
        yield* change(company, "before")
        // Another change that comes between the stock and its record has to wait for both.
        const outside = yield* Effect.context<Layer.Success<typeof services> | SqlClient.SqlClient>()
        let rival: Promise<unknown> | undefined
        let isDone = false
        const between = Effect.gen(function* () {
          rival = Effect.runPromise(Effect.provideContext(change(company, "rival"), outside)).finally(() => {
            isDone = true
          })
          const others = Effect.provideContext(locksWaitedFor, outside)
          while (!isDone && (yield* Effect.promise(() => Effect.runPromise(others))).length === 0)
            yield* Effect.yieldNow
        })
        yield* addThen(between)
        yield* Effect.promise(() => rival ?? Promise.reject(new Error("no rival")))
        const numberOfStock = Effect.map(trail(company), (records) => {
          return records.findLast(({ entityType }) => entityType === "inventory")?.sequence
        })
        const [first] = yield* levels.marked(company, ["L1"], 0, 10, "m")
        strictEqual(first?.changeNumber, yield* numberOfStock)
        const add = addThen(Effect.void)
        yield* Effect.all(
          Array.from({ length: 12 }, (_, nth) => (nth % 2 === 0 ? add : change(company, "between"))),
          { concurrency: "unbounded" }
        )
        const [level] = yield* levels.marked(company, ["L1"], 0, 10, "m")
        strictEqual(level?.onHand, 7)
        strictEqual(level?.changeNumber, yield* numberOfStock)
        deepStrictEqual(yield* levels.discrepancies(company), [])
        deepStrictEqual(yield* followed(company), { broken: undefined, last: 15 })
      }).pipe(Effect.provide(Layer.provideMerge(services, client)))
    )

    it.live(
      "that can't be written as JSON, or whose company is not registered, leave nothing behind and are not made again",
      () =>
        Effect.gen(function* () {
          const company = yield* freshCompany
          const sql = yield* SqlClient.SqlClient
          yield* sql`CREATE TABLE attempts (n BIGINT)`
          const { run } = yield* CompanyWrite.CompanyWrite
          const attempt = Transaction.write(Effect.asVoid(Effect.orDie(sql`INSERT INTO attempts VALUES (1)`)))
          const written = (companyId: CompanyId, data: unknown) =>
            run(caller, {
              load: Effect.void,
              decide: () => {
                const events = [{ type: "test.happened", version: 1, data }]
                const entity = { type: "test", id: "1", action: "set" }
                const save = () => Effect.as(attempt, { logs: null, events })
                return Effect.succeed({ answer: "written", changes: [{ companyId, entity, save }] })
              }
            })
          const unwritable = yield* Effect.exit(written(company, { n: 1n }))
          assertTrue(Exit.isFailure(unwritable) && String(unwritable.cause).includes("BigInt"), String(unwritable))
          const unknown = yield* Effect.exit(written(CompanyId.make(987_654), {}))
          assertTrue(Exit.isFailure(unknown) && String(unknown.cause).includes("not registered"), String(unknown))
          deepStrictEqual(
            [yield* sql`SELECT n FROM attempts`, yield* followed(company)],
            [[], { broken: undefined, last: 0 }]
          )
        }).pipe(Effect.provide(Layer.provideMerge(services, client)))
    )

    it.live("that were stale leave nothing behind, are made again, and count once", () =>
      Effect.gen(function* () {
        const company = yield* freshCompany
        const attempts = yield* Ref.make(0)
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE noted (attempt BIGINT)`
        // The server's own failure, as of a guarded write, after a write that succeeded.
        const save = Effect.gen(function* () {
          const attempt = yield* Ref.updateAndGet(attempts, (n) => n + 1)
          yield* Transaction.write(Effect.asVoid(Effect.orDie(sql`INSERT INTO noted VALUES (${attempt})`)))
          const stale = Effect.mapError(sql`SELECT 1 / ${attempt - 1}::integer AS one`, () => {
            return new StaleWrite({ operation: "test" })
          })
          yield* Transaction.write(attempt < 3 ? (attempt === 1 ? Effect.asVoid(stale) : failing(sql)) : Effect.void)
        })
        strictEqual(yield* change(company, "once", save), "once")
        strictEqual(yield* Ref.get(attempts), 3)
        deepStrictEqual(yield* sql`SELECT attempt FROM noted`, [{ attempt: 3 }])
        deepStrictEqual(yield* followed(company), { broken: undefined, last: 1 })
      }).pipe(Effect.provide(Layer.provideMerge(services, client)))
    )
  })
}

const failing = (sql: SqlClient.SqlClient) =>
  Effect.mapError(sql`SELECT 'not a number'::integer AS one`, () => new StaleWrite({ operation: "test" })).pipe(
    Effect.asVoid
  )

describe("Hosts that change one company", () => {
  it.live("leave an unbroken trail with every change once, on three hosts and with two companies in some changes", () =>
    Effect.gen(function* () {
      const address = yield* url
      const hosts = [yield* hostOn(address), yield* hostOn(address), yield* hostOn(address)]
      const [first] = hosts as [(typeof hosts)[number]]
      const [one, other] = yield* Effect.provideContext(Effect.all([freshCompany, freshCompany]), first)
      const both = Effect.flatMap(CompanyWrite.CompanyWrite, ({ run }) =>
        run(caller, {
          load: Effect.void,
          // Not in the order of their ids: they are locked in that order in any case.
          decide: () =>
            Effect.succeed({
              answer: "both",
              changes: [other, one].map((companyId) => ({
                companyId,
                entity: { type: "test", id: "both", action: "set" },
                save: () => Effect.succeed({ logs: null, events: [] })
              }))
            })
        })
      )
      yield* Effect.forEach(
        Array.from({ length: 90 }, (_, nth) => nth),
        (nth) =>
          Effect.provideContext(
            nth % 3 === 0 ? both : change(nth % 2 === 0 ? one : other, `${nth}`),
            hosts[nth % 3] ?? first
          ),
        { concurrency: 12 }
      )
      yield* Effect.provideContext(
        Effect.gen(function* () {
          deepStrictEqual(yield* followed(one), { broken: undefined, last: 60 })
          deepStrictEqual(yield* followed(other), { broken: undefined, last: 60 })
          const { batches } = yield* (yield* EventLog).read(one, 0, 100)
          deepStrictEqual(
            batches.map(({ first: number }) => number),
            Array.from({ length: 30 }, (_, nth) => nth + 1)
          )
        }),
        first
      )
    })
  )

  it.live("take back only their own part when they fail inside of a unit that goes on", () =>
    Effect.gen(function* () {
      const company = yield* freshCompany
      const { run } = yield* Transaction.Transaction
      const sql = yield* SqlClient.SqlClient
      const broken = Effect.asVoid(
        Effect.mapError(sql`SELECT 1 / (0 * 1) AS one`, (cause) => new StorageError({ operation: "test", cause }))
      )
      const both = Effect.gen(function* () {
        const inner = yield* Effect.exit(change(company, "inner", Transaction.write(broken)))
        return [inner._tag, yield* change(company, "outer")]
      })
      deepStrictEqual(yield* run(both), ["Failure", "outer"])
      deepStrictEqual(
        (yield* trail(company)).map(({ entityId }) => entityId),
        ["outer"]
      )
    }).pipe(Effect.provide(Layer.provideMerge(services, clients["that pipelines"])))
  )

  it.live("are at most one for each company", () =>
    Effect.gen(function* () {
      const company = yield* freshCompany
      const { run } = yield* CompanyWrite.CompanyWrite
      const entity = { type: "test", id: "1", action: "set" }
      const one = { companyId: company, entity, save: () => Effect.succeed({ logs: null, events: [] }) }
      const decision = Effect.succeed({ answer: "two", changes: [one, one] })
      const exit = yield* Effect.exit(run(caller, { load: Effect.void, decide: () => decision }))
      assertTrue(Exit.isFailure(exit) && String(exit.cause).includes("Two changes of one company"))
      deepStrictEqual(yield* followed(company), { broken: undefined, last: 0 })
    }).pipe(Effect.provide(Layer.provideMerge(services, clients["that pipelines"])))
  )

  it.live("are stale only where rows are missing, and fail as anything else does otherwise", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE counted (n BIGINT PRIMARY KEY CHECK (n < 3))`
      const write = (n: number, count: number) =>
        Effect.flip(expectRows(sql, "test", count, sql`INSERT INTO counted VALUES (${n}::bigint)`))
      strictEqual((yield* write(1, 2))._tag, "StaleWrite")
      strictEqual((yield* write(3, 1))._tag, "SqlError")
      deepStrictEqual(yield* sql`SELECT n FROM counted`, [])
    }).pipe(Effect.provide(Layer.provideMerge(services, clients["that pipelines"])))
  )

  it.live("decide before the company is locked, and lock it only as they write", () =>
    Effect.gen(function* () {
      const company = yield* freshCompany
      const release = yield* locking(company)
      const decided = yield* Deferred.make<void>()
      const { run } = yield* CompanyWrite.CompanyWrite
      const entity = { type: "test", id: "1", action: "set" }
      const save = () => Effect.succeed({ logs: null, events: [] })
      const decision = { answer: "written", changes: [{ companyId: company, entity, save }] }
      const write = (lockFirst: boolean) =>
        run(caller, {
          load: Effect.void,
          ...(lockFirst ? { lockFirst: () => [company] } : {}),
          decide: () => Effect.as(Deferred.succeed(decided, undefined), decision)
        })
      const early = yield* Effect.forkChild(write(true))
      yield* untilOneWaits
      strictEqual(yield* Deferred.isDone(decided), false)
      const later = yield* Effect.forkChild(write(false))
      yield* Deferred.await(decided)
      strictEqual(later.pollUnsafe(), undefined)
      yield* release
      deepStrictEqual(yield* Effect.all([Fiber.join(early), Fiber.join(later)]), ["written", "written"])
    }).pipe(Effect.provide(Layer.provideMerge(services, clients["that pipelines"])))
  )

  it.live("save what is new before the company is locked, and nothing of it when they fail", () =>
    Effect.gen(function* () {
      const company = yield* freshCompany
      const sql = yield* SqlClient.SqlClient
      const { run } = yield* CompanyWrite.CompanyWrite
      const saved = yield* Deferred.make<void>()
      const slug = yield* Fresh.text("new")
      const add = sql`INSERT INTO crossdock_marketplaces (slug, body) VALUES (${slug}, '{}')`
      const write = (save: Effect.Effect<void, StorageError>) =>
        run(caller, {
          load: Effect.void,
          decide: () =>
            Effect.succeed({
              answer: "done",
              changes: [
                {
                  companyId: company,
                  entity: { type: "test", id: slug, action: "set" },
                  saveNew: Effect.orDie(Effect.andThen(add, Deferred.succeed(saved, undefined))),
                  save: () => Effect.as(save, { logs: null, events: [] })
                }
              ]
            })
        })
      const rows = sql`SELECT 1 AS one FROM crossdock_marketplaces WHERE slug = ${slug}`
      const failure = new StorageError({ operation: "test", cause: "test", isContended: false, isTooLarge: false })
      yield* Effect.flip(write(Effect.fail(failure)))
      strictEqual((yield* rows).length, 0)
      const free = yield* locking(company)
      const writing = yield* Effect.forkChild(write(Effect.void))
      yield* Deferred.await(saved)
      yield* untilOneWaits
      strictEqual((yield* rows).length, 0)
      yield* free
      strictEqual(yield* Fiber.join(writing), "done")
      strictEqual((yield* rows).length, 1)
    }).pipe(Effect.provide(Layer.provideMerge(services, clients["that pipelines"])), Effect.scoped)
  )

  it.live("wait for its lock, behind which the commit is sent already, only as long as a unit may take", () =>
    Effect.gen(function* () {
      const company = yield* freshCompany
      const release = yield* locking(company)
      const late = Effect.provideService(change(company, "late"), UnitTimeout, Duration.millis(300))
      const error = yield* Effect.flip(late)
      assertTrue(error instanceof StorageError && String(error.cause).includes("No answer within"))
      yield* untilNobodyWaits
      yield* release
      strictEqual(yield* change(company, "next"), "next")
      deepStrictEqual(yield* followed(company), { broken: undefined, last: 1 })
    }).pipe(Effect.provide(Layer.provideMerge(services, clients["that pipelines"])))
  )

  it.live("give the lock that they wait for up at once when they are interrupted, and write nothing", () =>
    Effect.gen(function* () {
      const company = yield* freshCompany
      const release = yield* locking(company)
      const waits = yield* Effect.forkChild(change(company, "interrupted"))
      yield* untilOneWaits
      yield* Effect.timeout(Fiber.interrupt(waits), Duration.seconds(5))
      yield* untilNobodyWaits
      yield* release
      deepStrictEqual(yield* followed(company), { broken: undefined, last: 0 })
      yield* change(company, "next")
      deepStrictEqual(yield* followed(company), { broken: undefined, last: 1 })
    }).pipe(Effect.provide(Layer.provideMerge(services, clients["that pipelines"])))
  )
})

describe("Work that is done once per key", () => {
  const key = (name: string) => ({ principal: "p", method: "POST", path: "/", key: name })
  const answer = (text: string) => ({ status: 200, contentType: "text/plain", body: text })
  const never = () => undefined

  it.live("commits its changes and its answer together, and is done again as a whole when it was stale", () =>
    Effect.gen(function* () {
      const company = yield* freshCompany
      const { once } = yield* Idempotency.Idempotent
      const sql = yield* SqlClient.SqlClient
      const attempts = yield* Ref.make(0)
      const save = Effect.flatMap(
        Ref.updateAndGet(attempts, (n) => n + 1),
        (attempt) => (attempt === 1 ? Transaction.write(failing(sql)) : Effect.void)
      )
      const work = Effect.map(change(company, "keyed", save), answer)
      deepStrictEqual(yield* once(key("k1"), "f", work, never), { answer: answer("keyed"), isReplayed: false })
      deepStrictEqual(yield* once(key("k1"), "f", work, never), { answer: answer("keyed"), isReplayed: true })
      strictEqual(yield* Ref.get(attempts), 2)
      deepStrictEqual(yield* followed(company), { broken: undefined, last: 1 })
    }).pipe(Effect.provide(Layer.provideMerge(services, clients["that pipelines"])))
  )

  it.live("may lock its company first, and has the events of each change", () =>
    Effect.gen(function* () {
      const company = yield* freshCompany
      const { once } = yield* Idempotency.Idempotent
      for (const [nth, locked] of [[company], [], [company]].entries()) {
        const work = Effect.map(change(company, `locked ${nth}`, Effect.void, locked), answer)
        const done = { answer: answer(`locked ${nth}`), isReplayed: false }
        deepStrictEqual(yield* once(key(`locked ${nth}`), "f", work, never), done)
      }
      const { batches } = yield* (yield* EventLog).read(company, 0, 10)
      deepStrictEqual([yield* followed(company), batches.length], [{ broken: undefined, last: 3 }, 3])
    }).pipe(Effect.provide(Layer.provideMerge(services, clients["that pipelines"])))
  )

  it.live("sees in its second change what its first one wrote, and writes both or neither", () =>
    Effect.gen(function* () {
      const company = yield* freshCompany
      const { once } = yield* Idempotency.Idempotent
      const seen = yield* Ref.make<ReadonlyArray<number>>([])
      const both = Effect.gen(function* () {
        yield* change(company, "first")
        const records = yield* trail(company)
        yield* Ref.update(seen, (before) => [...before, records.length])
        yield* change(company, "second")
        return answer("both")
      })
      yield* once(key("k2"), "f", both, never)
      const rejected = once(key("k3"), "f", Effect.andThen(both, Effect.fail("rejected")), never)
      strictEqual(yield* Effect.flip(rejected), "rejected")
      deepStrictEqual([yield* Ref.get(seen), yield* followed(company)], [[1, 3], { broken: undefined, last: 2 }])
    }).pipe(Effect.provide(Layer.provideMerge(services, clients["that pipelines"])))
  )

  it.live("keeps no change without another one of the same work, whatever the work catches", () =>
    Effect.gen(function* () {
      const company = yield* freshCompany
      const { once } = yield* Idempotency.Idempotent
      const sql = yield* SqlClient.SqlClient
      const rejections = [
        Effect.fail(new StaleWrite({ operation: "test" })),
        Effect.die("a bug"),
        Effect.asVoid(Effect.orDie(sql`SELECT 1 AS one`))
      ]
      for (const [nth, rejection] of rejections.entries()) {
        const attempts = yield* Ref.make(0)
        const staleOnce = Effect.flatMap(
          Ref.updateAndGet(attempts, (n) => n + 1),
          (attempt) => (attempt === 1 ? Transaction.write(failing(sql)) : Effect.void)
        )
        const work = Effect.gen(function* () {
          const first = yield* change(company, `first ${nth}`, staleOnce)
          const second = yield* Effect.exit(change(company, `second ${nth}`, rejection))
          return answer(`${first}, ${second._tag}`)
        })
        const kept = yield* once(key(`caught ${nth}`), "f", work, never)
        deepStrictEqual(yield* once(key(`caught ${nth}`), "f", work, never), { ...kept, isReplayed: true })
        const ids = (yield* trail(company)).map(({ entityId }) => entityId).filter((id) => id.endsWith(`${nth}`))
        const isSecond = kept.answer.body.endsWith("Success")
        deepStrictEqual(ids, isSecond ? [`first ${nth}`, `second ${nth}`] : [`first ${nth}`])
      }
    }).pipe(Effect.provide(Layer.provideMerge(services, clients["that pipelines"])))
  )

  it.live("repeats a change that gave way, also when the work turns errors into answers", () =>
    Effect.gen(function* () {
      const company = yield* freshCompany
      const { once } = yield* Idempotency.Idempotent
      const { run } = yield* CompanyWrite.CompanyWrite
      const attempts = yield* Ref.make(0)
      const lost = new StorageError({ operation: "test", cause: new Error("deadlock"), isContended: true })
      const load = Effect.flatMap(
        Ref.updateAndGet(attempts, (n) => n + 1),
        (attempt) => (attempt === 1 ? Effect.fail(lost) : Effect.void)
      )
      const entity = { type: "test", id: "1", action: "set" }
      const save = () => Effect.succeed({ logs: null, events: [] })
      const decision = { answer: "written", changes: [{ companyId: company, entity, save }] }
      const write = run(caller, { load, decide: () => Effect.succeed(decision) })
      const work = Effect.map(
        Effect.catch(write, () => Effect.succeed("rejected")),
        answer
      )
      strictEqual((yield* once(key("k5"), "f", work, never)).answer.body, "written")
      strictEqual(yield* Ref.get(attempts), 2)
    }).pipe(Effect.provide(Layer.provideMerge(services, clients["that pipelines"])))
  )

  it.live("is not repeated for longer than its claim on the key", () =>
    Effect.gen(function* () {
      const company = yield* freshCompany
      const { once } = yield* Idempotency.Idempotent
      const sql = yield* SqlClient.SqlClient
      const attempts = yield* Ref.make(0)
      const slow = Effect.gen(function* () {
        yield* Ref.update(attempts, (n) => n + 1)
        yield* Effect.orDie(sql`SELECT pg_sleep(0.4)`)
        yield* Transaction.write(failing(sql))
      })
      const work = Effect.map(change(company, "slow", slow), answer)
      const error = yield* Effect.flip(
        Effect.provideService(once(key("k6"), "f", work, never), Idempotency.Claim, 4_000)
      )
      assertTrue(error instanceof StorageError)
      assertTrue((yield* Ref.get(attempts)) <= 4, `${yield* Ref.get(attempts)} attempts`)
      deepStrictEqual(yield* followed(company), { broken: undefined, last: 0 })
    }).pipe(Effect.provide(Layer.provideMerge(services, clients["that pipelines"])))
  )

  it.live("writes nothing when another host has taken its key over", () =>
    Effect.gen(function* () {
      const address = yield* url
      const another = yield* hostOn(address)
      const takenOver = Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`UPDATE crossdock_idempotency SET owner = 'another'`
      )
      const work = (company: CompanyId) =>
        Effect.gen(function* () {
          yield* change(company, "lost")
          yield* Effect.promise(() => Effect.runPromise(Effect.provideContext(takenOver, another)))
          return answer("lost")
        })
      yield* Effect.provideContext(
        Effect.gen(function* () {
          const company = yield* freshCompany
          const { once } = yield* Idempotency.Idempotent
          const error = yield* Effect.flip(once(key("k4"), "f", work(company), never))
          strictEqual(error instanceof Idempotency.KeyInFlight, true)
          deepStrictEqual(yield* followed(company), { broken: undefined, last: 0 })
        }),
        yield* hostOn(address)
      )
    })
  )
})
