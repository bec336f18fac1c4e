/**
 * Rows of a program and ours in one transaction, on the handles that the program has.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { type Integration, PasswordHash } from "@crossdock/access"
import { PaymentProviderTest } from "@crossdock/billing"
import { brands, productInput, referenceData } from "@crossdock/catalog/testing"
import { History } from "@crossdock/histories"
import { type ApplicationTransaction, Host, type Ports } from "@crossdock/host"
import * as Node from "@crossdock/host/node"
import { Inventory } from "@crossdock/inventory"
import { CompanyId, StorageError } from "@crossdock/kernel"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import type {} from "@crossdock/postgres/PostgresGlobalSetup"
import { StorageMemory } from "@crossdock/storage-memory"
import { Sqlite, StorageSql } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import * as NodePostgres from "@crossdock/storage-sql/NodePostgres"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { afterAll, beforeAll, describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import Database from "better-sqlite3"
import { Effect, Exit, Layer, Logger, Redacted, Scope } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import pg from "pg"
import { inject } from "vitest"

const acme = CompanyId.make(1)
const seller: Integration = {
  kind: "integration",
  id: "acme",
  integrationId: "acme",
  companyId: acme,
  locations: null,
  stockPolicy: "adjust"
}
const caller = { principal: seller, requestId: null }

/** How a program works with its database on its own. `statement` is written with SQLite's placeholders or PostgreSQL's. */
interface Program {
  readonly storage: Layer.Layer<Ports, unknown>
  readonly statement: (text: string) => Promise<unknown>
  /** A transaction of the program's own: its connection, its statements, and its end. */
  readonly begin: () => Promise<{
    readonly connection: object
    readonly statement: (text: string) => Promise<unknown>
    readonly end: (how: "COMMIT" | "ROLLBACK") => Promise<unknown>
  }>
  readonly close: () => Promise<unknown>
}

const storageOn = (client: Layer.Layer<SqlClient, unknown>) => Layer.provide(StorageSql.layer, client)

const folders: Array<string> = []
const newFile = () => {
  const folder = mkdtempSync(join(tmpdir(), "host-"))
  folders.push(folder)
  return join(folder, "shop.db")
}
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

const onHandle = (handle: Parameters<typeof Sqlite.fromDatabase>[0]): Program => {
  const statement = async (text: string) => handle.exec(text)
  return {
    storage: storageOn(Sqlite.fromDatabase(handle)),
    statement,
    begin: async () => {
      handle.exec("BEGIN")
      return { connection: handle, statement, end: statement }
    },
    close: async () => handle.close()
  }
}

const foreignKeys = <H extends { readonly exec: (text: string) => unknown }>(handle: H): H => {
  handle.exec("PRAGMA foreign_keys = ON")
  return handle
}

const scope = Scope.makeUnsafe()
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
const newDatabase = () =>
  Effect.runPromise(Scope.provide(PostgresDatabase.make(inject("postgres")), scope).pipe(Effect.map(Redacted.value)))

const onPool = async (): Promise<Program> => {
  const pool = new pg.Pool({ connectionString: await newDatabase() })
  return {
    storage: storageOn(NodePostgres.fromPool(pool)),
    statement: (text) => pool.query(text),
    begin: async () => {
      const client = await pool.connect()
      await client.query("BEGIN")
      const end = async (how: string) => {
        await client.query(how)
        client.release()
      }
      return { connection: client, statement: (text) => client.query(text), end }
    },
    close: () => pool.end()
  }
}

const programs: Readonly<Record<string, () => Promise<Program>>> = {
  "better-sqlite3": async () => onHandle(foreignKeys(new Database(newFile()))),
  ...(Sqlite.isTooOld(process.versions.sqlite ?? "0")
    ? {}
    : { "node:sqlite": async () => onHandle(foreignKeys(new DatabaseSync(newFile()))) }),
  "a pool of pg": onPool
}

const options = {
  runtime: Node.runtime({ passwordCost: { logN: 4, blockSize: 8, parallel: 1 } }),
  payments: PaymentProviderTest.layer,
  publicUrl: "https://shop.example",
  signIn: { seller: async () => seller },
  addressOf: () => "192.0.2.1",
  workers: false,
  observability: Logger.layer([])
} satisfies Omit<Host.Options, "storage">

const tables = [
  "CREATE TABLE sales (name TEXT PRIMARY KEY)",
  `CREATE TABLE notes (sale TEXT REFERENCES sales (name) DEFERRABLE INITIALLY DEFERRED)`
]

