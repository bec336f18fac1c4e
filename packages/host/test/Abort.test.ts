/**
 * Calls with an `AbortSignal`: an aborted one rejects with the signal's reason, and nothing half done is left.
 */
import type { Host } from "@crossdock/host"
import { allOrThrow, orThrow } from "@crossdock/host"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import type {} from "@crossdock/postgres/PostgresGlobalSetup"
import { StorageMemory } from "@crossdock/storage-memory"
import { Sqlite, StorageSql } from "@crossdock/storage-sql"
import * as NodePostgres from "@crossdock/storage-sql/NodePostgres"
import { afterAll, describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import Database from "better-sqlite3"
import { Effect, Exit, Layer, Redacted, Scope } from "effect"
import pg from "pg"
import { inject } from "vitest"
import { runs } from "../../kernel/test/runs.ts"
import { acme, seller, start } from "./Shop.ts"

const reason = new Error("the caller went away")

const outcomeOf = (call: unknown): Promise<unknown> =>
  Promise.resolve(call).then(
    () => "answered",
    (error: unknown) => error
  )

/** A signal that is aborted after some milliseconds. */
const abortedIn = (millis: number): AbortSignal => {
  const controller = new AbortController()
  setTimeout(() => controller.abort(reason), millis)
  return controller.signal
}

const onHand = async ({ services }: Host.Host) => {
  const [found] = await orThrow(services.inventory.listings(seller, ["T-S"], { size: 1, number: 1 }))
  return found?.onHand
}

const stockOf = (quantity: number) => [{ sku: "T-S", location_id: "BLR1", quantity }]

describe("An aborted call", () => {
  it("rejects with the signal's reason, whatever it calls", async () => {
    const { host } = await start()
    const signal = AbortSignal.abort(reason)
    const { events, ...services } = host.services
    const methods = Object.entries(services).flatMap(([service, methods]) =>
      Object.entries(methods as Record<string, unknown>).map(([name, call]) => [`${service}.${name}`, call] as const)
    )
    for (const [name, call] of methods) {
      // Streams end with their readers.
      if (["auditTrail.jsonLines", "auditTrail.records"].includes(name) || typeof call !== "function") continue
      strictEqual(await outcomeOf(call(seller, [], [], { signal })), reason, name)
    }
    const calls: ReadonlyArray<() => unknown> = [
      () => events.read(acme, 0, 1, { signal }),
      () => events.after(acme, 1000, { signal })[Symbol.asyncIterator]().next(),
      () => events.cursor("g", acme, { signal }),
      () => events.setCursor("g", acme, 1, { signal }),
      () => host.run(Effect.never, { signal }),
      () => host.once({ signal }),
      () => host.callerOf(new Request("https://shop.example/"), { signal }),
      () => host.transaction(() => Promise.resolve(), { signal })
    ]
    for (const call of calls) strictEqual(await outcomeOf(call()), reason, String(call))
    strictEqual(await onHand(host), 100)
    await host.dispose()
  })

  it("ends while it runs: an effect, a wait for events, and a transaction whose work awaits one of its calls", async () => {
    const { host } = await start()
    let isCleanedUp = false
    const cleaning = Effect.onInterrupt(Effect.never, () => Effect.sync(() => (isCleanedUp = true)))
    strictEqual(await outcomeOf(host.run(cleaning, { signal: abortedIn(5) })), reason)
    assertTrue(isCleanedUp)
    const read = async () => {
      for await (const _ of host.services.events.after(acme, 0, { signal: abortedIn(20) }));
    }
    strictEqual(await outcomeOf(read()), reason)
    const inside = host.transaction(
      async (tx) => {
        await allOrThrow(tx.services.inventory.setStock(seller, stockOf(5)))
        await tx.run(Effect.never)
      },
      { signal: abortedIn(20) }
    )
    strictEqual(await outcomeOf(inside), reason)
    strictEqual(await onHand(host), 100)
    await host.dispose()
  })

  it("doesn't wait for a transaction's work that never ends, and lets the next write in", async () => {
    const { host } = await start()
    const hanging = host.transaction(() => new Promise(() => {}), { signal: abortedIn(50) })
    strictEqual(await outcomeOf(hanging), reason)
    await allOrThrow(host.services.inventory.setStock(seller, stockOf(3)))
    strictEqual(await onHand(host), 3)
    await host.dispose()
  })

  it("writes nothing when the work of its transaction goes on regardless", async () => {
    const { host } = await start()
    const signal = abortedIn(5)
    const going = host.transaction(
      async (tx) => {
        await allOrThrow(tx.services.inventory.setStock(seller, stockOf(5)))
        while (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, 1))
        return "done"
      },
      { signal }
    )
    strictEqual(await outcomeOf(going), reason)
    strictEqual(await onHand(host), 100)
    await host.dispose()
  })
})

const scope = Scope.makeUnsafe()
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

/** Storages, each with a table of the program's own, and what ends them. */
const storages = {
  SQLite: async () => {
    const database = new Database(":memory:")
    const storage = Layer.orDie(Layer.provide(StorageSql.layer, Sqlite.fromDatabase(database)))
    return { storage, end: async () => void database.close() }
  },
  PostgreSQL: async () => {
    const url = await Effect.runPromise(Scope.provide(PostgresDatabase.make(inject("postgres")), scope))
    const pool = new pg.Pool({ connectionString: Redacted.value(url) })
    const storage = Layer.orDie(Layer.provide(StorageSql.layer, NodePostgres.fromPool(pool)))
    return { storage, end: () => pool.end() }
  }
}

describe.each(Object.entries(storages))("Calls that are aborted at any moment, on %s", (_, open) => {
  it("are applied as a whole or not at all, and the host goes on", async () => {
    const { end, storage } = await open()
    const { host } = await start({ storage })
    await host.transaction((tx) => tx.sql("CREATE TABLE sales (name TEXT PRIMARY KEY)"))
    let sold = 0
    for (let run = 0; run < runs(40); run++) {
      const sale = host.transaction(
        async (tx) => {
          const rows = await tx.sql("SELECT name FROM sales")
          await tx.sql(`INSERT INTO sales (name) VALUES ('${run}')`)
          await allOrThrow(tx.services.inventory.setStock(seller, stockOf(1000 - rows.length - 1)))
        },
        { signal: abortedIn(run % 10) }
      )
      const outcome = await outcomeOf(sale)
      assertTrue(outcome === "answered" || outcome === reason, String(outcome))
      if (outcome === "answered") sold++
    }
    const count = (await host.transaction((tx) => tx.sql("SELECT name FROM sales"))).length
    // A commit that was sent already may have been kept.
    assertTrue(count >= sold, `${count} ${sold}`)
    deepStrictEqual(await onHand(host), count === 0 ? 100 : 1000 - count)
    const verified = await orThrow(host.services.auditTrail.verify(acme))
    strictEqual(verified.broken, undefined)
    await host.dispose()
    await end()
  })
})

describe("Aborted calls of a host in memory", () => {
  it("leave the storage usable", async () => {
    const { host } = await start({ storage: StorageMemory.layer })
    const calls = Array.from({ length: runs(40) }, (_, run) =>
      outcomeOf(host.services.inventory.setStock(seller, stockOf(run), { signal: abortedIn(run % 5) }))
    )
    for (const outcome of await Promise.all(calls)) assertTrue(outcome === "answered" || outcome === reason)
    await allOrThrow(host.services.inventory.setStock(seller, stockOf(7)))
    strictEqual(await onHand(host), 7)
    await host.dispose()
  })
})
