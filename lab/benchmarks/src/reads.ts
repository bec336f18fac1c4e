/** `npm run lab -- bench-reads` measures lists, whose time must not grow with the table, and reads that grow. See `--help`. */
import "@crossdock/cli/NodeVersion"
import { join } from "node:path"
import { ProductStore } from "@crossdock/catalog"
import { Listings } from "@crossdock/inventory"
import { CompanyId, Instant, Transaction } from "@crossdock/kernel"
import { OrderStore } from "@crossdock/orders"
import * as PostgresServer from "@crossdock/postgres/PostgresServer"
import { type OperationalStatus, type Shipment, type ShipmentFilter, ShipmentStore } from "@crossdock/shipments"
import * as Fresh from "@crossdock/storage-laws/Fresh"
import { StorageSql } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import * as CommandLine from "@crossdock/system-tests/CommandLine"
import * as Random from "@crossdock/system-tests/Random"
import { Effect, FileSystem, Layer, Redacted } from "effect"
import { Argument } from "effect/cli"
import { SqlClient } from "effect/sql"
import { seedOrder, shipmentAt } from "./seed.ts"

const company = CompanyId.make(1)
const say = (line: string) => process.stdout.write(`${line}\n`)

const inBatches = <A>(
  count: number,
  one: (nth: number) => A,
  write: (all: ReadonlyArray<A>) => Effect.Effect<unknown, unknown>
) =>
  Effect.forEach(
    Array.from({ length: Math.ceil(count / 1_000) }, (_, at) => at * 1_000),
    (from) => write(Array.from({ length: Math.min(1_000, count - from) }, (_, at) => one(from + at))),
    { discard: true }
  )

const ship = (count: number, one: (nth: number) => Shipment) =>
  Effect.gen(function* () {
    const [{ run }, orders, shipments] = [yield* Transaction.Transaction, yield* OrderStore, yield* ShipmentStore]
    yield* run(orders.insert(seedOrder))
    yield* inBatches(count, one, (all) => run(shipments.insert(all)))
  })

/** The milliseconds of some reads, and those of CPU time of this process, which don't include other work of the machine. */
const timed = <R>(reads: number, read: () => Effect.Effect<unknown, unknown, R>) =>
  Effect.gen(function* () {
    const [times, work]: readonly [Array<number>, Array<number>] = [[], []]
    for (let nth = 0; nth < reads; nth++) {
      const one = read()
      const [used, started] = [process.cpuUsage(), performance.now()]
      yield* one
      times.push(performance.now() - started)
      const { system, user } = process.cpuUsage(used)
      work.push((system + user) / 1000)
    }
    const share = (of: ReadonlyArray<number>, part: number) =>
      of.toSorted((a, b) => a - b)[Math.floor(of.length * part)] ?? Number.NaN
    return { fastest: share(times, 0), p50: share(times, 0.5), p99: share(times, 0.99), work: share(work, 0.99) }
  })

const draw = Random.make(1)
const below = (bound: number) => Math.floor(draw() * bound)
const [days, firstDay] = [365, 20_000]

/** The statuses of the shipments at each location, day and marketplace: mostly done, some in transit, a few pending. */
const statuses: ReadonlyArray<OperationalStatus> = [
  "placed",
  "bag_confirmed",
  "bag_picked",
  "return_accepted",
  ...Array.from({ length: 12 }, () => "delivery_done" as const)
]

const anyShipment = (nth: number) => ({
  ...shipmentAt(nth),
  location: draw() < 0.7 ? "BLR1" : "BOM1",
  marketplace: draw() < 0.9 ? "bazaar" : "souk",
  status: statuses[below(statuses.length)] ?? "placed",
  orderDate: (firstDay + below(days)) * Instant.dayMillis + below(Instant.dayMillis)
})

const week = () => {
  const from = firstDay + below(days - 7)
  return { locations: ["BLR1"], orderStatus: "DELIVERED", from, to: from + 6 } as const
}