const location = { code: "BLR1", name: "Bengaluru 1", currency: "INR", handlingHours: 24, address: null }

/** A host of a program that has tables of its own, and 10 units of T-S. */
const started = async (program: Program) => {
  for (const table of tables) await program.statement(table)
  const host = await Host.make({ ...options, storage: program.storage })
  const { companies, productImport } = host.services
  await companies.register(host.system("setup"), { id: acme, name: "Acme", legalName: "Acme Ltd" }, [location])
  await productImport.reference(referenceData, brands)
  const products = [{ template: "apparel", products: [productInput("T")] }]
  const imported = await productImport.products(host.system("setup"), acme, products)
  assertTrue(imported.ok, JSON.stringify(imported))
  await take(host.services, -10)
  return host
}

/** Sells units of T-S, in ours. */
const take = async ({ inventory }: Pick<Host.Host["services"], "inventory">, quantity: number) => {
  const outcome = await inventory.setStock(caller, [{ sku: "T-S", location_id: "BLR1", quantity: -quantity }])
  if (!outcome.ok) throw outcome.error
  strictEqual(outcome.value.failures.length, 0, JSON.stringify(outcome.value))
}

const left = async (host: Host.Host) => {
  const found = await host.services.inventory.listings(caller, ["T-S"], { size: 10, number: 1 })
  assertTrue(found.ok)
  return found.value[0]?.onHand
}

const sales = async (host: Host.Host) => {
  const rows = await host.transaction((tx) => tx.sql<{ name: string }>("SELECT name FROM sales ORDER BY name"))
  return rows.map(({ name }) => name)
}

const rejection = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error
  )

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

