import { readFileSync } from "node:fs"
import { BillingStore } from "@crossdock/billing"
import { SkuShipments } from "@crossdock/catalog"
import { CompanyId } from "@crossdock/kernel"
import { MarketplaceStore } from "@crossdock/marketplaces"
import { NotificationStore } from "@crossdock/notifications"
import { StorageSql } from "@crossdock/storage-sql"
import * as Migrations from "@crossdock/storage-sql/Migrations"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer } from "effect"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import { postgres, sqliteFile } from "./Databases.ts"
import { migrateTo } from "./OldDatabases.ts"

const operate = readFileSync(new URL("../../../docs/guides/operate.md", import.meta.url), "utf8")

const first = Migrator.make({})({
  loader: Migrator.fromRecord({ "0001_create_tables": Migrations.migrations["0001_create_tables"] }),
  table: "crossdock_migrations"
})

const invoice = {
  companyId: 1,
  agreementId: "a",
  index: 0,
  period: { start: 0, end: 1 },
  currency: "INR",
  items: [],
  subtotal: 0,
  total: 0,
  id: "i",
  number: "N",
  status: "open",
  seller: "Crossdock",
  client: { name: "", email: null, phone: null, addressLines: [] },
  createdAt: 1,
  modifiedAt: 1,
  trail: [],
  payment: { state: "none", attempts: 0, nextAt: 5 },
  version: 1
}

/** What had another name is left out, or has it in the test. */
const marketplace = { slug: "m", currency: "INR", locations: [], skus: null, buffers: [], webhook: null }
const letter = { marketplace: "m", companyId: 1, id: "l", failures: 1, since: 1, at: 9, failure: "503" }
const event = { eventId: "e", location: "L1", code: "M-1", quantity: 1, occurredAt: 1 }

describe("a database of the first migration alone", () => {
  for (const [name, database] of [
    ["SQLite", sqliteFile],
    ["PostgreSQL", postgres({ isEmpty: true })]
  ] as const) {
    it.effect(
      `on ${name} is brought up to date with what is in it: invoices are still to be paid and keep their seller, and what names changed for is kept`,
      () =>
        Effect.gen(function* () {
          yield* first
          const sql = yield* SqlClient.SqlClient
          yield* sql`INSERT INTO crossdock_invoices
            (company_id, id, agreement_id, period, number, status, next_at, created_at, version, body)
          VALUES (1, ${"i"}, ${"a"}, 0, ${"N"}, ${"open"}, 5, 1, 1, ${JSON.stringify(invoice)})`
          yield* sql`INSERT INTO crossdock_gone_levels (company_id, location_id, sku, sequence, changed_at, marketplace)
          VALUES (1, 2, ${"s"}, 3, 4, ${""})`
          const tricky = `","former":"`
          yield* sql`INSERT INTO crossdock_marketplaces (slug, body)
            VALUES (${"m"}, ${JSON.stringify({ ...marketplace, name: tricky, former: [] })})`
          yield* sql`INSERT INTO crossdock_channels (company_id, marketplace, version, body)
            VALUES (1, ${"m"}, 2, ${JSON.stringify({
              marketplace: "m",
              companyId: 1,
              cursor: { sequence: 8, within: { sku: tricky, location: "L1" } },
              floor: { number: 6, sequence: 60 },
              told: 7,
              again: [],
              outstanding: null,
              lease: null,
              version: 2
            })})`
          yield* sql`INSERT INTO crossdock_dead_letters (company_id, marketplace, id, at, body)
            VALUES (1, ${"m"}, ${"l"}, 9, ${JSON.stringify({ ...letter, events: [{ ...event, sku: tricky, number: 5, sequence: 55 }] })})`
          const items = [{ sku: `a"b\\c`, title: "\u0000" }, { sku: "s" }, { sku: "s" }]
          for (const [id, open] of [
            ["open", 1],
            ["closed", 0]
          ] as const) {
            yield* sql`INSERT INTO crossdock_shipments (id, company_id, location, marketplace, order_id, forward_id,
              order_status, order_date, is_open, may_move_stock, version, body)
            VALUES (${id}, 1, ${"L1"}, ${"m"}, ${"o"}, ${id}, ${"CREATED"}, 0, ${open}, ${open}, 1, ${JSON.stringify({ id, additionalInfo: tricky, items })})`
          }
          yield* Effect.gen(function* () {
            const store = yield* BillingStore
            deepStrictEqual(
              [...(yield* (yield* SkuShipments).open(CompanyId.make(1), [`a"b\\c`, "s", "a", "former"]))].sort(),
              [`a"b\\c`, "s"]
            )
            const [{ total } = { total: 0 }] = yield* sql<{ total: number }>`
              SELECT COUNT(*) AS total FROM crossdock_shipment_skus`
            strictEqual(total, 2)
            deepStrictEqual(
              (yield* store.payable(5, 10, 10)).map(({ id, seller }) => [id, seller]),
              [["i", { name: "Crossdock", addressLines: [], taxNumber: null, bank: null }]]
            )
            deepStrictEqual(yield* store.payable(4, 10, 10), [])
            deepStrictEqual(yield* sql`SELECT sku, sequence FROM crossdock_deleted_levels`, [{ sku: "s", sequence: 3 }])
            const [marketplaces, notifications] = [yield* MarketplaceStore, yield* NotificationStore]
            const known = yield* marketplaces.find("m")
            deepStrictEqual([known?.name, known?.retiredCodes], [tricky, []])
            const channel = yield* notifications.find({ marketplace: "m", companyId: CompanyId.make(1) })
            deepStrictEqual([channel?.version, channel?.completed], [2, 7])
            deepStrictEqual(channel?.cursor, { changeNumber: 8, within: { sku: tricky, location: "L1" } })
            deepStrictEqual(channel?.floor, { changeNumber: 6, sequence: 60 })
            const [letter] = yield* notifications.deadLetters("m")
            deepStrictEqual(
              letter?.events.map(({ changeNumber, sequence, sku }) => [sku, changeNumber, sequence]),
              [[tricky, 5, 55]]
            )
          }).pipe(Effect.provide(StorageSql.layer))
        }).pipe(Effect.provide(Layer.fresh(database)))
    )
  }
})

