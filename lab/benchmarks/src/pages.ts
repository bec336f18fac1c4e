/** `npm run lab -- bench-pages` measures reads that grow with a company's data, for docs/internals/retention.md. */
import "@crossdock/cli/NodeVersion"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ProductStore } from "@crossdock/catalog"
import { Listings } from "@crossdock/inventory"
import { CompanyId, Transaction } from "@crossdock/kernel"
import { OrderStore } from "@crossdock/orders"
import * as PostgresServer from "@crossdock/postgres/PostgresServer"
import { ShipmentStore } from "@crossdock/shipments"
import * as Fresh from "@crossdock/storage-laws/Fresh"
import { StorageSql } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { seedOrder, shipmentAt } from "./seed.ts"

const [products, locations, shipments] = [20_000, 5, 40_000]
const rounds = 15
const batch = 1_000
const size = 100
const company = CompanyId.make(1)

const inBatches = <A>(
  count: number,
  one: (nth: number) => A,
  write: (all: ReadonlyArray<A>) => Effect.Effect<unknown, unknown>
) =>
  Effect.forEach(
    Array.from({ length: count / batch }, (_, at) => at * batch),
    (from) => write(Array.from({ length: batch }, (_, at) => one(from + at))),
    { discard: true }
  )

const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { run } = yield* Transaction.Transaction
  const [productStore, orders, shipmentStore] = [yield* ProductStore, yield* OrderStore, yield* ShipmentStore]
  yield* sql`INSERT INTO crossdock_companies (id, name, legal_name) VALUES (1, ${"A"}, ${"A"})`
  for (let at = 1; at <= locations; at++) {
    yield* sql`INSERT INTO crossdock_locations (company_id, code, name, currency, handling_hours)
      VALUES (1, ${`L${at}`}, ${"Store"}, ${"INR"}, 1)`
  }
  yield* inBatches(
    products,
    (nth) => Fresh.product(company, `p${nth}`, [`sku${nth}`]),
    (all) => run(productStore.put(company, all, 1))
  )
  yield* sql`INSERT INTO crossdock_levels (company_id, location_id, size_id, on_hand, reserved, unsellable, version,
      sequence, changed_at, modified_at)
    SELECT s.company_id, l.id, s.id, 1, 0, 0, 1, 1, 1, 1 FROM crossdock_sizes s
      JOIN crossdock_locations l ON l.company_id = s.company_id`
  yield* run(orders.insert(seedOrder))
  yield* inBatches(shipments, shipmentAt, (all) => run(shipmentStore.insert(all)))
  yield* sql.unsafe(sql.onDialectOrElse({ orElse: () => "ANALYZE", pg: () => "VACUUM ANALYZE" }))
})

const everything = { locations: null, skus: [] }
const last = (of: number) => ({ number: of / size, size })

const reads = Effect.gen(function* () {
  const [listings, productStore, shipmentStore] = [yield* Listings, yield* ProductStore, yield* ShipmentStore]
  const byCreation = { itemCodes: [], sort: "created" } as const
  return {
    "count of all listings": listings.count(company, { ...everything, withBatches: false }),
    "first page of listings": listings.page(company, everything, { number: 1, size }),
    "page 60 of listings": listings.page(company, everything, { number: 60, size }),
    "last page of listings": listings.page(company, everything, last(products * locations)),
    "last page of shipments of a status": shipmentStore.page(
      company,
      { locations: null, orderStatus: "CREATED" },
      last(shipments)
    ),
    "last page of products": productStore.page(company, byCreation, last(products)),
    "products by a part of their name": productStore.page(
      company,
      { ...byCreation, name: "p1999" },
      { number: 1, size }
    )
  }
})

const millis = (read: Effect.Effect<unknown, unknown>) =>
  Effect.gen(function* () {
    const times: Array<number> = []
    for (let round = 0; round <= rounds; round++) {
      const started = performance.now()
      yield* read
      if (round > 0) times.push(performance.now() - started)
    }
    times.sort((a, b) => a - b)
    return { median: times[Math.floor(rounds / 2)] ?? Number.NaN, fastest: times[0] ?? Number.NaN }
  })

const measure = (name: string, database: Layer.Layer<SqlClient.SqlClient, unknown>) =>
  Effect.gen(function* () {
    yield* fill
    for (const [what, read] of Object.entries(yield* reads)) {
      const { fastest, median } = yield* millis(read)
      process.stdout.write(`${name}, ${what}: ${median.toFixed(1)} ms, fastest ${fastest.toFixed(1)} ms\n`)
    }
  }).pipe(Effect.provide(StorageSql.layer.pipe(Layer.provideMerge(database))), Effect.runPromise)

const folder = await mkdtemp(join(tmpdir(), "crossdock-pages-"))
await measure("SQLite", BetterSqlite3.layer(join(folder, "pages.db")))
await rm(folder, { recursive: true })

const server = await PostgresServer.start()
await measure("PostgreSQL", Postgres.layer(Redacted.make(server.url)))
await server.stop()
