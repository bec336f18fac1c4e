/**
 * Events that a program handles in the transaction of its place in the feed: each exactly once.
 */
import { type ApplicationTransaction, allOrThrow, type Host, orThrow } from "@crossdock/host"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import type {} from "@crossdock/postgres/PostgresGlobalSetup"
import { Sqlite, StorageSql } from "@crossdock/storage-sql"
import * as NodePostgres from "@crossdock/storage-sql/NodePostgres"
import { afterAll, describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import Database from "better-sqlite3"
import { Effect, Exit, Layer, Redacted, Scope } from "effect"
import pg from "pg"
import { inject } from "vitest"
import { acme, seller, start } from "./Shop.ts"

const scope = Scope.makeUnsafe()
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const storages = {
  SQLite: async () => {
    const database = new Database(":memory:")
    return { client: Sqlite.fromDatabase(database), value: "?", end: async () => void database.close() }
  },
  PostgreSQL: async () => {
    const url = await Effect.runPromise(Scope.provide(PostgresDatabase.make(inject("postgres")), scope))
    const pool = new pg.Pool({ connectionString: Redacted.value(url) })
    return { client: NodePostgres.fromPool(pool), value: "$1", end: () => pool.end() }
  }
}

const table = "CREATE TABLE seen (number INTEGER PRIMARY KEY)"

const setStock = ({ services }: Pick<Host.Host, "services"> | ApplicationTransaction, quantity: number) =>
  allOrThrow(services.inventory.setStock(seller, [{ sku: "T-S", location_id: "BLR1", quantity }]))

const until = async (isSo: () => Promise<boolean>) => {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 10))
}

describe.each(Object.entries(storages))("Events that are handled in their group's transaction, on %s", (_, open) => {
  it("leave a row and a place, or neither", async () => {
    const { client, end, value } = await open()
    const { host } = await start({ storage: Layer.orDie(Layer.provide(StorageSql.layer, client)) })
    await host.transaction((tx) => tx.sql(table))
    const { events } = host.services
    const seen = async () => {
      const rows = await host.transaction((tx) => tx.sql<{ number: number }>("SELECT number FROM seen ORDER BY number"))
      return rows.map(({ number }) => number)
    }
    const last = (await orThrow(events.read(acme, 0, 500))).at(-1)?.number ?? 0
    let tries = 0
    let isBroken = true
    const stop = events.consume({
      group: "seen",
      inTransaction: true,
      handler: async (some, tx) => {
        for (const { number } of some) await tx.sql(`INSERT INTO seen (number) VALUES (${value})`, [number])
        tries++
        if (isBroken) throw new Error("broken")
        const reason = await host.services.companies.find(acme).catch(({ message }: Error) => message)
        assertTrue(
          typeof reason === "string" && reason.startsWith("This call is made inside of transaction"),
          "outside"
        )
      }
    })
    await until(async () => tries >= 2)
    deepStrictEqual([await seen(), await orThrow(events.cursor("seen", acme))], [[], 0])
    isBroken = false
    await setStock(host, 7)
    await until(async () => (await orThrow(events.cursor("seen", acme))) > last)
    const all = Array.from({ length: last + 1 }, (_, nth) => nth + 1)
    deepStrictEqual([await seen(), await orThrow(events.cursor("seen", acme))], [all, last + 1])
    await stop()
    await host.dispose()
    await end()
  })

  it("write by services in that transaction, too", async () => {
    const { client, end } = await open()
    const { host } = await start({ storage: Layer.orDie(Layer.provide(StorageSql.layer, client)) })
    let tries = 0
    host.services.events.consume({
      group: "answers",
      inTransaction: true,
      handler: async (some, tx) => {
        tries++
        // Its own event comes back: it is not answered again.
        if (some.some(({ type }) => type === "company.registered")) await setStock(tx, 5)
        if (tries === 1) throw new Error("broken")
      }
    })
    await until(async () => {
      const [found] = await orThrow(host.services.inventory.listings(seller, ["T-S"], { size: 1, number: 1 }))
      return found?.onHand === 5
    })
    assertTrue(tries >= 2)
    const read = await orThrow(host.services.events.read(acme, 0, 500))
    strictEqual(read.filter(({ type }) => type === "stock.changed").length, 2)
    await host.dispose()
    await end()
  })
})