describe.each(Object.entries(programs))("A transaction for a program's rows and ours, on %s", (_, open) => {
  let program: Program
  let host: Host.Host
  beforeAll(async () => {
    program = await open()
    host = await started(program)
  })
  afterAll(async () => {
    await host.dispose()
    await program.close()
  })

  const state = async (): Promise<[ReadonlyArray<string>, number | undefined]> => [await sales(host), await left(host)]
  const sell = (name: string) => `INSERT INTO sales (name) VALUES ('${name}')`

  it("commits both, and answers what the work answers", async () => {
    const answer = await host.transaction(async (tx) => {
      await tx.sql(sell("both"))
      await take(tx.services, 1)
      return "sold"
    })
    strictEqual(answer, "sold")
    deepStrictEqual(await state(), [["both"], 9])
  })

  const failures: Readonly<Record<string, (tx: ApplicationTransaction) => Promise<unknown>>> = {
    "before ours": async (tx) => {
      await tx.sql(sell("lost"))
      throw new Error("stop")
    },
    "between ours": async ({ services, sql }) => {
      await take(services, 1)
      await sql(sell("lost"))
      await Promise.all([take(services, 1), Promise.reject(new Error("stop"))])
    },
    "after ours": async (tx) => {
      await tx.sql(sell("lost"))
      await take(tx.services, 1)
      throw new Error("stop")
    },
    "by an outcome that the work throws": async (tx) => {
      await tx.sql(sell("lost"))
      await take(tx.services, 1)
      const outcome = await tx.services.companies.find(CompanyId.make(404))
      if (!outcome.ok) throw new Error("stop", { cause: outcome.error })
    }
  }

  for (const [place, work] of Object.entries(failures)) {
    it(`leaves neither when it fails ${place}, and rejects with what the work threw`, async () => {
      const before = await state()
      const error = await rejection(host.transaction(work))
      assertTrue(error instanceof Error && error.message === "stop", String(error))
      deepStrictEqual(await state(), before)
    })
  }

  it("leaves neither when the commit fails", async () => {
    const before = await state()
    const work = async (tx: ApplicationTransaction) => {
      await take(tx.services, 1)
      await tx.sql("INSERT INTO notes (sale) VALUES ('nothing')")
    }
    assertTrue((await rejection(host.transaction(work))) instanceof StorageError)
    deepStrictEqual(await state(), before)
  })

  it("leaves neither when a statement of the program fails", async () => {
    const before = await state()
    const work = async (tx: ApplicationTransaction) => {
      await take(tx.services, 1)
      await tx.sql(sell("twice"))
      await tx.sql(sell("twice"))
    }
    assertTrue((await rejection(host.transaction(work))) instanceof StorageError)
    deepStrictEqual(await state(), before)
  })

  it("is a part of a transaction that the program has open, whose end decides on both", async () => {
    const [names, units = 0] = await state()
    const ends: ReadonlyArray<["COMMIT" | "ROLLBACK", ReadonlyArray<string>, number]> = [
      ["ROLLBACK", names, units],
      ["COMMIT", [...names, "own"], units - 1]
    ]
    for (const [how, ...expected] of ends) {
      const { connection, end, statement } = await program.begin()
      await statement(sell("own"))
      await host.transaction((tx) => take(tx.services, 1), { within: connection })
      await end(how)
      deepStrictEqual(await state(), expected)
    }
  })

  it("that fails as a part takes back its own writes only", async () => {
    const [names, units] = await state()
    const { connection, end, statement } = await program.begin()
    await statement(sell("part"))
    const work = async (tx: ApplicationTransaction) => {
      await take(tx.services, 1)
      throw new Error("stop")
    }
    await rejection(host.transaction(work, { within: connection }))
    await end("COMMIT")
    deepStrictEqual(await state(), [[...names, "part"], units])
  })

  it("is rejected at once where nothing is open to be a part of, or on a connection that isn't the storage's", async () => {
    const { connection, end } = await program.begin()
    await end("ROLLBACK")
    const closed = await rejection(host.transaction(async () => "done", { within: connection }))
    assertTrue(closed instanceof Error && closed.message.includes("begin it first"), String(closed))
    const other = await rejection(host.transaction(async () => "done", { within: {} }))
    assertTrue(other instanceof Error && other.message.startsWith("This is no"), String(other))
  })

  it("rejects at once a call on the host inside of it, which would wait for it, and says what to call", async () => {
    const before = await state()
    const error = await rejection(
      host.transaction(async (tx) => {
        await tx.sql(sell("waits"))
        await take(host.services, 1)
      })
    )
    assertTrue(error instanceof Error && error.message.includes("call it on tx"), String(error))
    deepStrictEqual(await state(), before)
  })

  it("rejects at once a request to the host and its background work inside of it, which would wait for it", async () => {
    const before = await state()
    const calls: ReadonlyArray<() => Promise<unknown>> = [
      () => host.once(),
      () => host.handler(new Request("https://shop.example/ims/v3/listings")),
      () => host.transaction((tx) => tx.sql(sell("inner"))),
      () => host.services.events.after(acme, 0)[Symbol.asyncIterator]().next()
    ]
    for (const call of calls) {
      const error = await rejection(
        host.transaction(async (tx) => {
          await tx.sql(sell("waits"))
          await call()
        })
      )
      assertTrue(error instanceof Error && error.message.includes("inside of transaction"), String(error))
    }
    deepStrictEqual(await state(), before)
    strictEqual((await host.handler(new Request("https://shop.example/ims/v3/listings"))).status, 200)
  })

  it("of calls made together keeps what succeeded, and takes back only what was rejected", async () => {
    const [names, units = 0] = await state()
    const marketplace = { slug: "bazaar", name: "Bazaar", currency: "INR", password: "correct horse battery" }
    const locations = [{ companyId: acme, location: "BLR1", code: "B-1" }]
    const sold = { ...marketplace, locations, skus: null, buffers: [], webhook: null }
    const registered = await host.services.marketplaces.register(host.system("setup"), sold)
    assertTrue(registered.ok, JSON.stringify(registered))
    const bazaar = { principal: { kind: "marketplace", id: "bazaar" }, requestId: null } as const
    const address = { name: "A", phone: "1", address1: "1", city: "B", state: "K", pincode: "560001", country: "India" }
    const tooMany = {
      external_order_id: `too-many-${names.length}`,
      ordering_currency: "INR",
      payment: { mode: "PREPAID" },
      billing_address: address,
      shipping_address: address,
      shipments: [{ external_shipment_id: "1", location_id: "B-1", lines: [{ sku: "T-S", quantity: 9999, esp: 1 }] }]
    } as const
    const outcomes = await host.transaction(async ({ services, sql }) => {
      const [, first, , second] = await Promise.all([
        take(services, 1),
        services.orders.place(bazaar, tooMany),
        sql(sell(`together-${names.length}`)),
        services.orders.place(bazaar, tooMany),
        take(services, 1)
      ])
      return [first.ok, second.ok]
    })
    deepStrictEqual(outcomes, [false, false])
    deepStrictEqual(await state(), [[...names, `together-${names.length}`].toSorted(), units - 2])
    await take(host.services, -2)
  })

  it("has calls of an effect that runs in it, which don't wait for it", async () => {
    const [names, units = 0] = await state()
    await host.transaction(async (tx) => {
      await tx.run(Effect.promise(() => Promise.all([tx.sql(sell(`nested-${names.length}`)), take(tx.services, 1)])))
    })
    deepStrictEqual(await state(), [[...names, `nested-${names.length}`].toSorted(), units - 1])
    await take(host.services, -1)
  })

  it("ends after calls that the work did not wait for, which are part of it", async () => {
    const [names, units = 0] = await state()
    const leaving = (fails: boolean) =>
      host.transaction(async (tx) => {
        take(tx.services, 1).catch(() => {})
        if (fails) throw new Error("stop")
      })
    await leaving(false)
    await rejection(leaving(true))
    deepStrictEqual(await state(), [names, units - 1])
  })

  it("rejects a call that comes after its end", async () => {
    const before = await state()
    const tx = await host.transaction(async (tx) => tx)
    const error = await rejection(take(tx.services, 1))
    assertTrue(error instanceof Error && error.message.includes("has ended"), String(error))
    assertTrue(String(await rejection(tx.sql(sell("late")))).includes("has ended"))
    deepStrictEqual(await state(), before)
  })

  it("of many at once each is whole", async () => {
    const [names, units = 0] = await state()
    await Promise.allSettled(
      Array.from({ length: 24 }, (_, n) =>
        host.transaction(async (tx) => {
          await tx.sql(sell(`many-${n}`))
          await nextTurn()
          if (n % 3 === 0) throw new Error("stop")
          await take(tx.services, n % 3 === 1 ? 1 : -1)
        })
      )
    )
    const found = (await sales(host)).filter((name) => name.startsWith("many"))
    strictEqual(found.length, 16)
    strictEqual(names.length + 16, (await sales(host)).length)
    strictEqual(await left(host), units)
    deepStrictEqual(await host.run(Effect.flatMap(Inventory.Inventory, ({ verify }) => verify(acme))), [])
  })

  it("answers after the commit: another connection sees both as soon as it does", async () => {
    await host.transaction(async (tx) => {
      await tx.sql(sell("visible"))
      await take(tx.services, 1)
    })
    assertTrue((await sales(host)).includes("visible"))
  })
})