describe("The migrations as scripts", () => {
  for (const [name, dialect, database] of [
    ["SQLite", "sqlite", sqliteFile],
    ["PostgreSQL", "pg", postgres({ isEmpty: true })]
  ] as const) {
    for (const applied of [0, 7]) {
      it.effect(`leave nothing to do on ${name} after the first ${applied}`, () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          if (applied > 0) yield* migrateTo({ version: `000${applied}` })
          for (const { check, statements } of Migrations.scripts(dialect, applied)) {
            if (check !== null) deepStrictEqual(yield* sql.unsafe(check), [])
            for (const statement of statements) yield* sql.unsafe(statement)
          }
          const all = Object.keys(Migrations.migrations).length
          deepStrictEqual(yield* Migrations.state, { applied: all, pending: [] })
          yield* Migrations.check
          yield* Migrations.run
          yield* Migrations.check
        }).pipe(Effect.provide(Layer.fresh(database)))
      )
    }

    it.effect(`name numbers that are on two shipments of ${name}, and go on after one has another`, () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* migrateTo({ version: "0015" })
        for (const id of ["17", "18"]) {
          yield* sql`INSERT INTO crossdock_shipments (id, company_id, location, marketplace, order_id, forward_id,
            order_status, order_date, is_open, invoice_number, version, body)
          VALUES (${id}, 1, ${"L1"}, ${"m"}, ${"o"}, ${id}, ${"CREATED"}, 0, 1, ${"A-1"}, 1, ${`{"invoice":{"number":"A-1"}}`})`
        }
        const rejection = yield* Effect.flip(Migrations.run)
        assertTrue(rejection.message.startsWith("Shipments 17 and 18 of company 1 have the same"), rejection.message)
        const [, remedy = ""] = /## Repeated invoice numbers.*?```sql\n(.*?)```/s.exec(operate) ?? []
        yield* sql.unsafe(remedy.replaceAll("OLD", "A-1").replaceAll("NEW", "A-2").replaceAll("ID", "18"))
        yield* Migrations.run
        yield* Migrations.check
        deepStrictEqual(yield* sql`SELECT invoice_number, body FROM crossdock_shipments WHERE id = ${"18"}`, [
          { invoice_number: "A-2", body: `{"invoice":{"number":"A-2"}}` }
        ])
      }).pipe(Effect.provide(Layer.fresh(database)))
    )
  }
})