const lists: Readonly<Record<string, () => ShipmentFilter>> = {
  "by status and a week": week,
  "by status": () => ({ locations: [draw() < 0.5 ? "BLR1" : "BOM1"], orderStatus: "DELIVERED" }),
  "by status and a marketplace": () => ({ locations: ["BLR1"], orderStatus: "DELIVERED", marketplace: "souk" }),
  "by status, at all locations": () => ({ locations: null, orderStatus: "CREATED" })
}

/** The fastest of ten rounds of 500 reads. Below a millisecond, a p99 would mostly measure other work of the machine. */
const listed = (filter: () => ShipmentFilter) =>
  Effect.gen(function* () {
    const { page } = yield* ShipmentStore
    const [, ...rounds] = yield* Effect.replicateEffect(
      timed(500, () => page(company, filter(), { number: 1, size: 20 })),
      11
    )
    const least = (figure: "p50" | "p99" | "work") => Math.min(...rounds.map((one) => one[figure]))
    return { p50: least("p50"), p99: least("p99"), work: least("work") }
  })

/** Whether the total of a list is the number of its shipments, counted one by one. */
const isRight = Effect.gen(function* () {
  const [sql, { page }, filter] = [yield* SqlClient.SqlClient, yield* ShipmentStore, week()]
  const [from, to] = [filter.from * Instant.dayMillis, (filter.to + 1) * Instant.dayMillis]
  const { total } = yield* page(company, filter, { number: 1, size: 1 })
  const [counted] = yield* sql<{ total: number }>`
    SELECT COUNT(*) AS total FROM crossdock_shipments WHERE company_id = ${company} AND location = 'BLR1'
      AND order_status = 'DELIVERED' AND order_date >= ${from} AND order_date < ${to}`
  return counted?.total === total
})

/** Measures the lists among each number of shipments. Returns the faults. */
const measureLists = (folder: string, counts: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const found = new Map<string, Array<number>>()
    const faults: Array<string> = []
    for (const [at, count] of counts.entries()) {
      const database = BetterSqlite3.layer(join(folder, `lists-${at}.db`))
      yield* Effect.gen(function* () {
        yield* ship(count, anyShipment)
        for (const [name, filter] of Object.entries(lists)) {
          const { p50, p99, work } = yield* listed(filter)
          found.set(name, [...(found.get(name) ?? []), work])
          const figures = `p50 ${p50.toFixed(3)} ms, p99 ${p99.toFixed(3)} ms, p99 of CPU time ${work.toFixed(3)} ms`
          say(`${count} shipments, ${name}: ${figures}`)
        }
        const wrong = (yield* Effect.replicateEffect(isRight, 5)).filter((one) => !one).length
        if (wrong > 0) faults.push(`${wrong} of 5 totals among ${count} shipments are wrong`)
      }).pipe(Effect.provide(StorageSql.layer.pipe(Layer.provideMerge(database))))
    }
    for (const [name, times] of found) {
      const ratio = (times.at(-1) ?? 0) / (times[0] ?? 1)
      const law = `${name}: the p99 of CPU time among the most is ${ratio.toFixed(2)} times that among the fewest`
      say(law)
      if (!(ratio < 1.5)) faults.push(law)
    }
    return faults
  })

const [products, locations, shipments] = [20_000, 5, 40_000]
const size = 100