describe("A port of the program's", () => {
  it("writes through the transaction whose call asks it, without waiting for that call", async () => {
    const program = onHandle(foreignKeys(new Database(newFile())))
    const written: { through: ApplicationTransaction | undefined } = { through: undefined }
    const hash = async () => {
      await nextTurn()
      await written.through?.sql("INSERT INTO sales (name) VALUES ('port')")
      return "hash"
    }
    const passwords = PasswordHash.of({ hash: () => Effect.promise(hash), verify: () => Effect.succeed(true) })
    const hashing = Layer.provideMerge(Layer.succeed(PasswordHash, passwords), options.runtime.hashing)
    for (const table of tables) await program.statement(table)
    const host = await Host.make({ ...options, runtime: { ...options.runtime, hashing }, storage: program.storage })
    const setup = host.system("setup")
    await host.services.companies.register(setup, { id: acme, name: "Acme", legalName: "Acme Ltd" }, [location])
    const marketplace = { slug: "bazaar", name: "Bazaar", currency: "INR", password: "correct horse battery" }
    const locations = [{ companyId: acme, location: "BLR1", code: "B-1" }]
    await host.transaction(async (tx) => {
      written.through = tx
      const sold = { ...marketplace, locations, skus: null, buffers: [], webhook: null }
      assertTrue((await tx.services.marketplaces.register(setup, sold)).ok)
    })
    deepStrictEqual(await sales(host), ["port"])
    await host.dispose()
    await program.close()
  })
})

describe("Random histories on a program's SQLite handle", () => {
  it("keep the laws, and leave no unit open when the event loop turns", async () => {
    const handle = new Database(":memory:")
    let [isOver, open] = [false, 0]
    const watching = (async () => {
      while (!isOver) {
        await nextTurn()
        if (handle.inTransaction) open++
      }
    })()
    const storage = storageOn(Sqlite.fromDatabase(handle))
    await Effect.runPromise(Effect.scoped(History.play(storage, { seed: 7, steps: 120 })))
    isOver = true
    await watching
    strictEqual(open, 0)
  })
})

