/**
 * Work of the host's around a write: what it prepares outside of the transaction, what it vetoes and writes inside, and what
 * remains when it fails.
 */
import { productInput } from "@crossdock/catalog/testing"
import { allOrThrow, type Hooks, type Outcome, orThrow } from "@crossdock/host"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import { Sqlite, StorageSql } from "@crossdock/storage-sql"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import Database from "better-sqlite3"
import { Effect, Exit, Layer, Scope } from "effect"
import { afterAll, inject } from "vitest"
import { bazaar, orderOf, seller, setupError, start } from "./Shop.ts"

const databases = Scope.makeUnsafe()
afterAll(() => Effect.runPromise(Scope.close(databases, Exit.void)))

const onSqlite = async (hooks: ReadonlyArray<Hooks.AnyHook>) => {
  const database = new Database(":memory:")
  database.exec("CREATE TABLE outbox (text TEXT)")
  const storage = Layer.provide(StorageSql.layer, Sqlite.fromDatabase(database))
  const shop = await start({ hooks, storage })
  const outbox = () => database.prepare("SELECT text FROM outbox").pluck().all()
  return { ...shop, database, outbox }
}

const errorsOf = (outcome: Outcome<{ readonly failures: ReadonlyArray<object> }, unknown>) =>
  outcome.ok ? outcome.value.failures : outcome.error

const veto = { code: "NOT_TODAY", message: "Not today." }

