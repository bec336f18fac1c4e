import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { Metrics } from "@crossdock/kernel"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import type {} from "@crossdock/postgres/PostgresGlobalSetup"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import Database from "better-sqlite3"
import { Context, Effect, Fiber, Layer, Option, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { afterAll, beforeAll, expect, inject } from "vitest"
import { temporaryFolder } from "../../../packages/http/test/TemporaryFolder.ts"
import { done, product } from "../../../packages/http/test/TestProducts.ts"
import * as Api from "../src/Api.ts"
import { type RunningHost, send, settings, startHost } from "./TestHost.ts"

const file = join(temporaryFolder(), "metrics.db")

/** Another process's statement. */
const change = (statement: string) => {
  const database = new Database(file)
  database.exec(statement)
  database.close()
}

let host: RunningHost
let acme: Api.Api
/** The marketplace webhook's answer. */
let accepts = true
const receiver = createServer((request, response) => {
  request.resume().on("end", () => response.writeHead(accepts ? 204 : 500).end())
})

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
  const { port } = receiver.address() as AddressInfo
  host = await startHost(
    settings({
      databaseUrl: `sqlite:${file}`,
      sandboxWebhookUrl: Option.some(`http://127.0.0.1:${port}/inventory`)
    })
  )
  acme = await Api.seller(host.url)
})

afterAll(async () => {
  acme.close()
  await host.stop()
  receiver.close()
})

const scrape = async () => (await send(host.url, "GET", "/metrics")).text

