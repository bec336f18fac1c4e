/** `npm run lab -- archive --daily 25` plays a year of orders, with and without a monthly `crossdock archive`. */
import "@crossdock/cli/NodeVersion"
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { EventLog } from "@crossdock/audit"
import { Inventory, StockLevels } from "@crossdock/inventory"
import { Orders } from "@crossdock/orders"
import { orderDraft, orderLine, orderShipment } from "@crossdock/orders/testing"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import * as PostgresServer from "@crossdock/postgres/PostgresServer"
import { ShipmentStore, Shipments } from "@crossdock/shipments"
import { StorageSql } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import * as CommandLine from "@crossdock/system-tests/CommandLine"
import { Clock, Console, Effect, Layer, Redacted, Result } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { crossdock } from "./Commands.ts"
import * as Databases from "./Databases.ts"
import * as Goods from "./Goods.ts"
import * as World from "./World.ts"

const dayMillis = 86_400_000
const days = 30
const months = 14

/** The number of orders per day for which the results are stated. */
const simulated = 100_000

const [company] = World.companies
const bazaar = World.marketplace("bazaar")

/** The machine's clock at the simulated time. */
const clockAt = (millis: () => number) =>
  Effect.map(
    Clock.Clock,
    (machine): Clock.Clock =>
      Object.assign(Object.create(machine), { currentTimeMillisUnsafe: millis, currentTimeMillis: Effect.sync(millis) })
  )

const millisOf = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const began = performance.now()
    return Effect.map(work, () => performance.now() - began)
  })

const median = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

const draft = (externalOrderId: string) =>
  orderDraft({
    externalOrderId,
    shipments: [
      orderShipment({
        externalShipmentId: "S",
        location: `bazaar-${company}-L1`,
        selfShip: true,
        lines: ["P1-S", "P2-S", "P3-S"].map((sku, at) => orderLine({ externalLineId: `${at}`, sku }))
      })
    ]
  })

/** Places and delivers an order. Returns the milliseconds that placing it took. */
const sold = Effect.fnUntraced(function* (externalOrderId: string) {
  const [orders, { ofOrder }] = [yield* Orders.Orders, yield* ShipmentStore]
  const { moveAsSeller, reportAsHost } = yield* Shipments.Shipments
  const began = performance.now()
  const { id: orderId } = yield* orders.place(bazaar, draft(externalOrderId))
  const took = performance.now() - began
  for (const { id, items } of yield* ofOrder(orderId)) {
    const papers = { irn: null, qrCode: null, signedInvoice: null, ackNumber: null, ackDate: null }
    const portions = items.map((item) => ({ itemId: item.id, quantity: 1 }))
    const invoiced = items.map((item) => ({ itemId: item.id, quantity: null, imei: [] }))
    const invoice = { number: "", ...papers }
    const moves = [
      ["confirm", { _tag: "Confirm", items: portions }],
      ["invoiceUpdate", { _tag: "InvoiceSale", invoice, items: invoiced, packages: null }],
      ["pack", { _tag: "Pack" }],
      ["dispatch", { _tag: "Dispatch", items: null }]
    ] as const
    for (const [family, move] of moves)
      yield* moveAsSeller(World.seller(company), family, [
        Result.succeed({ shipmentId: id, path: "/0", command: () => move })
      ])
    const { failures } = yield* reportAsHost(World.host, company, [id], { by: "marketplace", status: "delivery_done" })
    if (failures.length > 0) return yield* Effect.die(new Error(failures[0]?.message))
  }
  return took
})

const size = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.onDialectOrElse({
    orElse: () => sql<{ bytes: number }>`
      SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()`,
    pg: () => sql<{ bytes: number }>`SELECT pg_database_size(current_database()) AS bytes`
  })
).pipe(Effect.map(([row]) => Number(row?.bytes)))

/** Deletes old data as a host with a retention of 30 days does, and vacuums as autovacuum does. */
const retained = (before: number) =>
  Effect.gen(function* () {
    const [events, levels, sql] = [yield* EventLog, yield* StockLevels, yield* SqlClient.SqlClient]
    while ((yield* events.drop(before, 1000)) > 0);
    while ((yield* levels.foldMovements(before, 1000)) > 0);
    yield* sql.onDialectOrElse({ orElse: () => Effect.void, pg: () => Effect.asVoid(sql`VACUUM ANALYZE`) })
  })