describe("A hook on orders", () => {
  it("vetoes with its own code, over HTTP and in process, and nothing of the order remains", async () => {
    const before = async ({ records: [order] }: Hooks.CallInside<"place">) =>
      order?.record.externalOrderId === "FINE" ? undefined : veto
    const { host, send } = await start({ hooks: [{ on: "place", before }] })
    const { code, message } = await send("POST", "/order/api/v1/bazaar/create", orderOf("BAD"))
    deepStrictEqual([code, message], ["NOT_TODAY", "Not today."])
    const headers = { "content-type": "application/json" }
    const body = JSON.stringify(orderOf("BAD"))
    const request = new Request("https://shop.example/order/api/v1/bazaar/create", { method: "POST", headers, body })
    strictEqual((await host.handler(request)).status, 409)
    const outcome = await host.services.orders.place(bazaar, orderOf("BAD"))
    assertTrue(!outcome.ok)
    deepStrictEqual((outcome.error as { code: string }).code, "NOT_TODAY")
    await orThrow(host.services.orders.place(bazaar, orderOf("FINE")))
    const [level] = await orThrow(host.services.inventory.listings(seller, ["T-S"], { number: 1, size: 1 }))
    strictEqual(level?.reserved, 2)
    await host.dispose()
  })

  it("prepares outside of the transaction, with an Idempotency-Key too, and does the rest inside of it", async () => {
    const seen: Array<ReadonlyArray<unknown>> = []
    let inTransaction = () => false
    const shop = await onSqlite([
      {
        on: "place",
        prepare: async ({ records }) => {
          seen.push(["prepare", inTransaction(), records.length])
          return 0.5
        },
        before: ({ prepared }) => Effect.sync(() => void seen.push(["before", inTransaction(), prepared])),
        after: ({ outcome }) => void seen.push(["after", inTransaction(), outcome.shipments.length])
      }
    ])
    inTransaction = () => shop.database.inTransaction
    const expected = [
      ["prepare", false, 1],
      ["before", true, 0.5],
      ["after", true, 1]
    ]
    await shop.place("A")
    deepStrictEqual(seen.splice(0), expected)
    const keyed = () =>
      shop.host.handler(
        new Request("https://shop.example/order/api/v1/bazaar/create", {
          method: "POST",
          headers: { "content-type": "application/json", "idempotency-key": "k-1" },
          body: JSON.stringify(orderOf("B"))
        })
      )
    const first = await (await keyed()).json()
    deepStrictEqual(seen.splice(0), expected)
    const again = await keyed()
    deepStrictEqual([again.headers.get("idempotent-replayed"), await again.json()], ["true", first])
    deepStrictEqual(
      seen.map(([part]) => part),
      ["prepare"]
    )
    await shop.host.dispose()
  })

  it("whose preparation fails keeps no stored answer back", async () => {
    let isDown = false
    const prepare = () => (isDown ? Promise.reject(new Error("no network")) : undefined)
    const { host } = await onSqlite([{ on: "place", prepare }])
    const answer = async () => {
      const headers = { "content-type": "application/json", "idempotency-key": "k-1" }
      const url = "https://shop.example/order/api/v1/bazaar/create"
      const request = new Request(url, { method: "POST", headers, body: JSON.stringify(orderOf("A")) })
      const { headers: sent, status } = await host.handler(request)
      return [status, sent.get("idempotent-replayed")]
    }
    deepStrictEqual(await answer(), [200, null])
    isDown = true
    deepStrictEqual(await answer(), [200, "true"])
    await host.dispose()
  })

  it("whose preparation fails writes nothing, with an Idempotency-Key or without", async () => {
    let asked = 0
    const prepare = () => {
      asked++
      return Promise.reject(new Error("no network"))
    }
    const { database, host } = await onSqlite([{ on: "place", prepare }])
    for (const key of [{}, { "idempotency-key": "k-1" }]) {
      const headers = { "content-type": "application/json", ...key }
      const url = "https://shop.example/order/api/v1/bazaar/create"
      const request = new Request(url, { method: "POST", headers, body: JSON.stringify(orderOf("A")) })
      strictEqual((await host.handler(request)).status, 500)
    }
    strictEqual(asked, 2)
    deepStrictEqual(database.prepare("SELECT count(*) FROM crossdock_orders").pluck().get(), 0)
    await host.dispose()
  })

  it("writes rows of the program's own that commit with the order, or not at all", async () => {
    let isDown = false
    const shop = await onSqlite([
      {
        on: "place",
        before: async ({ records, sql }) => {
          await sql("INSERT INTO outbox (text) VALUES (?)", [`${records[0]?.record.externalOrderId}?`])
          return undefined
        },
        after: async ({ outcome, sql }) => {
          await sql("INSERT INTO outbox (text) VALUES (?)", [`${outcome.shipments.length}`])
          if (isDown) throw new Error("after failed")
        }
      }
    ])
    await shop.place("A")
    deepStrictEqual(shop.outbox(), ["A?", "1"])
    isDown = true
    const failed = await shop.host.services.orders.place(bazaar, orderOf("B")).catch(({ message }: Error) => message)
    strictEqual(failed, "after failed")
    deepStrictEqual(shop.outbox(), ["A?", "1"])
    const [level] = await orThrow(shop.host.services.inventory.listings(seller, ["T-S"], { number: 1, size: 1 }))
    strictEqual(level?.reserved, 2)
    await shop.host.dispose()
  })

  it.each(["COMMIT", " -- done\n rollback", "/* x */ SAVEPOINT mine", "START TRANSACTION"])(
    "can't end or divide the transaction: %s",
    async (text) => {
      const shop = await onSqlite([{ on: "place", before: async ({ sql }) => void (await sql(text)) }])
      const failed = await shop.host.services.orders.place(bazaar, orderOf("A")).catch(({ message }: Error) => message)
      strictEqual(failed, "sql can't begin, end or divide a transaction: ours commits or rolls back as a whole")
      await shop.host.dispose()
    }
  )

  it("may write texts that name what it can't do", async () => {
    const text = "INSERT INTO outbox (text) VALUES ('; COMMIT') -- ; END"
    const shop = await onSqlite([{ on: "place", before: async ({ sql }) => void (await sql(text)) }])
    await shop.place("A")
    deepStrictEqual(shop.outbox(), ["; COMMIT"])
    await shop.host.dispose()
  })

  it("run in the order of their list, each with its own preparation", async () => {
    const seen: Array<string> = []
    const named = (name: string): Hooks.Hook<"place"> => ({
      on: "place",
      prepare: () => Promise.resolve(name),
      before: ({ prepared }) => void seen.push(`before ${prepared}`),
      after: ({ prepared }) => void seen.push(`after ${prepared}`)
    })
    const { host, place } = await start({ hooks: [named("a"), named("b")] })
    await place("A")
    deepStrictEqual(seen, ["before a", "before b", "after a", "after b"])
    await host.dispose()
  })

  it("writes nothing once its transaction has ended", async () => {
    const kept: Array<Hooks.CallInside<"place">["sql"]> = []
    const shop = await onSqlite([{ on: "place", before: ({ sql }) => void kept.push(sql) }])
    await shop.place("A")
    const late = await kept[0]?.("INSERT INTO outbox (text) VALUES ('late')").catch(({ message }: Error) => message)
    deepStrictEqual([late, shop.outbox()], ["The transaction of this hook on place has ended", []])
    await shop.host.dispose()
  })

  it("that takes too long fails the order", async () => {
    const { host } = await start({ hooks: [{ on: "place", before: () => new Promise<undefined>(() => {}) }] })
    const failed = await host.services.orders.place(bazaar, orderOf("A")).catch(({ message }: Error) => message)
    strictEqual(failed, "before of a hook on place took longer than 5 seconds")
    await host.dispose()
  }, 20_000)
})

describe("A hook's statement that goes on after its time", () => {
  it("is cancelled, so that it keeps no rows of PostgreSQL locked", async () => {
    const url = await Effect.runPromise(Scope.provide(PostgresDatabase.make(inject("postgres")), databases))
    let isSlow = true
    const after: Hooks.Hook<"place">["after"] = async ({ sql }) => void (isSlow && (await sql("SELECT pg_sleep(600)")))
    const { host, place } = await start({
      hooks: [{ on: "place", after }],
      storage: Layer.provide(StorageSql.layer, Postgres.layer(url))
    })
    const failed = await host.services.orders.place(bazaar, orderOf("A")).catch(({ message }: Error) => message)
    strictEqual(failed, "after of a hook on place took longer than 5 seconds")
    isSlow = false
    await place("B")
    const [level] = await orThrow(host.services.inventory.listings(seller, ["T-S"], { number: 1, size: 1 }))
    strictEqual(level?.reserved, 2)
    await host.dispose()
  })
})