const fill = Effect.gen(function* () {
  const [sql, { run }, { put }] = [yield* SqlClient.SqlClient, yield* Transaction.Transaction, yield* ProductStore]
  yield* sql`INSERT INTO crossdock_companies (id, name, legal_name) VALUES (1, ${"A"}, ${"A"})`
  for (let at = 1; at <= locations; at++) {
    yield* sql`INSERT INTO crossdock_locations (company_id, code, name, currency, handling_hours)
      VALUES (1, ${`L${at}`}, ${"Store"}, ${"INR"}, 1)`
  }
  yield* inBatches(
    products,
    (nth) => Fresh.product(company, `p${nth}`, [`sku${nth}`]),
    (all) => run(put(company, all, 1))
  )
  yield* sql`INSERT INTO crossdock_levels (company_id, location_id, size_id, on_hand, reserved, unsellable, version,
      sequence, changed_at, modified_at)
    SELECT s.company_id, l.id, s.id, 1, 0, 0, 1, 1, 1, 1 FROM crossdock_sizes s
      JOIN crossdock_locations l ON l.company_id = s.company_id`
  yield* ship(shipments, shipmentAt)
  yield* sql.unsafe(sql.onDialectOrElse({ orElse: () => "ANALYZE", pg: () => "VACUUM ANALYZE" }))
})

const everything = { locations: null, skus: [] }
const created = { locations: null, orderStatus: "CREATED" } as const
const byCreation = { itemCodes: [], sort: "created" } as const
const last = (of: number) => ({ number: of / size, size })

const growing = Effect.gen(function* () {
  const [listings, productStore, shipmentStore] = [yield* Listings, yield* ProductStore, yield* ShipmentStore]
  const named = { ...byCreation, name: "p1999" }
  return {
    "count of all listings": listings.count(company, { ...everything, withBatches: false }),
    "first page of listings": listings.page(company, everything, { number: 1, size }),
    "page 60 of listings": listings.page(company, everything, { number: 60, size }),
    "last page of listings": listings.page(company, everything, last(products * locations)),
    "last page of shipments of a status": shipmentStore.page(company, created, last(shipments)),
    "last page of products": productStore.page(company, byCreation, last(products)),
    "products by a part of their name": productStore.page(company, named, { number: 1, size })
  }
})

const measureGrowing = (name: string, database: Layer.Layer<SqlClient.SqlClient, unknown>) =>
  Effect.gen(function* () {
    yield* fill
    for (const [what, read] of Object.entries(yield* growing)) {
      yield* read
      const { fastest, p50 } = yield* timed(15, () => read)
      say(`${name}, ${what}: ${p50.toFixed(1)} ms, fastest ${fastest.toFixed(1)} ms`)
    }
  }).pipe(Effect.provide(StorageSql.layer.pipe(Layer.provideMerge(database))))

CommandLine.main({
  name: "bench-reads",
  does:
    "Measures reads without HTTP: lists of shipments on SQLite; and counts, late pages and searches of a company with 100,000 " +
    "listings and 40,000 shipments on SQLite and PostgreSQL. When it passes, the p99 of a list's CPU time is less than 1.5 " +
    "times as long among the most shipments as among the fewest, and the totals of lists are right.",
  options: {
    only: CommandLine.choice("only", ["lists", "growing", "both"], "both", "what it measures"),
    counts: Argument.Int("shipments").pipe(
      Argument.variadic(),
      Argument.withDescription("numbers of shipments among which lists are measured (default: 10000 100000 1000000)")
    )
  },
  run: ({ counts, only }) =>
    Effect.gen(function* () {
      const folder = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped({ prefix: "crossdock-reads-" })
      const among = counts.length > 0 ? counts : [10_000, 100_000, 1_000_000]
      const faults = only === "growing" ? [] : yield* measureLists(folder, among)
      if (only !== "lists") {
        yield* measureGrowing("SQLite", BetterSqlite3.layer(join(folder, "growing.db")))
        const { url } = yield* Effect.acquireRelease(
          Effect.promise(() => PostgresServer.start()),
          (server) => Effect.promise(() => server.stop())
        )
        yield* measureGrowing("PostgreSQL", Postgres.layer(Redacted.make(url)))
      }
      const claim = "lists take no longer among more shipments, and their totals are right"
      return only === "growing" ? undefined : { claim, figures: {}, faults }
    })
})
