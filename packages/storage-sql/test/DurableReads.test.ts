import { AuditStore, EventLog } from "@crossdock/audit"
import { StockLevels } from "@crossdock/inventory"
import { CompanyId, Idempotency, type Stored } from "@crossdock/kernel"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import { ShipmentStore } from "@crossdock/shipments"
import { StorageSql } from "@crossdock/storage-sql"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Effect, Exit, Layer, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { inject } from "vitest"

/** From now on, no wait for the disk succeeds: a function of this name is found before the server's own. */
const loseDisk = (database: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`CREATE FUNCTION public.pg_logical_emit_message(boolean, text, text) RETURNS pg_lsn
      LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'the disk failed'; END $$`
    yield* sql.unsafe(`ALTER DATABASE ${database} SET search_path = public, pg_catalog`)
    yield* sql`SELECT set_config('search_path', 'public, pg_catalog', false)`
  })

describe("Reads on PostgreSQL", () => {
  it.effect("wait for the disk where their readers do what the database can't undo, and nowhere else", () =>
    Effect.gen(function* () {
      const url = yield* PostgresDatabase.make(inject("postgres"))
      const storage = Layer.provideMerge(StorageSql.layer, Postgres.layer(url, { maxConnections: 1 }))
      const company = CompanyId.make(1)
      const key = { principal: "integration:a", method: "PUT", path: "/", key: "1" }
      const record = { fingerprint: "", owner: "a", claimedUntil: 0, expiresAt: 1 }
      yield* Effect.gen(function* () {
        const [audit, events, answers] = [yield* AuditStore, yield* EventLog, yield* Idempotency.Idempotency]
        const [levels, shipments] = [yield* StockLevels, yield* ShipmentStore]
        const answer = { status: 200, contentType: "application/json", body: "{}" }
        yield* answers.put(key, { ...record, answer }, undefined)
        yield* answers.put({ ...key, key: "2" }, { ...record, answer: null }, undefined)
        const waiting: Readonly<Record<string, Stored<unknown>>> = {
          "the heads of trails": audit.heads([company]),
          "the records of a trail": audit.read(company, 0, 1),
          "the feed": events.read(company, 0, 1),
          "levels to notify": levels.marked(company, ["L"], 0, 1, "bazaar"),
          "deleted levels to notify": levels.deleted(company, [{ sku: "a", location: "L" }], "bazaar"),
          "a stored answer": answers.find(key)
        }
        const others: Readonly<Record<string, Stored<unknown>>> = {
          "a claim": answers.find({ ...key, key: "2" }),
          shipments: shipments.load(company, ["1"])
        }
        const all = Object.entries({ ...waiting, ...others })
        const failing = Effect.map(
          Effect.forEach(all, ([name, read]) => Effect.map(Effect.exit(read), (exit) => ({ name, exit }))),
          (exits) => exits.flatMap(({ exit, name }) => (Exit.isFailure(exit) ? [name] : []))
        )
        deepStrictEqual(yield* failing, [])
        yield* loseDisk(new URL(Redacted.value(url)).pathname.slice(1))
        deepStrictEqual(yield* failing, Object.keys(waiting))
      }).pipe(Effect.provide(storage))
    })
  )
})
