import { randomBytes } from "node:crypto"
import { chmodSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { CompanyId } from "@crossdock/kernel"
import {
  AddressGuard,
  DeliveryAttempts,
  type EventEndpoint,
  EventEndpointStore,
  NotificationChannel,
  NotificationStore
} from "@crossdock/notifications"
import { OrderStore } from "@crossdock/orders"
import { orderDraft } from "@crossdock/orders/testing"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import { ShipmentStore } from "@crossdock/shipments"
import { placedShipment } from "@crossdock/shipments/testing"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import Database from "better-sqlite3"
import { Deferred, Effect, Fiber, Redacted } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { afterAll, beforeAll, inject } from "vitest"
import { temporaryFolder } from "../../http/test/TemporaryFolder.ts"
import { disk } from "../src/doctor/DatabaseChecks.ts"
import type { Finding } from "../src/doctor/Finding.ts"
import * as Storage from "../src/Storage.ts"
import * as InProcess from "./InProcess.ts"

const folder = temporaryFolder()
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
const port = (server: ReturnType<typeof createServer>): number => {
  const address = server.address()
  return typeof address === "object" ? (address?.port ?? 0) : 0
}

/** Who receives webhooks. */
const receiver = createServer((_, response) => response.writeHead(204).end())

/** A company with a seller, and a marketplace whose webhook is at `url`: what `doctor` finds nothing wrong with. */
const setUp = async (name: string, url: string, webhook = `http://127.0.0.1:${port(receiver)}`) => {
  const run = async (line: string, input = "") => {
    const ended = await InProcess.run(InProcess.words(line), { environment: { DATABASE_URL: url }, input })
    deepStrictEqual([line, ended.code, ended.stderr], [line, 0, ""])
  }
  await run("migrate")
  await run("company add 7 --name Bakery --legal-name Bakery")
  await run("location add 7 NGT1 --name One --currency INR")
  await run("seller add 7 bakery --generate")
  const market = { slug: name, name, currency: "INR", password: "a long password" }
  const locations = [{ companyId: 7, location: "NGT1", code: "N" }]
  await run("marketplace add -", JSON.stringify({ ...market, locations, webhook: { url: webhook, secret } }))
}

const file = async (name: string, webhook?: string) => {
  const path = join(folder, `${name}.db`)
  await setUp(name, `sqlite:${path}`, webhook)
  return path
}

/** The exit code, and what isn't ok. */
const doctor = async (environment: Readonly<Record<string, string>>) => {
  const { code, stderr, stdout } = await InProcess.run(["doctor", "--json"], { environment })
  strictEqual(stderr, "")
  const found: ReadonlyArray<Finding> = JSON.parse(stdout)
  return { code, wrong: found.filter(({ state }) => state !== "ok"), count: found.length }
}

const facts = ({ code, wrong }: Awaited<ReturnType<typeof doctor>>) => [
  code,
  ...wrong.map(({ check, state }) => `${state} ${check}`)
]

const change = (path: string, statement: string) => {
  const database = new Database(path)
  database.exec(statement)
  database.close()
}

describe("doctor", () => {
  beforeAll(() => new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve)))
  afterAll(() => void receiver.close())

  it("finds nothing wrong with a healthy set-up on SQLite", async () => {
    const found = await doctor({ DATABASE_URL: `sqlite:${await file("healthy")}` })
    deepStrictEqual(found.wrong, [])
    deepStrictEqual([found.code, found.count > 12], [0, true])
  })

  it("finds nothing wrong with a healthy set-up on PostgreSQL", () =>
    PostgresDatabase.make(inject("postgres")).pipe(
      Effect.tap((url) =>
        Effect.promise(async () => {
          await setUp("served", Redacted.value(url))
          const found = await doctor({ DATABASE_URL: Redacted.value(url) })
          // The tests' server doesn't wait for the disk.
          deepStrictEqual(facts(found), [1, "fault durability"])
        })
      ),
      Effect.scoped,
      Effect.runPromise
    ))

  it("says which session blocks others, which pool is too large, and which variable is misspelt", () =>
    PostgresDatabase.make(inject("postgres")).pipe(
      Effect.tap((url) =>
        Effect.gen(function* () {
          yield* Effect.promise(() => setUp("blocked", Redacted.value(url)))
          const lock = Effect.flatMap(SqlClient, (sql) =>
            Effect.andThen(sql`SET LOCAL idle_in_transaction_session_timeout = 0`, sql`SELECT pg_advisory_xact_lock(1)`)
          )
          const session = (work: Effect.Effect<unknown, unknown, SqlClient>) =>
            Effect.provide(
              Effect.flatMap(SqlClient, (sql) => sql.withTransaction(work)),
              Postgres.layer(url, { maxConnections: 1 })
            )
          const [locked, examined] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
          const blocking = yield* Effect.forkChild(
            session(Effect.andThen(Effect.andThen(lock, Deferred.succeed(locked, undefined)), Deferred.await(examined)))
          )
          yield* Deferred.await(locked)
          const waiting = yield* Effect.forkChild(session(lock))
          yield* Effect.sleep("2500 millis")
          const found = yield* Effect.promise(() =>
            doctor({ DATABASE_URL: Redacted.value(url), DATABASE_POOL: "500", DATABSE_POOL: "5" })
          )
          yield* Deferred.succeed(examined, undefined)
          deepStrictEqual(found.wrong.map(({ check, state }) => `${state} ${check}`).slice(0, 4), [
            "warning settings",
            "fault durability",
            "fault connections",
            "warning locks"
          ])
          const [settings, , , locks] = found.wrong
          deepStrictEqual(
            [settings?.says, settings?.todo],
            ["nothing reads DATABSE_POOL", "did you mean DATABASE_POOL?"]
          )
          assertTrue(/^process \d+ \(@effect\/sql-pg, .*\) blocks 1 session$/.test(locks?.says ?? ""), locks?.says)
          yield* Fiber.join(blocking)
          yield* Fiber.join(waiting)
        })
      ),
      Effect.scoped,
      Effect.runPromise
    ))

  it("finds a pooler that doesn't answer", () =>
    PostgresDatabase.make(inject("postgres")).pipe(
      Effect.tap((url) =>
        Effect.promise(async () => {
          const [direct, unused] = [Redacted.value(url), "postgres://postgres@127.0.0.1:1/none"]
          await setUp("pooled", direct)
          deepStrictEqual(facts(await doctor({ DATABASE_URL: direct, DATABASE_POOLER_URL: direct })), [
            1,
            "fault durability"
          ])
          const found = await doctor({ DATABASE_URL: direct, DATABASE_POOLER_URL: unused })
          deepStrictEqual(facts(found), [1, "fault durability", "fault pooler"])
          assertTrue(!JSON.stringify(found.wrong).includes("another DATABASE_URL"))
        })
      ),
      Effect.scoped,
      Effect.runPromise
    ))

  it("finds a pooler that nothing uses", async () => {
    const database = `sqlite:${await file("not-pooled")}`
    const found = await doctor({ DATABASE_URL: database, DATABASE_POOLER_URL: "postgres://postgres@127.0.0.1:1/none" })
    deepStrictEqual(facts(found), [0, "warning pooler"])
  })

  it("finds a setting that can't be used, without its value", async () => {
    const found = await doctor({ DATABASE_URL: "sqlite:none.db", TOKEN_SECRET: "far too short" })
    deepStrictEqual(facts(found), [1, "fault settings"])
    assertTrue(found.wrong[0]?.says.includes("TOKEN_SECRET must have at least 32 bytes"))
    assertTrue(!JSON.stringify(found).includes("far too short"))
  })

  it("finds the test provider where companies believe that they pay", async () => {
    const path = await file("paid")
    const found = await doctor({ DATABASE_URL: `sqlite:${path}`, PAYMENTS: "test" })
    deepStrictEqual(facts(found), [1, "fault payments"])
    deepStrictEqual(facts(await doctor({ DATABASE_URL: `sqlite:${path}`, PAYMENTS: "none" })), [0])
  })

  it("finds a database that isn't there, and one that can't be reached", async () => {
    const none = await doctor({ DATABASE_URL: `sqlite:${join(folder, "none.db")}` })
    deepStrictEqual(facts(none), [1, "fault database", "warning everything else"])
    const unreachable = await doctor({ DATABASE_URL: "postgres://someone:hidden@127.0.0.1:1/none" })
    deepStrictEqual(facts(unreachable), [1, "fault database", "warning everything else"])
    assertTrue(!JSON.stringify(unreachable).includes("hidden"))
  })

  it("finds a schema that was changed by hand, and one of an earlier release", async () => {
    const path = await file("by-hand")
    change(path, "ALTER TABLE crossdock_levels ADD COLUMN note TEXT")
    const changed = await doctor({ DATABASE_URL: `sqlite:${path}` })
    deepStrictEqual(facts(changed), [1, "fault database", "warning everything else"])
    assertTrue(changed.wrong[0]?.says.includes("crossdock_levels.note was added"), changed.wrong[0]?.says)
    const earlier = await file("earlier")
    change(
      earlier,
      `DELETE FROM crossdock_migrations WHERE migration_id = (SELECT MAX(migration_id) FROM crossdock_migrations);
      ALTER TABLE crossdock_catalog_writes ADD COLUMN stage TEXT NOT NULL DEFAULT 'COMPLETED'`
    )
    deepStrictEqual(facts(await doctor({ DATABASE_URL: `sqlite:${earlier}` })), [
      1,
      "fault schema",
      "warning everything else"
    ])
  })

  it("finds a sandbox that other machines can reach, and a token secret that can be guessed", async () => {
    const path = await file("open")
    const open = { HOST: "0.0.0.0", PUBLIC_URL: "https://partner.example", SANDBOX: "1", TOKEN_SECRET: "1".repeat(40) }
    const found = await doctor({ DATABASE_URL: `sqlite:${path}`, ...open })
    deepStrictEqual(facts(found), [1, "warning token secret", "fault sandbox", "warning webhook secrets"])
  })

  it("says that an overlap of two token secrets goes on", async () => {
    const path = await file("overlap")
    const secrets = {
      TOKEN_SECRET: randomBytes(32).toString("base64"),
      TOKEN_SECRET_PREVIOUS: "the previous one, 32 bytes long or more"
    }
    const ended = await InProcess.run(["doctor"], { environment: { DATABASE_URL: `sqlite:${path}`, ...secrets } })
    assertTrue(/token secret +TOKEN_SECRET; TOKEN_SECRET_PREVIOUS is valid too\n/.test(ended.stdout), ended.stdout)
  })

  it("finds a webhook that nobody answers, one that rejects, and dead letters", async () => {
    const unanswered = await file("unanswered", "http://127.0.0.1:1/stock")
    const found = await doctor({ DATABASE_URL: `sqlite:${unanswered}` })
    deepStrictEqual(facts(found), [1, "fault webhook of unanswered"])
    const path = await file("rejecting")
    const letter = { companyId: CompanyId.make(7), marketplace: "rejecting", id: "msg_1", events: [] }
    await Effect.flatMap(NotificationStore, ({ addDeadLetter }) =>
      addDeadLetter({ ...letter, failures: 9, since: 0, at: 0, failure: "500" })
    ).pipe(Effect.provide(Storage.layer(`sqlite:${path}`)), Effect.runPromise)
    const letters = await doctor({ DATABASE_URL: `sqlite:${path}` })
    deepStrictEqual(facts(letters), [0, "warning webhook of rejecting"])
    assertTrue(letters.wrong[0]?.says === "1 dead letter" && letters.wrong[0].todo?.includes("dead-letters rejecting"))
  })

  it("finds a webhook at an address that hosts may not call, and says that its receiver isn't at fault", async () => {
    const path = await file("inside", "http://10.0.0.1:1/stock")
    const channel = NotificationChannel.fresh({ marketplace: "inside", companyId: CompanyId.make(7) })
    const rejected = { ...DeliveryAttempts.first("msg_1", 0), failures: 1, failure: AddressGuard.rejection }
    await Effect.flatMap(NotificationStore, ({ save }) =>
      save({ ...channel, outstanding: { ...rejected, fingerprint: "", size: null } })
    ).pipe(Effect.provide(Storage.layer(`sqlite:${path}`)), Effect.runPromise)
    const found = await doctor({ DATABASE_URL: `sqlite:${path}` })
    deepStrictEqual(facts(found), [0, "warning webhook of inside"])
    const [{ says, todo } = { says: "", todo: "" }] = found.wrong
    strictEqual(says, "it rejected a notification 1 time: the address is not public")
    assertTrue(todo?.startsWith("set WEBHOOK_ALLOW_PRIVATE=1 if that is its address, or correct its URL"), todo ?? "")
  })

  it("finds an endpoint of events that waits, one that its receiver ended, and dead letters, and says what to do", async () => {
    const path = await file("endpoints")
    const url = `sqlite:${path}`
    const run = (line: string) =>
      InProcess.run(InProcess.words(line), { environment: { DATABASE_URL: url } }).then(({ code }) =>
        strictEqual(code, 0)
      )
    const ids = ["erp", "search", "mail", "past", "fine", "off"]
    for (const id of ids) await run(`endpoint add 7 ${id} --url https://erp.example --types order.placed`)
    await run("endpoint disable 7 off")
    await Effect.gen(function* () {
      const store = yield* EventEndpointStore
      const change = (id: string, to: Partial<EventEndpoint.EventEndpoint>) =>
        Effect.gen(function* () {
          const found = yield* store.find({ companyId: CompanyId.make(7), id })
          if (found !== undefined) yield* store.save({ ...found, ...to })
        })
      const tried = { ...DeliveryAttempts.first("msg_1", 0), failures: 3, failure: "answered with status 503" }
      yield* change("erp", { cursor: 0, outstanding: { ...tried, upTo: 1 } })
      yield* change("search", { paused: { reason: "unsubscribed" } })
      yield* change("past", { paused: { reason: "out_of_range", resumeAfter: 9 } })
      const letter = { companyId: CompanyId.make(7), endpoint: "mail", id: "msg_1", events: [] }
      yield* store.putDeadLetter({ ...letter, failures: 9, since: 0, at: 0, failure: "500" })
    }).pipe(Effect.provide(Storage.layer(url)), Effect.runPromise)
    const found = await doctor({ DATABASE_URL: url })
    deepStrictEqual(facts(found), [
      1,
      "warning endpoint erp of company 7",
      "warning endpoint mail of company 7",
      "fault endpoint past of company 7",
      "warning endpoint search of company 7"
    ])
    deepStrictEqual(
      found.wrong.map(({ todo }) => todo?.match(/crossdock .*/)?.[0]),
      [
        "crossdock endpoint wake 7 erp",
        "crossdock endpoint dead-letters 7 mail",
        "crossdock endpoint set-cursor 7 past 9",
        "crossdock endpoint enable 7 search"
      ]
    )
    assertTrue(found.wrong[0]?.says.startsWith("it rejected a webhook 3 times: answered with status 503;"))
  })

  it("names open shipments in a status of an application's own lifecycle", async () => {
    const url = `sqlite:${await file("lifecycle")}`
    const added = { orderStatus: "PROCESSING", stock: "none" } as const
    const ours = {
      ...placedShipment({ id: "00000000000000000016" }),
      companyId: CompanyId.make(7),
      location: "NGT1",
      marketplace: "lifecycle"
    }
    await Effect.gen(function* () {
      const [orders, shipments] = [yield* OrderStore, yield* ShipmentStore]
      const { externalOrderId, marketplace, orderId: id } = ours
      const times = { orderDate: 0, createdAt: 0, modifiedAt: 0 }
      yield* orders.insert({
        id,
        marketplace,
        total: 10_000,
        shipments: [],
        ...times,
        draft: orderDraft({ externalOrderId })
      })
      yield* shipments.insert([
        ours,
        { ...ours, id: "00000000000000000017", status: "quality_hold", added },
        { ...ours, id: "00000000000000000018", status: "quality_hold", added: { ...added, isClosed: true } }
      ])
    }).pipe(Effect.provide(Storage.layer(url)), Effect.runPromise)
    const { code, wrong } = await doctor({ DATABASE_URL: url })
    deepStrictEqual(
      [code, wrong.map(({ check, says, state }) => [state, check, says])],
      [0, [["warning", "lifecycle", "1 open shipment in quality_hold, which ours doesn't have: 00000000000000000017"]]]
    )
  })

  it("finds a clock that was set back, and a changed audit record", async () => {
    const future = await file("future")
    change(future, "UPDATE crossdock_audit_records SET at = at + 3600000 WHERE sequence = 1")
    const found = await doctor({ DATABASE_URL: `sqlite:${future}` })
    deepStrictEqual(facts(found), [1, "fault audit trails"])
    const ahead = await file("ahead")
    change(
      ahead,
      "UPDATE crossdock_audit_records SET at = at + 3600000 WHERE sequence = (SELECT MAX(sequence) FROM crossdock_audit_records)"
    )
    deepStrictEqual(facts(await doctor({ DATABASE_URL: `sqlite:${ahead}` })), [1, "fault clock", "fault audit trails"])
    const cut = await file("cut")
    change(
      cut,
      "DELETE FROM crossdock_audit_records WHERE sequence = (SELECT MAX(sequence) FROM crossdock_audit_records)"
    )
    deepStrictEqual(facts(await doctor({ DATABASE_URL: `sqlite:${cut}` })), [1, "fault audit trails"])
  })

  it("finds background work that nobody does, and a file that others can read", async () => {
    const path = await file("behind")
    change(
      path,
      `INSERT INTO crossdock_idempotency (principal, method, path, request_key, fingerprint, owner, claimed_until, expires_at)
       VALUES ('a', 'PUT', '/', 'k', 'f', 'o', 1, 1)`
    )
    chmodSync(path, 0o644)
    const found = await doctor({ DATABASE_URL: `sqlite:${path}` })
    deepStrictEqual(facts(found), [0, "warning permissions", "warning idempotency keys"])
  })

  it("warns of an empty database, which nobody can sign in to", async () => {
    const path = join(folder, "empty.db")
    await Effect.runPromise(Storage.migrate(`sqlite:${path}`))
    deepStrictEqual(facts(await doctor({ DATABASE_URL: `sqlite:${path}`, SANDBOX: "0" })), [0, "warning accounts"])
  })

  it("judges the room on a disk", () => {
    const gibibyte = 2 ** 30
    deepStrictEqual(
      [
        [50 * gibibyte, gibibyte],
        [50 * gibibyte, 60 * gibibyte],
        [gibibyte / 2, 0],
        [gibibyte / 20, 0]
      ].map(([free = 0, size = 0]) => disk(free, size).state),
      ["ok", "warning", "warning", "fault"]
    )
  })
})