describe("A host on a program's SQLite handle", () => {
  const opened = async () => {
    const handle = foreignKeys(new Database(newFile()))
    return { handle, host: await started(onHandle(handle)) }
  }

  it("takes part in the transaction that is open when a service is called", async () => {
    const { handle, host } = await opened()
    for (const [how, expected] of [
      ["ROLLBACK", 10],
      ["COMMIT", 9]
    ] as const) {
      handle.exec("BEGIN; INSERT INTO sales (name) VALUES ('own')")
      await take(host.services, 1)
      handle.exec(how)
      strictEqual(await left(host), expected)
    }
    deepStrictEqual(await sales(host), ["own"])
    await host.dispose()
    handle.close()
  })

  it("answers a request after the program's transaction has ended, without stopping the process, and keeps what it acknowledged", async () => {
    const { handle, host } = await opened()
    handle.exec("BEGIN; INSERT INTO sales (name) VALUES ('own')")
    let isAnswered = false
    const answer = host
      .handler(
        new Request("https://shop.example/ims/v3/inventory", {
          method: "PUT",
          headers: { "content-type": "application/json" },
          body: JSON.stringify([{ location_id: "BLR1", sku: "T-S", quantity: -4 }])
        })
      )
      .finally(() => {
        isAnswered = true
      })
    for (let turn = 0; turn < 20; turn++) await nextTurn()
    strictEqual(isAnswered, false)
    handle.exec("ROLLBACK")
    const { data } = await (await answer).json()
    strictEqual(data.failed_count, 0)
    strictEqual(await left(host), 6)
    deepStrictEqual(await sales(host), [])
    await host.dispose()
    handle.close()
  })

  it("commits what the program writes on its handle inside of a transaction, and takes it back with it", async () => {
    const { handle, host } = await opened()
    const sale = handle.prepare("INSERT INTO sales (name) VALUES (?)")
    const sell = (name: string, fails: boolean) =>
      host.transaction(async ({ services }) => {
        sale.run(name)
        await take(services, 1)
        if (fails) throw new Error("stop")
      })
    await rejection(sell("lost", true))
    await sell("kept", false)
    deepStrictEqual([await sales(host), await left(host)], [["kept"], 9])
    await host.dispose()
    handle.close()
  })

  it("leaves the program's settings as they are, and the handle open", async () => {
    const handle = new Database(newFile())
    handle.pragma("busy_timeout = 1234")
    handle.defaultSafeIntegers(true)
    const host = await started(onHandle(handle))
    await host.dispose()
    strictEqual(handle.open, true)
    deepStrictEqual(
      [handle.pragma("busy_timeout", { simple: true }), handle.pragma("journal_mode", { simple: true })],
      [1234n, "delete"]
    )
    strictEqual(handle.pragma("synchronous", { simple: true }), 2n)
    handle.close()
  })
})

describe("Three hosts of a program on one PostgreSQL", () => {
  it("keep its rows and ours together, both or neither, while their sessions are killed", async () => {
    const connectionString = await newDatabase()
    const pools = Array.from({ length: 3 }, () => new pg.Pool({ connectionString, max: 4 }))
    const killer = new pg.Client({ connectionString })
    await killer.connect()
    for (const pool of pools) pool.on("error", () => {})
    const storages = pools.map((pool) => storageOn(NodePostgres.fromPool(pool)))
    const [storage = StorageMemory.layer, ...others] = storages
    const never = () => Promise.reject(new Error("it begins no transaction of its own"))
    const first = await started({ storage, statement: (text) => killer.query(text), begin: never, close: never })
    const hosts = [first, ...(await Promise.all(others.map((storage) => Host.make({ ...options, storage }))))]
    await take(first.services, -10_000)
    const before = (await left(first)) ?? 0

    let [settled, kills] = [0, 0]
    const kill = async () => {
      const { rows } = await killer.query(
        `SELECT pg_terminate_backend(pid) AS done FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle' LIMIT 1`
      )
      kills += rows.length
    }
    const committed: Array<string> = []
    const sell = async (host: Host.Host, name: string) => {
      const work = async (tx: ApplicationTransaction) => {
        await tx.sql("INSERT INTO sales (name) VALUES ($1)", [name])
        await take(tx.services, 1)
      }
      await host.transaction(work).then(
        () => committed.push(name),
        () => undefined
      )
      settled++
      if (settled % 4 === 0) await kill()
    }
    const seller = async (host: Host.Host, who: number) => {
      for (let n = 0; n < 30; n++) await sell(host, `${who}-${n}`)
    }
    await Promise.all(hosts.flatMap((host, at) => [0, 1].map((twin) => seller(host, at * 2 + twin))))

    const names = await sales(first)
    console.log(`${names.length} of ${settled} committed, ${kills} sessions were killed`)
    assertTrue(kills > 10 && names.length > 0 && names.length < settled, `${kills} kills, ${names.length} sales`)
    deepStrictEqual(
      committed.filter((name) => !names.includes(name)),
      []
    )
    strictEqual(await left(first), before - names.length)
    deepStrictEqual(await first.run(Effect.flatMap(Inventory.Inventory, ({ verify }) => verify(acme))), [])
    await Promise.all(hosts.map((host) => host.dispose()))
    await killer.end()
    await Promise.all(pools.map((pool) => pool.end()))
  })
})