/** The series of this name whose labels contain `labels`; a sum if there are several. */
const valueIn = (text: string, name: string, labels: ReadonlyArray<string> = []): number =>
  text
    .split("\n")
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .filter((line) => labels.every((label) => line.includes(label)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0)

const setStock = (sku: string, quantity: number) =>
  acme.call("PUT", "/ims/v3/inventory", [{ location_id: "BLR1", sku, quantity }])

const inventory = `route="/ims/v3/inventory"`

/**
 * On PostgreSQL, several writers decide on the same first levels before any may write; row locks can't prevent that. The host's
 * metrics are this process's.
 */
const firstStocks = Effect.gen(function* () {
  const url = yield* PostgresDatabase.make(inject("postgres"))
  const start = () => startHost(settings({ databaseUrl: Redacted.value(url) }))
  const other = yield* Effect.acquireRelease(Effect.promise(start), ({ stop }) => Effect.promise(stop))
  const seller = yield* Effect.promise(() => Api.seller(other.url))
  const products = Array.from({ length: 50 }, (_, nth) => product(`first-${nth}`))
  yield* Effect.promise(() => done(seller, "POST", products))
  const records = products.map(({ item_code }) => ({ location_id: "BLR1", sku: `${item_code}-M`, quantity: 1 }))
  const sql = Context.get(yield* Layer.build(Postgres.layer(url)), SqlClient.SqlClient)
  const put = () => seller.call("PUT", "/ims/v3/inventory", records)
  const waiting = sql`SELECT 1 AS one FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
  const puts = yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`SELECT id FROM crossdock_companies ORDER BY id FOR UPDATE`
      const sent = yield* Effect.forkDetach(Effect.promise(() => Promise.all([put(), put()])))
      while ((yield* waiting).length < 2) yield* Effect.yieldNow
      return sent
    })
  )
  yield* Fiber.join(puts)
  seller.close()
}).pipe(Effect.scoped, Effect.orDie)

/** Makes a metric move: a series' labels, a histogram count's suffix, whether the value shows a move, and the work for it. */
interface Move {
  readonly labels?: ReadonlyArray<string>
  readonly work: () => unknown
  readonly moved?: (value: number, before: number) => boolean
  readonly after?: () => unknown
}

const due = (now: number) =>
  change(
    `INSERT INTO crossdock_invoices (company_id, id, agreement_id, period, number, status, next_at, created_at, modified_at, version, body)
     VALUES (99, 'i', 'a', 1, 'n', 'open', ${now - 60_000}, 1, 1, 1, 'no invoice')`
  )
const paid = () => change("DELETE FROM crossdock_invoices WHERE company_id = 99")

const moves: Readonly<Record<string, Move>> = {
  crossdock_http_requests_total: {
    labels: [`method="GET"`, `route="none"`, `status="404"`, `code="ROUTE_NOT_FOUND"`],
    work: () => send(host.url, "GET", "/nothing/4711")
  },
  crossdock_http_request_duration_seconds: { labels: [`method="PUT"`, inventory], work: () => setStock("85123A", 1) },
  crossdock_records_rejected_total: {
    labels: [inventory, `code="UNKNOWN_SKU"`],
    work: () => setStock("nobody's SKU", 1)
  },
  crossdock_write_restarts_total: {
    work: () => Effect.runPromise(firstStocks)
  },
  crossdock_transaction_wait_seconds: { work: () => setStock("85123A", 2) },
  crossdock_notifications_total: { labels: [`outcome="accepted"`], work: () => setStock("85123A", 3) },
  crossdock_notification_delay_seconds: { work: () => setStock("85123A", 4) },
  crossdock_queue_entries: {
    labels: [`queue="notifications"`],
    work: () => {
      accepts = false
      return setStock("85123A", 5)
    },
    after: () => {
      accepts = true
    }
  },
  crossdock_queue_oldest_age_seconds: {
    labels: [`queue="payments"`],
    work: () => due(Date.now()),
    moved: (age) => age >= 60,
    after: paid
  },
  crossdock_dead_letters: {
    work: () =>
      change(
        "INSERT INTO crossdock_dead_letters (company_id, marketplace, id, at, body) VALUES (1, 'bazaar', 'msg_1', 1, '{}')"
      )
  },
  crossdock_event_dead_letters: {
    work: () =>
      change(
        "INSERT INTO crossdock_event_dead_letters (company_id, endpoint, id, at, body) VALUES (1, 'erp', 'msg_1', 1, '{}')"
      )
  },
  crossdock_database_size_bytes: {
    work: () => change("CREATE TABLE of_the_program AS SELECT randomblob(1000000) AS bytes")
  },
  crossdock_last_backup_timestamp_seconds: {
    // Later than a backup of another file's host: gauges are per process.
    work: () => change(`INSERT INTO crossdock_versions (name, version) VALUES ('backup', ${Date.now()})`)
  },
  crossdock_backlog_read_timestamp_seconds: { work: () => {} },
  crossdock_worker_failures_total: {
    labels: [`worker="billing"`],
    work: () => change("ALTER TABLE crossdock_agreements RENAME TO crossdock_agreements_away"),
    after: () => change("ALTER TABLE crossdock_agreements_away RENAME TO crossdock_agreements")
  },
  crossdock_worker_last_success_timestamp_seconds: { labels: [`worker="billing"`], work: () => {} },
  crossdock_event_loop_delay_seconds: {
    labels: [`quantile="1"`],
    work: () => {
      const until = performance.now() + 300
      while (performance.now() < until);
    },
    moved: (delay) => delay >= 0.2
  },
  crossdock_process_resident_memory_bytes: {
    work: () => {
      memory.push(Buffer.alloc(100_000_000, 1))
    },
    moved: (bytes) => bytes >= 100_000_000,
    after: () => memory.pop()
  },
  crossdock_process_cpu_seconds_total: {
    work: () => {
      const until = performance.now() + 50
      while (performance.now() < until);
    }
  },
  crossdock_release_info: { labels: [`release="`], work: () => {}, moved: (value) => value === 1 }
}

const memory: Array<Buffer> = []

/** PostgreSQL only: packages/cli/test/DatabaseClock.test.ts and storage-sql's Postgres.test.ts move them. */
const ofPostgres = ["crossdock_clock_ahead_seconds", "crossdock_pool_connections_in_use"]
const onSqlite = Metrics.all.filter(({ name }) => !ofPostgres.includes(name))

describe("The metrics of a host", () => {
  it("are those of the table, each with work that makes it move", () => {
    deepStrictEqual(Object.keys(moves).sort(), onSqlite.map(({ name }) => name).sort())
  })

  for (const { name, type } of onSqlite) {
    it(`${name} moves`, async () => {
      const {
        after,
        labels = [],
        moved = (value: number, before: number) => value > before,
        work
      } = moves[name] as Move
      const series = type === "histogram" ? `${name}_count` : name
      const before = valueIn(await scrape(), series, labels)
      try {
        await work()
        // Readings of the database are up to five seconds old.
        await expect
          .poll(async () => moved(valueIn(await scrape(), series, labels), before), { interval: 100 })
          .toBe(true)
      } finally {
        await after?.()
      }
    })
  }

  it("have the labels of the table and no others", async () => {
    const text = await scrape()
    for (const { labels, name } of Metrics.all) {
      const found = new Set(
        text
          .split("\n")
          .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name}_count{`))
          .map((line) =>
            [...line.matchAll(/[{,](\w+)="/g)]
              .map(([, label]) => label)
              .sort()
              .join()
          )
      )
      deepStrictEqual([...found], labels.length === 0 ? [] : [[...labels].sort().join()], name)
    }
  })

  it("have no id, SKU, company or text of a caller in any label, and no more series than before", async () => {
    const seriesIn = (text: string) => text.split("\n").filter((line) => line.startsWith("crossdock_")).length
    const visit = async (nth: number) => {
      await send(host.url, ["PROPFIND", "LOCK", "REPORT"][nth % 3] ?? "", `/tea/${nth}`)
      await send(host.url, "GET", `/oms/v3/shipment?orderId=order-${nth}&nothing${nth}=1`)
      await acme.call("GET", `/ims/v3/listings?skus=sku-canary-${nth}`)
      await setStock(`sku-canary-${nth}`, 1)
    }
    await visit(0)
    const before = seriesIn(await scrape())
    for (let nth = 1; nth <= 20; nth++) await visit(nth)
    const text = await scrape()
    strictEqual(seriesIn(text), before)
    for (const canary of ["canary", "PROPFIND", "tea", "order-", "acme", "bazaar"]) {
      assertTrue(!text.includes(canary), canary)
    }
  })
})

describe("The metrics of a host whose database is silent", () => {
  it("are answered within a second, with the last figures and the time of these", async () => {
    const size = valueIn(await scrape(), "crossdock_database_size_bytes")
    const other = new Database(file)
    other.exec("BEGIN EXCLUSIVE")
    try {
      // A writer waits on the only connection, with every reader behind it.
      const writing = setStock("85123A", 9)
      const since = Date.now()
      while (Date.now() - since < 4_000) {
        const asked = performance.now()
        const text = await scrape()
        // Behind the writer it would wait for a request's nine seconds.
        assertTrue(performance.now() - asked < 8_000)
        strictEqual(valueIn(text, "crossdock_database_size_bytes"), size)
      }
      other.exec("COMMIT")
      strictEqual((await writing).status, 200)
    } finally {
      other.close()
    }
  })
})
