/**
 * Transactions of drizzle, Kysely and Prisma, and their queries in ours.
 */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { allOrThrow, type Host, orThrow } from "@crossdock/host"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import type {} from "@crossdock/postgres/PostgresGlobalSetup"
import { Sqlite, StorageSql } from "@crossdock/storage-sql"
import * as NodePostgres from "@crossdock/storage-sql/NodePostgres"
import { afterAll, beforeAll, describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import Database from "better-sqlite3"
import { Effect, Exit, Layer, Redacted, Scope } from "effect"
import { Kysely, PostgresDialect, SqliteDialect } from "kysely"
import pg from "pg"
import { inject } from "vitest"
import { seller, start } from "./Shop.ts"

const tools = join(import.meta.dirname, "../../../lab/tools")

interface Tables {
  readonly sales: { name: string }
}

/** The heavy tools have no types here: only this file installs them. */
// biome-ignore lint/suspicious/noExplicitAny: a module of a tool
const tool = (name: string): Promise<any> => import(/* @vite-ignore */ name)

const take = ({ services }: { readonly services: Pick<Host.Host["services"], "inventory"> }, quantity: number) =>
  allOrThrow(services.inventory.setStock(seller, [{ sku: "T-S", location_id: "BLR1", quantity: 100 - quantity }]))

const left = async ({ services }: Host.Host) => {
  const [found] = await orThrow(services.inventory.listings(seller, ["T-S"], { size: 1, number: 1 }))
  return found?.onHand
}

const rejection = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error
  )

const table = "CREATE TABLE sales (name TEXT PRIMARY KEY)"
const stop = new Error("stop")

/** Kysely on one client, which goes back to its pool when its owner gives it back. */
const kyselyOn = (client: pg.ClientBase) => {
  const lent = { query: client.query.bind(client), release: () => {} } as never
  return new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: { connect: async () => lent, options: {}, end: async () => {} } })
  })
}

/** A pool for Prisma that has one client alone, in whose transaction Prisma's are savepoints. `Pool` is of its copy of pg. */
const poolOf = (client: pg.ClientBase, { Pool }: typeof pg): pg.Pool => {
  const savepoints: Record<string, string> = {
    BEGIN: "SAVEPOINT prisma",
    COMMIT: "RELEASE SAVEPOINT prisma",
    ROLLBACK: "ROLLBACK TO SAVEPOINT prisma"
  }
  const query = (sent: { text: string }) => client.query({ ...sent, text: savepoints[sent.text] ?? sent.text })
  const nothing = () => {}
  const lent = { query, on: nothing, removeListener: nothing, release: nothing }
  return Object.assign(Object.create(Pool.prototype), lent, { connect: async () => lent })
}

const scope = Scope.makeUnsafe()
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