describe("Transactions on PostgreSQL that deadlock", () => {
  it("start again as a whole, with the program's rows", async () => {
    const program = await onPool()
    const host = await started(program)
    await program.statement("INSERT INTO sales (name) VALUES ('a'), ('b')")
    await program.statement("ALTER TABLE sales ADD COLUMN times INT NOT NULL DEFAULT 0")
    let attempts = 0
    let arrived = 0
    const bothAreIn = async () => {
      arrived++
      while (arrived < 2) await nextTurn()
    }
    const count = (first: string, second: string) =>
      host.transaction(async (tx) => {
        attempts++
        await tx.sql("UPDATE sales SET times = times + 1 WHERE name = $1", [first])
        await bothAreIn()
        await tx.sql("UPDATE sales SET times = times + 1 WHERE name = $1", [second])
        await take(tx.services, 1)
      })
    await Promise.all([count("a", "b"), count("b", "a")])
    const rows = await host.transaction((tx) => tx.sql("SELECT times FROM sales ORDER BY name"))
    deepStrictEqual([rows, await left(host)], [[{ times: 2 }, { times: 2 }], 8])
    assertTrue(attempts >= 3, `${attempts} attempts`)
    await host.dispose()
    await program.close()
  })

  it("or fail otherwise are rolled back, also when the work caught the failure", async () => {
    const program = await onPool()
    const host = await started(program)
    const work = async (tx: ApplicationTransaction) => {
      await tx.sql("INSERT INTO sales (name) VALUES ('lost')")
      await rejection(tx.sql("SELECT 1 / 0"))
    }
    assertTrue((await rejection(host.transaction(work))) instanceof StorageError)
    deepStrictEqual(await sales(host), [])
    await host.dispose()
    await program.close()
  })

  it("within the program's own are repeated by the program: the error says that they are contended", async () => {
    const program = await onPool()
    const host = await started(program)
    const [one, other] = [await program.begin(), await program.begin()]
    await host.transaction((tx) => take(tx.services, 1), { within: one.connection })
    await other.statement("SET LOCAL lock_timeout = '50ms'")
    const error = await rejection(host.transaction((tx) => take(tx.services, 1), { within: other.connection }))
    assertTrue(error instanceof StorageError && error.isContended === true, String(error))
    await other.end("ROLLBACK")
    await one.end("COMMIT")
    strictEqual(await left(host), 9)
    await host.dispose()
    await program.close()
  })
})

describe("A transaction on other storages", () => {
  it("in memory has no statements, and takes part in no connection's transaction", async () => {
    const host = await Host.make({ ...options, storage: StorageMemory.layer })
    assertTrue(String(await rejection(host.transaction((tx) => tx.sql("SELECT 1")))).includes("no SQL"))
    const elsewhere = await rejection(host.transaction(async () => "done", { within: {} }))
    assertTrue(String(elsewhere).includes("Sqlite.fromDatabase"), String(elsewhere))
    await host.dispose()
  })

  it.each([
    ["a SQLite file", async () => BetterSqlite3.layer(newFile())],
    ["Effect's client of PostgreSQL", async () => Postgres.layer(Redacted.make(await newDatabase()))]
  ] as const)("on %s commits rows of the program by its statements", async (_, client) => {
    const host = await Host.make({ ...options, storage: storageOn(await client()) })
    for (const table of tables) await host.transaction((tx) => tx.sql(table))
    const lost = host.transaction(async (tx) => {
      await tx.sql("INSERT INTO sales (name) VALUES ('lost')")
      throw new Error("stop")
    })
    assertTrue(String(await rejection(lost)).includes("stop"))
    await host.transaction((tx) => tx.sql("INSERT INTO sales (name) VALUES ('kept')"))
    deepStrictEqual(await sales(host), ["kept"])
    await host.dispose()
  })
})