describe("A hook on a bulk", () => {
  it("can't change its records, which would be written unjudged", async () => {
    const before: Hooks.Hook<"stock">["before"] = ({ records }) =>
      void Object.assign(records[0]?.record ?? {}, { quantity: -1 })
    const { host } = await start({ hooks: [{ on: "stock", before }] }).catch(({ message }: Error) => ({
      host: message
    }))
    strictEqual(host, "Cannot assign to read only property 'quantity' of object '#<Object>'")
  })

  it("vetoes some of its records, or all of them, and the others are applied", async () => {
    const second = { ...veto, index: 1 }
    const { host, place, send } = await start({
      hooks: [
        { on: "stock", before: ({ records }) => (records.length > 1 ? [second] : undefined) },
        { on: "price", before: () => veto },
        { on: "move", before: ({ records }) => (records.length > 1 ? second : undefined) },
        { on: "return", before: () => veto }
      ]
    })
    const { inventory, prices, shipments } = host.services
    const stock = ["T-S", "T-M"].map((sku) => ({ sku, location_id: "BLR1", quantity: 100 }))
    const failure = { index: 1, code: "NOT_TODAY", message: "Not today.", path: "/1" }
    deepStrictEqual(errorsOf(await inventory.setStock(seller, stock)), [failure])
    const { data } = await send("PUT", "/ims/v3/inventory", stock)
    deepStrictEqual(data.errors, [{ ...failure, sku: "T-M", location_id: "BLR1" }])
    const price = { sku: "T-S", location_id: "BLR1", mrp: 9, esp: 8, currency: "INR" }
    deepStrictEqual(errorsOf(await prices.setPrices(seller, [price])), [{ ...failure, index: 0, path: "/0" }])
    const placed = [await place("A"), await place("B")]
    deepStrictEqual(errorsOf(await shipments.confirm(seller, placed)), [{ ...failure, path: "/1/orderId" }])
    await allOrThrow(shipments.confirm(seller, placed.slice(1)))
    const [first] = placed
    const checked = await shipments.checkQuality(seller, [{ orderId: first?.orderId ?? "", badQc: true }])
    deepStrictEqual(errorsOf(checked), [{ ...failure, index: 0, path: "/0/orderId" }])
    await host.dispose()
  })

  it("whose veto is malformed or fits no record fails the request, and nothing is written", async () => {
    let answer: unknown
    const before = () => answer as Hooks.Veto
    const { host } = await start({ hooks: [{ on: "stock", before }] })
    const stock = [{ sku: "T-S", location_id: "BLR1", quantity: 7 }]
    for (const wrong of [{ ...veto, index: 1 }, null, true, "no", [undefined], { code: "NO" }]) {
      answer = wrong
      const failed = await host.services.inventory.setStock(seller, stock).catch(({ message }: Error) => message)
      strictEqual(
        failed,
        "before of a hook on stock must return vetoes { code, message, index }, with the index of a record"
      )
    }
    const [level] = await orThrow(host.services.inventory.listings(seller, ["T-S"], { number: 1, size: 1 }))
    strictEqual(level?.onHand, 100)
    await host.dispose()
  })

  it("vetoes a write of products as a whole, with its own codes and paths", async () => {
    const { host, send } = await start({ hooks: [{ on: "product", before: () => [{ ...veto, index: 0 }] }] })
    const body = { template: "apparel", products: [productInput("N")] }
    const { code, errors } = await send("POST", "/v3/catalog/product", body)
    deepStrictEqual([code, errors], ["VALIDATION_FAILED", [{ ...veto, path: "/products/0" }]])
    await host.dispose()
  })

  it("sees plain commands of valid records alone", async () => {
    const seen: Array<unknown> = []
    const hooks: ReadonlyArray<Hooks.AnyHook> = [{ on: "move", before: ({ records }) => void seen.push(records) }]
    const { host, place } = await start({ hooks })
    const { orderId, orderItems } = await place("A")
    await host.services.shipments.confirm(seller, [
      { orderId: 3 as never, orderItems },
      { orderId, orderItems }
    ])
    const items = orderItems.map(({ orderItemId, quantity }) => ({ itemId: orderItemId, quantity }))
    deepStrictEqual(seen, [[{ index: 1, record: { shipmentId: orderId, command: { _tag: "Confirm", items } } }]])
    await host.dispose()
  })
})

it("Hooks that can't work keep the host from starting", async () => {
  const message =
    'hooks must be a list such as [{ on: "place", before }] on place, move, return, stock, price or product'
  strictEqual(await setupError({ hooks: [{ on: "order" }] }), message)
  strictEqual(await setupError({ hooks: [{ on: "place", before: true }] }), message)
})