const year = (url: string, daily: number, archive: string | undefined) => {
  let now = Date.UTC(2026, 0, 1)
  const client = url.startsWith("sqlite:")
    ? BetterSqlite3.layer(url.slice("sqlite:".length))
    : Postgres.layer(Redacted.make(url))
  const storage = Layer.provideMerge(StorageSql.layer, Layer.orDie(client))
  const begin = Effect.gen(function* () {
    yield* World.settle(World.make(() => 0))
    yield* (yield* Inventory.Inventory).setStock(World.seller(company), Goods.some(10_000_000))
  })
  const sell = Effect.fnUntraced(function* (month: number) {
    const { page } = yield* ShipmentStore
    const orders: Array<number> = []
    for (let nth = 0; nth < days * daily; nth++) {
      now += dayMillis / daily
      orders.push(yield* sold(`${month}-${nth}`))
    }
    const list = page(company, { locations: null, orderStatus: "DELIVERED" }, { number: 1, size: 50 })
    const lists = yield* Effect.forEach(Array.from({ length: 15 }), () => millisOf(list))
    return { order: median(orders), list: median(lists) }
  })
  const end = Effect.andThen(
    Effect.suspend(() => retained(now - 30 * dayMillis)),
    size
  )
  return Effect.gen(function* () {
    const clock = yield* clockAt(() => now)
    // The host ends before each command, because two connections of one process would wait for each other.
    const onHost = <A, E>(work: Effect.Effect<A, E, World.Services | SqlClient.SqlClient>) =>
      Effect.provide(work, Layer.merge(World.services(storage), storage)).pipe(
        Effect.provideService(Clock.Clock, clock)
      )
    const command = (name: string, ...rest: ReadonlyArray<string>) =>
      archive === undefined
        ? Effect.void
        : Effect.provideService(crossdock("archive", name, archive, ...rest, "--database", url), Clock.Clock, clock)
    yield* onHost(begin)
    const empty = yield* onHost(size)
    const found = []
    for (let month = 1; month <= months; month++) {
      const times = yield* onHost(sell(month))
      yield* command("move", "--days", "90")
      found.push({ ...times, bytes: (yield* onHost(end)) - empty })
    }
    return { found, look: yield* millisOf(command("find", "1-0")), checked: yield* millisOf(command("verify")) }
  })
}

const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).reduce((sum, name) => {
    const stat = statSync(join(folder, name))
    return sum + (stat.isFile() ? stat.size : 0)
  }, 0)

const started = Effect.acquireRelease(
  Effect.promise(() => PostgresServer.start()),
  ({ stop }) => Effect.promise(() => stop())
)

CommandLine.main({
  name: "archive",
  does:
    `Places and delivers orders of three lines over ${months} months of ${days} days, with "crossdock archive move --days 90" at the ` +
    "end of each month and without, and prints the database's growth and the medians of an order and a list. Events and movements are kept for 30 days.",
  options: {
    daily: CommandLine.whole("daily", 25, `orders a day; the results are for ${simulated}`),
    database: CommandLine.choice("database", ["sqlite", "postgres"], "sqlite", "the database")
  },
  run: ({ daily, database }) =>
    Effect.gen(function* () {
      const folder = yield* Databases.temporaryFolder
      const server = database === "postgres" ? yield* started : undefined
      const urlOf = (name: string) =>
        server === undefined
          ? Effect.succeed(`sqlite:${join(folder, name)}`)
          : Effect.map(PostgresDatabase.make(server.url), Redacted.value)
      const archive = join(folder, "archive")
      const archived = yield* year(yield* urlOf("archived.db"), daily, archive)
      const kept = yield* year(yield* urlOf("kept.db"), daily, undefined)
      const factor = simulated / daily
      yield* Console.log(`${daily} orders a day, for ${simulated}: 1 MB here is ${(factor / 1000).toFixed(1)} GB there`)
      const rowOf = (at: number) =>
        [archived, kept].flatMap(({ found }) => {
          const { bytes = 0, list = 0, order = 0 } = found[at] ?? {}
          return [(bytes / 1e6).toFixed(1), ((bytes * factor) / 1e9).toFixed(0), order.toFixed(2), list.toFixed(2)]
        })
      yield* Console.log("| month | archived: MB | GB | order ms | list ms | all kept: MB | GB | order ms | list ms |")
      yield* Console.log("|---|---|---|---|---|---|---|---|---|")
      for (let at = 0; at < months; at++) yield* Console.log(`| ${[at + 1, ...rowOf(at)].join(" | ")} |`)
      const megabytes = (bytesIn(archive) / 1e6).toFixed(1)
      yield* Console.log(
        `The files have ${megabytes} MB. Finding an order took ${archived.look.toFixed(0)} ms, verify ${archived.checked.toFixed(0)} ms.`
      )
      return undefined
    })
})