describe("On PostgreSQL", () => {
  let pool: pg.Pool
  let host: Host.Host
  beforeAll(async () => {
    execFileSync(process.execPath, [join(tools, "install.mjs"), "applications"])
    const url = await Effect.runPromise(Scope.provide(PostgresDatabase.make(inject("postgres")), scope))
    pool = new pg.Pool({ connectionString: Redacted.value(url) })
    host = (await start({ storage: Layer.orDie(Layer.provide(StorageSql.layer, NodePostgres.fromPool(pool))) })).host
    await pool.query(table)
  })
  afterAll(async () => {
    await host.dispose()
    await pool.end()
  })

  const state = async () => {
    const { rows } = await pool.query("SELECT name FROM sales ORDER BY name")
    return [rows.map(({ name }) => name), await left(host)]
  }
  /** The work in a transaction is kept, or not when it throws. */
  const isKeptOrNot = async (
    name: string,
    sell: (name: string, ends: () => void, units: number) => Promise<unknown>
  ) => {
    await pool.query("DELETE FROM sales")
    await take(host, 0)
    await sell(name, () => {}, 1)
    deepStrictEqual(await state(), [[name], 99])
    const error = await rejection(
      sell(
        "lost",
        () => {
          throw stop
        },
        2
      )
    )
    strictEqual(error, stop)
    deepStrictEqual(await state(), [[name], 99])
  }

  it("a transaction of drizzle is one for ours too", async () => {
    const [{ drizzle }, { sql }] = [await tool("drizzle-orm/node-postgres"), await tool("drizzle-orm")]
    const db = drizzle(pool)
    await isKeptOrNot("drizzle", (name, ends, units) =>
      db.transaction(async (own: { readonly execute: (query: unknown) => Promise<unknown> }) => {
        await own.execute(sql`INSERT INTO sales (name) VALUES (${name})`)
        await host.transaction((tx) => take(tx, units), { within: own })
        ends()
      })
    )
    const notBegun = await rejection(host.transaction((tx) => take(tx, 1), { within: db }))
    assertTrue(notBegun instanceof Error && notBegun.message.startsWith("This is no client of pg"), String(notBegun))
  })

  it("a client that the program has begun is one for Kysely and ours", async () => {
    await isKeptOrNot("kysely", async (name, ends, units) => {
      const client = await pool.connect()
      try {
        await client.query("BEGIN")
        await kyselyOn(client).insertInto("sales").values({ name }).execute()
        await host.transaction((tx) => take(tx, units), { within: client })
        ends()
        await client.query("COMMIT")
      } catch (error) {
        await client.query("ROLLBACK")
        throw error
      } finally {
        client.release()
      }
    })
  })

  it("our transaction has a client for drizzle and Kysely", async () => {
    const [{ drizzle }, { sql }] = [await tool("drizzle-orm/node-postgres"), await tool("drizzle-orm")]
    await isKeptOrNot("ours", (name, ends, units) =>
      host.transaction(async (tx) => {
        const client = tx.client as pg.PoolClient
        await kyselyOn(client).insertInto("sales").values({ name: "moment" }).execute()
        await drizzle(client).execute(sql`UPDATE sales SET name = ${name} WHERE name = 'moment'`)
        await take(tx, units)
        ends()
      })
    )
  })

  it("our transaction has a client for Prisma, whose own transactions are savepoints of it", async () => {
    const folder = join(tools, "applications")
    execFileSync(process.execPath, ["node_modules/prisma/build/index.js", "generate", "--schema", "schema.prisma"], {
      cwd: folder,
      // Generating doesn't use this engine, which Prisma would download.
      env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: "1" }
    })
    const { PrismaPg } = await tool("@prisma/adapter-pg")
    const { PrismaClient } = await tool(join(folder, "generated/client.ts"))
    const { default: pgOfPrisma } = await tool(join(folder, "node_modules/pg/lib/index.js"))
    await isKeptOrNot("prisma", (name, ends, units) =>
      host.transaction(async (tx) => {
        const prisma = new PrismaClient({ adapter: new PrismaPg(poolOf(tx.client as pg.PoolClient, pgOfPrisma)) })
        await prisma.sales.create({ data: { name } })
        const create = (data: ReadonlyArray<{ name: string }>) => data.map((one) => prisma.sales.create({ data: one }))
        strictEqual(
          (await rejection(prisma.$transaction(create([{ name: "a" }, { name: "a" }])))) instanceof Error,
          true
        )
        await prisma.$transaction(create([{ name: "b" }]))
        await prisma.sales.delete({ where: { name: "b" } })
        await take(tx, units)
        ends()
      })
    )
  })

  it("our client is there as long as the transaction", async () => {
    let kept: { readonly client: unknown } | undefined
    await host.transaction(async (tx) => {
      kept = tx
      strictEqual(typeof (tx.client as pg.PoolClient).query, "function")
    })
    const error = await rejection((async () => kept?.client)())
    assertTrue(error instanceof Error && error.message.startsWith("The transaction has ended"), String(error))
  })
})

describe("On SQLite", () => {
  it("drizzle, Kysely and ours write in one transaction on the program's handle", async () => {
    execFileSync(process.execPath, [join(tools, "install.mjs"), "applications"])
    const [{ drizzle }, { sql }] = [await tool("drizzle-orm/better-sqlite3"), await tool("drizzle-orm")]
    const handle = new Database(":memory:")
    handle.exec(table)
    const { host } = await start({ storage: Layer.orDie(Layer.provide(StorageSql.layer, Sqlite.fromDatabase(handle))) })
    const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: handle }) })
    const sell = (ends: () => void) =>
      host.transaction(async (tx) => {
        strictEqual(tx.client, handle)
        await db.insertInto("sales").values({ name: "kysely" }).execute()
        drizzle(tx.client).run(sql`INSERT INTO sales (name) VALUES ('drizzle')`)
        await take(tx, 3)
        ends()
      })
    const state = async () => [handle.prepare("SELECT COUNT(*) FROM sales").pluck().get(), await left(host)]
    const failed = sell(() => {
      throw stop
    })
    strictEqual(await rejection(failed), stop)
    deepStrictEqual(await state(), [0, 100])
    await sell(() => {})
    deepStrictEqual(await state(), [2, 97])
    // Kysely's own transaction is the handle's.
    await db.transaction().execute(async (own) => {
      await own.insertInto("sales").values({ name: "own" }).execute()
      await host.transaction((tx) => take(tx, 5), { within: handle })
    })
    deepStrictEqual(await state(), [3, 95])
    await host.dispose()
  })
})

describe("In memory", () => {
  it("there is no client", async () => {
    const { host } = await start()
    const error = await rejection(host.transaction(async (tx) => tx.client))
    assertTrue(error instanceof Error && error.message.startsWith("This storage doesn't use"), String(error))
    await host.dispose()
  })
})
