import { Backlog, CompanyId } from "@crossdock/kernel"
import { DeliveryAttempts, EventEndpointStore, NotificationChannel, NotificationStore } from "@crossdock/notifications"
import { endpoint } from "@crossdock/notifications/testing"
import { DatabaseFacts, StorageSql } from "@crossdock/storage-sql"
import { layer } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { postgres, sqliteFile, sqliteLikeObject } from "./Databases.ts"
import * as StatementCount from "./StatementCount.ts"

const now = 1_790_000_000_000
const company = CompanyId.make(7)

const read = Effect.gen(function* () {
  const backlog = yield* Backlog.Backlog
  if (backlog === undefined) return yield* Effect.die("The storage has no backlog")
  return yield* backlog.read(now)
})

const channelOf = (marketplace: string, since: number | null): NotificationChannel.Channel => ({
  ...NotificationChannel.fresh({ marketplace, companyId: company }),
  again: [{ sku: "NUL \u0000", location: "L1" }],
  outstanding:
    since === null
      ? null
      : {
          webhookId: "w",
          fingerprint: "f",
          size: null,
          failures: 3,
          since,
          nextAt: now,
          failure: '503 "since":1 \u0000'
        }
})

const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const channels = yield* NotificationStore
  for (const [marketplace, since] of [
    ["bazaar", now - 60_000],
    ["souk", null],
    ["mela", now - 90_000]
  ] as const) {
    yield* channels.save(channelOf(marketplace, since))
  }
  for (const [id, due] of [
    ["late", now - 3_000],
    ["now", now],
    ["later", now + 1],
    ["never", null]
  ] as const) {
    yield* sql`INSERT INTO crossdock_agreements ${sql.insert({ company_id: company, id, kind: "plan", status: "active", created_at: 1, due_at: due, version: 1, body: "{}" })}`
    for (const status of ["open", "paid"]) {
      yield* sql`INSERT INTO crossdock_invoices ${sql.insert({ company_id: company, id: `${id} ${status}`, agreement_id: `${id} ${status}`, period: 1, number: `${id} ${status}`, status, next_at: due === null ? null : due - 1_000, created_at: 1, modified_at: 1, version: 1, body: "{}" })}`
    }
  }
  yield* sql`INSERT INTO crossdock_companies ${sql.insert({ id: company, name: "c", legal_name: "c", last_event: 5 })}`
  for (const [last, at] of [
    [2, now - 8_000],
    [5, now - 7_000]
  ] as const) {
    yield* sql`INSERT INTO crossdock_events ${sql.insert({ company_id: company, last, change_number: last, at, body: "[]" })}`
  }
  for (const [group, reached] of [
    ["search", 5],
    ["mail", 2],
    ["reports", 3]
  ] as const) {
    yield* sql`INSERT INTO crossdock_event_consumers ${sql.insert({ consumer_group: group, company_id: company, reached, version: 1 })}`
  }
  const endpoints = yield* EventEndpointStore
  for (const [id, changes] of [
    ["search", { cursor: 5 }],
    ["mail", { cursor: 2 }],
    ["reports", { cursor: 0, outstanding: { ...DeliveryAttempts.first("w", now), nextAt: now + 60_000, upTo: 2 } }],
    ["off", { cursor: 0, paused: { reason: "disabled" } }]
  ] as const) {
    yield* endpoints.save(endpoint({ companyId: company, id, ...changes }))
  }
  for (const id of ["a", "b"]) {
    const given = { events: [], failures: 9, since: 1, at: 1, failure: "503" }
    yield* endpoints.putDeadLetter({ companyId: company, endpoint: "mail", id, ...given })
  }
  for (const id of ["a", "b", "c"]) {
    yield* sql`INSERT INTO crossdock_dead_letters ${sql.insert({ company_id: company, marketplace: "bazaar", id, at: 1, body: "{}" })}`
  }
})

const suite = (name: string, database: Layer.Layer<SqlClient.SqlClient, unknown>) =>
  layer(Layer.merge(Layer.provideMerge(StorageSql.layer, Layer.orDie(database)), StatementCount.layer), {
    excludeTestServices: true,
    timeout: "1 minute"
  })(name, (it) => {
    it.effect("a database without pending work has empty queues, and a size", () =>
      Effect.gen(function* () {
        const { databaseBytes, deadLetters, lastBackup, queues } = yield* read
        deepStrictEqual(
          Object.values(queues),
          Backlog.queues.map(() => ({ entries: 0, oldest: null }))
        )
        deepStrictEqual(deadLetters, { stock: 0, events: 0 })
        strictEqual((databaseBytes ?? 0) > 100_000, true)
        strictEqual(lastBackup, null)
      })
    )

    it.effect("the last backup is the one that began last, also where the clock was set back", () =>
      Effect.gen(function* () {
        for (const began of [now - 5_000, now, now - 9_000]) {
          yield* DatabaseFacts.recordBackup(began)
          strictEqual((yield* read).lastBackup, began)
        }
      })
    )

    it.effect("every queue has its pending entries and the time of the oldest, from one statement", () =>
      Effect.gen(function* () {
        const count = yield* StatementCount.StatementCount
        yield* fill
        const { answer, statements } = yield* count.of(read)
        strictEqual(statements.length, 1)
        deepStrictEqual(answer.queues, {
          notifications: { entries: 2, oldest: now - 90_000 },
          billing: { entries: 2, oldest: now - 3_000 },
          payments: { entries: 3, oldest: now - 4_000 },
          events: { entries: 2, oldest: now - 7_000 },
          endpoints: { entries: 2, oldest: now - 8_000 }
        })
        deepStrictEqual(answer.deadLetters, { stock: 3, events: 2 })
      })
    )

    it.effect("no more than 10,000 entries are counted", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`
          INSERT INTO crossdock_dead_letters (company_id, marketplace, id, at, body)
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10500)
          SELECT 8, 'bazaar', CAST(i AS TEXT), i, '{}' FROM n`
        strictEqual((yield* read).deadLetters.stock, Backlog.maxCounted)
      })
    )
  })

suite("Backlog on SQLite", sqliteFile)
suite("Backlog on SQLite with the limits of a Durable Object", sqliteLikeObject)
suite("Backlog on PostgreSQL", postgres())

layer(Layer.merge(Layer.provideMerge(StorageSql.layer, sqliteFile), StatementCount.layer), {
  excludeTestServices: true
})("The statement of the backlog", (it) => {
  it.effect("searches indexes; it scans only channels and consumers, which have a row for each company", () =>
    Effect.gen(function* () {
      const [sql, count] = [yield* SqlClient.SqlClient, yield* StatementCount.StatementCount]
      const [text = ""] = (yield* count.of(read)).statements
      const plan = yield* sql.unsafe<{ readonly detail: string }>(
        `EXPLAIN QUERY PLAN ${text}`,
        Array.from(text.matchAll(/\?/g), () => null)
      )
      const scanned = plan.map(({ detail }) => detail).filter((step) => step.startsWith("SCAN crossdock_"))
      deepStrictEqual(scanned, [
        "SCAN crossdock_channels",
        "SCAN crossdock_dead_letters USING COVERING INDEX crossdock_dead_letters_at",
        "SCAN crossdock_event_dead_letters USING COVERING INDEX crossdock_event_dead_letters_at"
      ])
    })
  )
})
