/** `npm run lab -- bench-lists` measures lists of up to 1,000,000 shipments. The time must not grow with the table. */
import "@crossdock/cli/NodeVersion"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { CompanyId, Instant, Transaction } from "@crossdock/kernel"
import { OrderStore } from "@crossdock/orders"
import { type OperationalStatus, type ShipmentFilter, ShipmentStore } from "@crossdock/shipments"
import { StorageSql } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import * as Random from "@crossdock/system-tests/Random"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { seedOrder, shipmentAt } from "./seed.ts"

const arguments_ = process.argv.slice(2).map(Number)
const counts = arguments_.length > 0 ? arguments_ : [10_000, 100_000, 1_000_000]
const reads = 500
const rounds = 10
const days = 365
const firstDay = 20_000
const company = CompanyId.make(1)
const draw = Random.make(1)
const below = (bound: number) => Math.floor(draw() * bound)

/** The statuses of the shipments at each location, day and marketplace: mostly done, some in transit, a few pending. */
const statuses: ReadonlyArray<OperationalStatus> = [
  "placed",
  "bag_confirmed",
  "bag_picked",
  "return_accepted",
  ...Array.from({ length: 12 }, () => "delivery_done" as const)
]

const shipmentOf = (nth: number) => ({
  ...shipmentAt(nth),
  location: draw() < 0.7 ? "BLR1" : "BOM1",
  marketplace: draw() < 0.9 ? "bazaar" : "souk",
  status: statuses[below(statuses.length)] ?? "placed",
  orderDate: (firstDay + below(days)) * Instant.dayMillis + below(Instant.dayMillis)
})

const fill = (count: number) =>
  Effect.gen(function* () {
    const [orders, shipments] = [yield* OrderStore, yield* ShipmentStore]
    const transaction = yield* Transaction.Transaction
    yield* transaction.run(orders.insert(seedOrder))
    for (let from = 0; from < count; from += 5000) {
      const size = Math.min(5000, count - from)
      yield* transaction.run(shipments.insert(Array.from({ length: size }, (_, at) => shipmentOf(from + at))))
    }
  })

const week = (): ShipmentFilter => {
  const from = firstDay + below(days - 7)
  return { locations: ["BLR1"], orderStatus: "DELIVERED", from, to: from + 6 }
}

const lists: Readonly<Record<string, () => ShipmentFilter>> = {
  "by status and a week": week,
  "by status": () => ({ locations: [draw() < 0.5 ? "BLR1" : "BOM1"], orderStatus: "DELIVERED" }),
  "by status and a marketplace": () => ({ locations: ["BLR1"], orderStatus: "DELIVERED", marketplace: "souk" }),
  "by status, at all locations": () => ({ locations: null, orderStatus: "CREATED" })
}

const percentile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

/** The milliseconds of CPU time of this process. Other work of the machine isn't included. */
const worked = (since?: NodeJS.CpuUsage) => {
  const used = process.cpuUsage(since)
  return (used.user + used.system) / 1000
}

/** Measures the fastest of ten rounds. Below a millisecond, a p99 would mostly measure other work of the machine. */
const measure = (filter: () => ShipmentFilter) =>
  Effect.gen(function* () {
    const store = yield* ShipmentStore
    const measured: Array<{ readonly p50: number; readonly p99: number; readonly work: number }> = []
    for (let round = 0; round <= rounds; round++) {
      const times: Array<number> = []
      const work: Array<number> = []
      for (let nth = 0; nth < reads; nth++) {
        const asked = filter()
        const used = process.cpuUsage()
        const started = performance.now()
        yield* store.page(company, asked, { number: 1, size: 20 })
        times.push(performance.now() - started)
        work.push(worked(used))
      }
      times.sort((a, b) => a - b)
      work.sort((a, b) => a - b)
      if (round > 0) {
        measured.push({ p50: percentile(times, 0.5), p99: percentile(times, 0.99), work: percentile(work, 0.99) })
      }
    }
    const least = (of: (one: (typeof measured)[number]) => number) => Math.min(...measured.map(of))
    return { p50: least((one) => one.p50), p99: least((one) => one.p99), work: least((one) => one.work) }
  })

/** Checks the totals of a few lists by counting their shipments one by one. */
const wrongTotals = Effect.gen(function* () {
  const [sql, store] = [yield* SqlClient.SqlClient, yield* ShipmentStore]
  let wrong = 0
  for (let nth = 0; nth < 5; nth++) {
    const { from = 0, to = 0, ...rest } = week()
    const { total } = yield* store.page(company, { ...rest, from, to }, { number: 1, size: 1 })
    const [counted] = yield* sql<{ total: number }>`
      SELECT COUNT(*) AS total FROM crossdock_shipments WHERE company_id = ${company} AND location = 'BLR1'
        AND order_status = 'DELIVERED' AND order_date >= ${from * Instant.dayMillis} AND order_date < ${(to + 1) * Instant.dayMillis}`
    if (counted?.total !== total) wrong++
  }
  return wrong
})

const found = new Map<string, Array<number>>()
let wrong = 0
for (const count of counts) {
  const folder = await mkdtemp(join(tmpdir(), "crossdock-lists-"))
  const database = StorageSql.layer.pipe(Layer.provideMerge(BetterSqlite3.layer(join(folder, "lists.db"))))
  await Effect.gen(function* () {
    yield* fill(count)
    for (const [name, filter] of Object.entries(lists)) {
      const { p50, p99, work } = yield* measure(filter)
      found.set(name, [...(found.get(name) ?? []), work])
      process.stdout.write(
        `${count} shipments, ${name}: p50 ${p50.toFixed(3)} ms, p99 ${p99.toFixed(3)} ms, p99 of processor time ${work.toFixed(3)} ms\n`
      )
    }
    wrong += yield* wrongTotals
  }).pipe(Effect.provide(database), Effect.runPromise)
  await rm(folder, { recursive: true })
}
let steepest = 0
for (const [name, times] of found) {
  const ratio = (times.at(-1) ?? 0) / (times[0] ?? 1)
  steepest = Math.max(steepest, ratio)
  process.stdout.write(
    `${name}: p99 of processor time among the most is ${ratio.toFixed(2)} times that among the fewest\n`
  )
}
process.stdout.write(`${wrong} wrong totals\n`)
process.exit(steepest < 1.5 && wrong === 0 ? 0 : 1)
