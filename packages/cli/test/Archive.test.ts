import { createHash } from "node:crypto"
import { copyFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import { AuditExport, AuditStore, AuditTrail } from "@crossdock/audit"
import * as Goods from "@crossdock/histories/Goods"
import * as World from "@crossdock/histories/World"
import { Inventory } from "@crossdock/inventory"
import type { CompanyId } from "@crossdock/kernel"
import { OrderStore, Orders } from "@crossdock/orders"
import { orderDraft, orderLine, orderShipment } from "@crossdock/orders/testing"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import { noMeta, reportOrReturn, type ShipmentCommand, ShipmentStore, Shipments } from "@crossdock/shipments"
import { StorageSql } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Exit, FileSystem, Layer, Redacted, Result, type Scope } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { inject } from "vitest"
import { postgres, sqliteFile, temporaryFolder } from "../../storage-sql/test/Databases.ts"
import * as Archive from "../src/Archive.ts"
import * as ArchiveLock from "../src/ArchiveLock.ts"
import * as TrailArchive from "../src/TrailArchive.ts"
import * as InProcess from "./InProcess.ts"

const bazaar = World.marketplace("bazaar")

const draft = (externalOrderId: string, companies: ReadonlyArray<CompanyId>) =>
  orderDraft({
    externalOrderId,
    shipments: companies.map((company) =>
      orderShipment({
        externalShipmentId: `S${company}`,
        location: `bazaar-${company}-L1`,
        selfShip: true,
        lines: [orderLine({ externalLineId: "0", sku: "P1-S" })]
      })
    )
  })

const place = (externalOrderId: string, companies: ReadonlyArray<CompanyId> = World.companies) =>
  Effect.gen(function* () {
    const { id, shipments } = yield* (yield* Orders.Orders).place(bazaar, draft(externalOrderId, companies))
    return { id, shipments: shipments.map(({ shipmentId }) => shipmentId) }
  })

const requests = (ids: ReadonlyArray<string>, command: (newId: string) => ShipmentCommand) =>
  ids.map((shipmentId, at) => Result.succeed({ shipmentId, path: `/${at}`, command }))

const report = (status: string, ids: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const rest = { by: "marketplace", items: null, returnId: null, meta: noMeta, status } as const
    const { moveAsMarketplace } = yield* Shipments.Shipments
    const command = (newShipmentId: string) => reportOrReturn({ ...rest, newShipmentId })
    return yield* moveAsMarketplace(bazaar, "status", requests(ids, command))
  })

const cancelled = (externalOrderId: string) =>
  Effect.tap(place(externalOrderId), ({ shipments }) => report("cancelled_customer", shipments))

/** An order that is delivered, with AWBs and the host's numbers of invoices. */
const delivered = (externalOrderId: string, awbNumber = `AWB-${externalOrderId}`) =>
  Effect.gen(function* () {
    const [{ moveAsSeller }, { ofOrder }] = [yield* Shipments.Shipments, yield* ShipmentStore]
    const order = yield* place(externalOrderId)
    for (const { companyId, id, items } of yield* ofOrder(order.id)) {
      const [itemId, rest] = [items[0]?.id ?? "", { irn: null, qrCode: null, signedInvoice: null }]
      const invoice = { number: "", ...rest, ackNumber: null, ackDate: null }
      const commands = [
        ["confirm", { _tag: "Confirm", items: [{ itemId, quantity: 1 }] }],
        [
          "invoiceUpdate",
          { _tag: "InvoiceSale", invoice, items: [{ itemId, quantity: null, imei: [] }], packages: null }
        ],
        ["awb", { _tag: "AssignAwb", by: "seller", awbNumber, courierName: "Swift", autoDispatch: false }],
        ["pack", { _tag: "Pack" }],
        ["dispatch", { _tag: "Dispatch", items: null }]
      ] as const
      for (const [family, command] of commands) {
        const moved = yield* moveAsSeller(
          World.seller(companyId),
          family,
          requests([id], () => command)
        )
        strictEqual(moved.status, "SUCCESS")
      }
    }
    strictEqual((yield* report("delivery_done", order.shipments)).status, "SUCCESS")
    return order
  })

/** All orders were placed in the month of the test, and are over. */
const before = () => Archive.beginningOf(Date.now(), 2)

const move = (folder: string) => Archive.moveOrders(folder, before())

const linesOf = (file: string) => gunzipSync(readFileSync(file)).toString().trimEnd().split("\n")

/** The files of orders, and the external ids in each. */
const filed = (folder: string) =>
  Object.fromEntries(
    readdirSync(join(folder, "orders")).map((name) => {
      const orders = linesOf(join(folder, "orders", name)).slice(1, -1)
      return [name, orders.map((line) => JSON.parse(line).order.draft.externalOrderId)]
    })
  )

const tables = ["orders", "shipments", "shipment_awbs", "shipment_skus", "shipment_fields", "shipment_counts"]

const countsOf = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const counts = yield* Effect.forEach(
    tables,
    (table) => sql<{ n: number }>`SELECT count(*) AS n FROM ${sql.literal(`crossdock_${table}`)}`
  )
  return counts.map(([row]) => Number(row?.n))
})

const month = () => new Date().toISOString().slice(0, 7)

/** Runs `change` between the writing of a file and the deletion of its orders. */
const changing = (change: Effect.Effect<unknown>) =>
  Layer.effect(
    FileSystem.FileSystem,
    Effect.map(FileSystem.FileSystem, (files) => ({
      ...files,
      link: (from: string, to: string) => Effect.andThen(change, files.link(from, to))
    }))
  )

type Needs = World.Services | SqlClient.SqlClient | NodeServices.NodeServices | Scope.Scope

/** Work on a host of a database that has been used before. */
const again = <A, E>(database: typeof sqliteFile, work: Effect.Effect<A, E, Needs>) => {
  const storage = Layer.provideMerge(StorageSql.layer, database)
  return Effect.provide(work, Layer.mergeAll(World.services(storage), storage, NodeServices.layer))
}

const onHost = <A, E>(database: typeof sqliteFile, work: Effect.Effect<A, E, Needs>) =>
  again(database, Effect.andThen(World.settle(World.make(() => 0)), work))

const suite = (name: string, database: () => typeof sqliteFile) =>
  describe(`archived orders on ${name}`, () => {
    it.live("are in a file of their month, and leave no row but their external id and their papers' numbers", () =>
      onHost(
        database(),
        Effect.gen(function* () {
          const folder = yield* temporaryFolder
          const [old, both, open] = [yield* cancelled("old"), yield* delivered("both"), yield* place("open")]
          const { ofOrder, page, usedInvoiceNumbers } = yield* ShipmentStore
          const numbers = (yield* ofOrder(both.id)).map(({ invoice }) => invoice?.number ?? "")
          deepStrictEqual(numbers, ["R-L1-1", "R-L1-1"])
          strictEqual(yield* move(folder), 2)
          const first = `${month()}.jsonl.gz`
          deepStrictEqual(filed(folder), { [first]: ["old", "both"] })
          strictEqual(statSync(join(folder, "orders", first)).mode & 0o777, 0o600)
          deepStrictEqual(yield* countsOf, [1, 2, 0, 2, 0, 2])
          for (const company of World.companies) {
            const { items, total } = yield* page(company, { locations: null }, { number: 1, size: 10 })
            deepStrictEqual([items.map(({ shipment }) => shipment.orderId), total], [[open.id], 1])
            deepStrictEqual(yield* usedInvoiceNumbers(company, ["R-L1-1", "R-L1-2"]), ["R-L1-1"])
          }
          const read = Effect.flatMap(Orders.Orders, (_) => Effect.flip(_.read(bazaar, old.id)))
          strictEqual((yield* read)._tag, "OrderNotFound")
          const again = yield* Effect.flip(place("old"))
          strictEqual(
            again.message,
            `The order was placed before, as ${old.id}, and is archived. Send a new external_order_id for a new order.`
          )
          const next = yield* delivered("next")
          deepStrictEqual(
            (yield* ofOrder(next.id)).map(({ invoice }) => invoice?.number),
            ["R-L1-2", "R-L1-2"]
          )
          yield* report("cancelled_customer", open.shipments)
          deepStrictEqual([yield* move(folder), yield* move(folder)], [2, 0])
          deepStrictEqual(filed(folder), { [first]: ["old", "both"], [`${month()}.2.jsonl.gz`]: ["open", "next"] })
          deepStrictEqual(yield* countsOf, [0, 0, 0, 0, 0, 0])
        })
      )
    )

    it.live("stay if they change after their file was written, and all of them if the command ends there", () =>
      onHost(
        database(),
        Effect.gen(function* () {
          const folder = yield* temporaryFolder
          const [back, erased] = [yield* delivered("back"), yield* delivered("erased")]
          yield* delivered("same")
          const crash = Effect.die(new Error("killed"))
          assertTrue(Exit.isFailure(yield* Effect.exit(Effect.provide(move(folder), changing(crash)))))
          deepStrictEqual([filed(folder), (yield* countsOf)[0]], [{}, 3])
          const services = yield* Effect.context<World.Services>()
          const change = Effect.gen(function* () {
            strictEqual((yield* report("return_initiated", back.shipments)).status, "SUCCESS")
            yield* (yield* Orders.Orders).erase(World.host, "bazaar", erased.id)
          }).pipe(Effect.provideContext(services), Effect.orDie)
          strictEqual(yield* Effect.provide(move(folder), changing(change)), 1)
          strictEqual((yield* (yield* ShipmentStore).ofOrder(back.id)).length, 4)
          deepStrictEqual(
            (yield* (yield* OrderStore).page(null, 10)).map(({ draft }) => draft.externalOrderId),
            ["back", "erased"]
          )
        })
      )
    )

    it.live("are archived too where a company's import brought an order back that was archived before", () =>
      onHost(
        database(),
        Effect.gen(function* () {
          const [folder, sql] = [yield* temporaryFolder, yield* SqlClient.SqlClient]
          const { id } = yield* cancelled("again")
          yield* sql`
            INSERT INTO crossdock_archived_orders (external_order_id, marketplace, id, company_id)
            VALUES ('again', 'bazaar', ${id}, ${World.companies[0]})`
          strictEqual(yield* move(folder), 1)
          strictEqual((yield* countsOf)[0], 0)
        })
      )
    )

    it.live("are found by each id and AWB, the newest first, and by those of returns too", () =>
      onHost(
        database(),
        Effect.gen(function* () {
          const folder = yield* temporaryFolder
          const sent = yield* delivered("sent")
          strictEqual((yield* report("return_initiated", sent.shipments)).status, "SUCCESS")
          const { ofOrder } = yield* ShipmentStore
          const returns = (yield* ofOrder(sent.id)).filter(({ journey }) => journey === "return").map(({ id }) => id)
          strictEqual((yield* report("return_bag_in_transit", returns)).status, "SUCCESS")
          strictEqual((yield* report("bag_lost", returns)).status, "SUCCESS")
          const all = yield* ofOrder(sent.id)
          const order = yield* (yield* OrderStore).byId("bazaar", sent.id)
          const later = yield* delivered("later", "AWB-sent")
          strictEqual(yield* move(folder), 2)
          yield* cancelled("other")
          strictEqual(yield* move(folder), 1)
          strictEqual((yield* Archive.find(folder, "AWB-sent")).order.id, later.id)
          const { message } = yield* Effect.flip(Archive.find(folder, "AWB-8"))
          strictEqual(message, `${folder} has no order with the id, external id, shipment or AWB AWB-8`)
          // An id needs no file of a later month.
          writeFileSync(join(folder, "orders", "2199-01.jsonl.gz"), "not gzip")
          for (const id of ["sent", sent.id, ...sent.shipments, ...returns])
            deepStrictEqual(yield* Archive.find(folder, id), JSON.parse(JSON.stringify({ order, shipments: all })))
        })
      )
    )

    it.live("stay if their file isn't as it was written", () =>
      onHost(
        database(),
        Effect.gen(function* () {
          const folder = yield* temporaryFolder
          yield* cancelled("old")
          const flipping = Layer.effect(
            FileSystem.FileSystem,
            Effect.map(FileSystem.FileSystem, (files) => ({
              ...files,
              stream: (path: string) => {
                const bytes = readFileSync(path)
                bytes[40] = (bytes[40] ?? 0) ^ 1
                writeFileSync(path, bytes)
                return files.stream(path)
              }
            }))
          )
          const { message } = yield* Effect.flip(Effect.provide(move(folder), flipping))
          assertTrue(/^.*\.part is not as it was written: restore it from a backup$/.test(message), message)
          deepStrictEqual([readdirSync(join(folder, "orders")), (yield* countsOf)[0]], [[], 1])
        })
      )
    )
  })

const trailsOn = (name: string, database: () => typeof sqliteFile) =>
  it.live(`archived audit records on ${name} are one chain of files and database, after a crash too`, () =>
    onHost(
      database(),
      Effect.gen(function* () {
        const [folder, one] = [yield* temporaryFolder, World.companies[0]]
        const [{ anchor, heads, read }, trail] = [yield* AuditStore, yield* AuditTrail.AuditTrail]
        const moveTrail = TrailArchive.move(folder, one, before())
        const faults = Effect.map(TrailArchive.verify(folder, one), (all) => all.map(({ fault }) => fault))
        const isIntact = Effect.gen(function* () {
          strictEqual((yield* trail.verify(one)).broken, undefined)
          return (yield* faults).every((fault) => fault === null)
        })
        yield* cancelled("1")
        const all = yield* read(one, 0, 100)
        strictEqual(yield* moveTrail, all.length - 1)
        const [name, next] = [join(folder, "company-1", month()), all.at(-1)]
        const lines = linesOf(`${name}.jsonl.gz`)
        deepStrictEqual(JSON.parse(lines[0] ?? ""), { format: 1, company: 1, begins_after: 0, hash: "" })
        deepStrictEqual(lines.slice(1, -1), all.slice(0, -1).map(AuditExport.jsonLine))
        deepStrictEqual([(yield* read(one, 0, 1))[0], (yield* anchor(one)).sequence], [next, all.length - 1])
        assertTrue(yield* isIntact)
        yield* cancelled("2")
        // The next file is written, and the command ends before it drops a record.
        const [head] = yield* heads([one])
        const services = yield* Effect.context<World.Services>()
        const crashing = { ...trail, retain: () => Effect.die(new Error("killed")) }
        const killed = Effect.provideService(moveTrail, AuditTrail.AuditTrail, AuditTrail.AuditTrail.of(crashing))
        assertTrue(Exit.isFailure(yield* Effect.exit(killed)))
        strictEqual((yield* anchor(one)).sequence, all.length - 1)
        // The records that the crash left, then those that came since.
        yield* Effect.provideContext(cancelled("3"), services)
        yield* moveTrail
        strictEqual(readdirSync(join(folder, "company-1")).length, 3)
        assertTrue((yield* anchor(one)).sequence > (head?.sequence ?? 0))
        assertTrue(yield* isIntact)
        const second = readFileSync(`${name}.2.jsonl.gz`)
        // A restored backup has records that were in files already.
        const store = yield* AuditStore
        const begun = { ...(yield* anchor(one)), sequence: 0, hash: "" }
        const restored = AuditStore.of({ ...store, anchor: () => Effect.succeed(begun) })
        const rejected = Effect.map(Effect.flip(Effect.provideService(moveTrail, AuditStore, restored)), String)
        assertTrue((yield* rejected).includes("isn't the database's"))
        rmSync(`${name}.2.jsonl.gz`)
        assertTrue((yield* rejected).includes("The archive lacks the file of company 1 that ends with record"))
        const gap = /^it begins after record \d+, but the file before ends with record \d+$/
        deepStrictEqual(
          (yield* faults).map((fault) => fault === null || gap.test(fault)),
          [true, true, true]
        )
        assertTrue(!(yield* isIntact))
        const changed = gunzipSync(second).toString().replace("cancelled_customer", "cancelled_custome")
        const body = changed.slice(0, changed.lastIndexOf("\n", changed.length - 2) + 1)
        const sha256 = createHash("sha256").update(body).digest("hex")
        writeFileSync(`${name}.2.jsonl.gz`, gzipSync(`${body}${JSON.stringify({ sha256 })}\n`))
        assertTrue(/^record \d+ /.test((yield* faults)[1] ?? ""))
        writeFileSync(`${name}.2.jsonl.gz`, gzipSync(changed))
        assertTrue((yield* faults)[1]?.endsWith("restore it from a backup") === true)
        writeFileSync(`${name}.2.jsonl.gz`, second)
        rmSync(`${name}.3.jsonl.gz`)
        deepStrictEqual(
          (yield* faults).map((fault) => fault === null || gap.test(fault)),
          [true, true, true]
        )
        assertTrue(!(yield* isIntact))
      })
    )
  )

trailsOn("SQLite", () => sqliteFile)
trailsOn("PostgreSQL", () => postgres())
it.live("a new folder of files is on the disk with all folders that it is in", () =>
  onHost(
    sqliteFile,
    Effect.gen(function* () {
      const [folder, files, synced] = [yield* temporaryFolder, yield* FileSystem.FileSystem, new Set<string>()]
      const open: typeof files.open = (path, options) =>
        Effect.map(files.open(path, options), (opened) =>
          Object.create(opened, { sync: { value: Effect.tap(opened.sync, () => Effect.sync(() => synced.add(path))) } })
        )
      yield* cancelled("1")
      const deep = join(folder, "a", "b")
      yield* Effect.provideService(move(deep), FileSystem.FileSystem, { ...files, open })
      for (const path of [folder, join(folder, "a"), deep, join(deep, "orders")]) assertTrue(synced.has(path), path)
    })
  )
)

it.effect("names of a trail's files have the order of its chain, though the clock was set back", () =>
  onHost(
    sqliteFile,
    Effect.gen(function* () {
      const [folder, one] = [yield* temporaryFolder, World.companies[0]]
      for (const month of [1, 2, 1]) {
        yield* TestClock.setTime(Date.UTC(2026, month, 15))
        yield* cancelled(`${yield* countsOf}`)
      }
      yield* TrailArchive.move(folder, one, Date.UTC(2026, 3))
      yield* TestClock.setTime(Date.UTC(2026, 3))
      yield* cancelled("april")
      yield* TrailArchive.move(folder, one, Date.UTC(2026, 3))
      const files = (yield* TrailArchive.verify(folder, one)).map(({ fault, file }) => [
        fault,
        basename(file, ".jsonl.gz")
      ])
      const intact = ["1970-01", "2026-02", "2026-03", "2026-03.2", "company 1 in the database"]
      deepStrictEqual(
        files,
        intact.map((file) => [null, file])
      )
    })
  )
)

it.effect("orders and records are in a file for each month, once nothing of them changed since", () =>
  onHost(
    sqliteFile,
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const on = (month: number) => TestClock.setTime(Date.UTC(2026, month, 15))
      yield* on(0)
      yield* cancelled("january")
      const late = yield* place("late")
      yield* on(1)
      yield* cancelled("february")
      yield* on(2)
      yield* report("cancelled_customer", late.shipments)
      strictEqual(yield* Archive.moveOrders(folder, Date.UTC(2026, 1)), 1)
      strictEqual(yield* Archive.moveOrders(folder, Date.UTC(2026, 2)), 1)
      yield* TrailArchive.move(folder, World.companies[0], Date.UTC(2026, 2))
      deepStrictEqual(filed(folder), { "2026-01.jsonl.gz": ["january"], "2026-02.jsonl.gz": ["february"] })
      const months = ["1970-01.jsonl.gz", "2026-01.jsonl.gz", "2026-02.jsonl.gz"]
      deepStrictEqual(readdirSync(join(folder, "company-1")), months)
    })
  )
)

suite("SQLite", () => sqliteFile)
suite("PostgreSQL", () => postgres())

describe("three hosts that write meanwhile", () => {
  it.live("never wait in a circle with the archive or each other, and each order is whole, here or there", () =>
    Effect.gen(function* () {
      const [folder, url] = [yield* temporaryFolder, yield* PostgresDatabase.make(inject("postgres"))]
      const onPool = <A, E>(work: Effect.Effect<A, E, Needs>) =>
        again(Layer.fresh(Layer.orDie(Postgres.layer(url))), work)
      const orders = yield* onHost(
        Layer.orDie(Postgres.layer(url)),
        Effect.gen(function* () {
          for (const company of World.companies)
            yield* (yield* Inventory.Inventory).setStock(World.seller(company), Goods.some(500))
          return yield* Effect.forEach(Array.from({ length: 15 }), (_, at) => delivered(`D${at}`))
        })
      )
      const returned = new Set<string>()
      const workOf = ({ id, shipments }: (typeof orders)[number], at: number) => [
        Effect.map(
          report("return_initiated", at % 2 === 0 ? shipments : shipments.toReversed()),
          ({ status }) => status === "SUCCESS" && returned.add(id)
        ),
        Effect.flatMap(Orders.Orders, (_) => Effect.ignore(_.erase(World.host, "bazaar", id))),
        Effect.map(Effect.result(place(`D${at}`)), (again) =>
          assertTrue(Result.isSuccess(again) ? again.success.id === id : again.failure.message.includes(id))
        ),
        cancelled(`N${at}`),
        report("delivery_done", shipments)
      ]
      const work = orders.map(workOf)
      let left = 3
      const hosts = [0, 1, 2].map((host) => {
        const own = work.flatMap((each, at) => each.filter((_, nth) => (at + nth) % 3 === host))
        const writing = Effect.ensuring(
          Effect.forEach(own, (one) => one, { concurrency: 5, discard: true }),
          Effect.sync(() => left--)
        )
        const archiving = Effect.repeat(move(folder), { while: () => left > 0 })
        return onPool(Effect.all([writing, archiving], { concurrency: 2, discard: true }))
      })
      yield* Effect.all(hosts, { concurrency: 3, discard: true })
      yield* onPool(
        Effect.gen(function* () {
          const [sql, { ofOrder }] = [yield* SqlClient.SqlClient, yield* ShipmentStore]
          const here = yield* sql<{ id: string }>`SELECT id FROM crossdock_orders`
          const there = yield* sql<{ id: string; external: string }>`
            SELECT id, external_order_id AS external FROM crossdock_archived_orders`
          const all = [...here, ...there].map(({ id }) => id)
          deepStrictEqual([all.length, new Set(all).size], [30, 30])
          assertTrue(there.length > 0 && returned.size > 0)
          const inFiles = new Set(Object.values(filed(folder)).flat())
          assertTrue(there.every(({ external }) => inFiles.has(external)))
          for (const { id } of here) strictEqual((yield* ofOrder(id)).length, returned.has(id) ? 4 : 2)
          for (const { id } of there) deepStrictEqual([yield* ofOrder(id), returned.has(id)], [[], false])
          const [sums] = yield* sql<{ counted: number; shipments: number; deadlocks: number }>`
            SELECT (SELECT sum(total) FROM crossdock_shipment_counts)::integer AS counted,
              (SELECT count(*) FROM crossdock_shipments)::integer AS shipments,
              (SELECT deadlocks FROM pg_stat_database WHERE datname = current_database())::integer AS deadlocks`
          deepStrictEqual([sums?.counted, sums?.deadlocks], [sums?.shipments, 0])
          for (const company of World.companies) {
            deepStrictEqual(yield* (yield* Inventory.Inventory).verify(company), [])
            strictEqual((yield* (yield* AuditTrail.AuditTrail).verify(company)).broken, undefined)
          }
        })
      )
    })
  )
})

describe("crossdock archive move", () => {
  const afterAll = Date.now() + 200 * 86_400_000
  const running = (url: string, ...args: ReadonlyArray<string>) =>
    Effect.promise(() => InProcess.run(["archive", ...args, "--database", url], { at: afterAll }))
  const moving = (url: string, folder: string) => running(url, "move", folder, "--days", "90")
  const faultless = { code: 0, stderr: "" }
  const ended = ({ code, stderr }: InProcess.Ended) => ({ code, stderr })

  const rejectsASecond = (url: string, database: typeof sqliteFile) =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      yield* onHost(database, cancelled("1"))
      const busy = 'Another "crossdock archive move" is running on this database: wait until it ends\n'
      const second = Effect.scoped(Effect.andThen(ArchiveLock.acquire, moving(url, folder)))
      deepStrictEqual(ended(yield* again(database, second)), { code: 1, stderr: busy })
      deepStrictEqual(readdirSync(folder), [])
      deepStrictEqual(ended(yield* moving(url, folder)), faultless)
      deepStrictEqual(ended(yield* running(url, "verify", folder)), faultless)
    })

  it.live("works alone on a database of SQLite", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "test.db")
      yield* rejectsASecond(`sqlite:${file}`, BetterSqlite3.layer(file))
    })
  )

  it.live("works alone on a database of PostgreSQL, and in one session", () =>
    Effect.gen(function* () {
      const url = yield* PostgresDatabase.make(inject("postgres"))
      yield* rejectsASecond(Redacted.value(url), Layer.orDie(Postgres.layer(url, { maxConnections: 2 })))
    })
  )

  it.live("and find and verify name a file that was edited by hand, and its line, in one sentence", () =>
    Effect.gen(function* () {
      const root = yield* temporaryFolder
      const [file, folder] = [join(root, "test.db"), join(root, "archive")]
      const [database, url] = [BetterSqlite3.layer(file), `sqlite:${join(root, "test.db")}`]
      yield* onHost(database, Effect.andThen(cancelled("1"), cancelled("2")))
      deepStrictEqual(ended(yield* moving(url, folder)), faultless)
      const [orders, trail] = [
        join(folder, "orders", `${month()}.jsonl.gz`),
        join(folder, "company-1", "2026-11.jsonl.gz")
      ]
      const says = (one: string, line: string) => ({
        code: 1,
        stderr: `${one} is not as it was written${line}: restore it from a backup\n`
      })
      const edited = (one: string, change: (lines: Array<string>) => ReadonlyArray<string>) => {
        const lines = linesOf(one)
        const last = JSON.parse(lines.at(-1) ?? "")
        const text = change(lines.slice(0, -1))
          .map((line) => `${line}\n`)
          .join("")
        const sha256 = createHash("sha256").update(text).digest("hex")
        return gzipSync(`${text}${JSON.stringify({ ...last, sequence: undefined, sha256 })}\n`)
      }
      const whole = readFileSync(orders)
      for (const line of ['{"order":"x"', '{"order":{"id":"x"},"shipments":[]}', '"x"']) {
        writeFileSync(
          orders,
          edited(orders, ([first = "", second = ""]) => [first, second, line])
        )
        deepStrictEqual(ended(yield* running(url, "find", folder, "x")), says(orders, " in line 3"))
        writeFileSync(orders, whole)
      }
      writeFileSync(orders, whole.subarray(0, whole.length >> 1))
      deepStrictEqual(ended(yield* running(url, "find", folder, "x")), says(orders, ""))
      writeFileSync(orders, whole)
      for (const change of [(lines: Array<string>) => lines, () => ['{"format":1}'], () => ['{"format":1}', "{"]]) {
        const before = readFileSync(trail)
        writeFileSync(trail, edited(trail, change))
        deepStrictEqual(ended(yield* moving(url, folder)), says(trail, ""))
        const { code, stderr } = yield* running(url, "verify", folder)
        deepStrictEqual([code, stderr], [1, ""])
        writeFileSync(trail, before)
      }
    })
  )

  it.live("begins an archive only once, unless --new is given: a mistyped directory has none", () =>
    Effect.gen(function* () {
      const root = yield* temporaryFolder
      const [file, folder, typo] = [join(root, "test.db"), join(root, "archive"), join(root, "archvie")]
      const [database, url] = [BetterSqlite3.layer(file), `sqlite:${file}`]
      const failed = (stderr: string) => ({ code: 1, stderr: `${stderr}\n` })
      yield* onHost(database, Effect.void)
      deepStrictEqual(ended(yield* running(url, "verify", typo)), faultless)
      yield* again(database, cancelled("1"))
      deepStrictEqual(ended(yield* moving(url, folder)), faultless)
      yield* again(database, cancelled("2"))
      const split = `${typo} has no archive, but older records of this database were archived or deleted: check the path, or add --new to begin another archive`
      deepStrictEqual(ended(yield* moving(url, typo)), failed(split))
      deepStrictEqual(ended(yield* running(url, "verify", typo)), failed(`${typo} has no archive: check the path`))
      deepStrictEqual(ended(yield* running(url, "find", typo, "1")), failed(`${typo} has no archive: check the path`))
      deepStrictEqual(readdirSync(root).includes("archvie"), false)
      const twice = `${folder} has an archive already: leave out --new`
      deepStrictEqual(ended(yield* running(url, "move", folder, "--days", "90", "--new")), failed(twice))
      deepStrictEqual(ended(yield* running(url, "move", typo, "--days", "90", "--new")), faultless)
      deepStrictEqual(filed(typo), { [`${month()}.jsonl.gz`]: ["2"] })
    })
  )

  it.live("notices a backup that is older than the archive, before an order leaves", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const [file, backup] = [join(folder, "test.db"), join(folder, "backup.db")]
      const [archive, other] = [join(folder, "archive"), join(folder, "other")]
      const database = BetterSqlite3.layer(file)
      yield* onHost(database, cancelled("1"))
      copyFileSync(file, backup)
      yield* again(database, cancelled("2"))
      deepStrictEqual(ended(yield* moving(`sqlite:${file}`, archive)), faultless)
      for (const more of ["3", "4", "5"]) {
        const { code, stderr } = yield* moving(`sqlite:${backup}`, archive)
        const says = /^Record \d+ of company 1 in the archive isn't the database's, .* backup: use another directory\n$/
        assertTrue(code === 1 && says.test(stderr), stderr)
        deepStrictEqual(filed(archive), { [`${month()}.jsonl.gz`]: ["1", "2"] })
        yield* again(BetterSqlite3.layer(backup), cancelled(more))
      }
      deepStrictEqual(ended(yield* moving(`sqlite:${backup}`, other)), faultless)
      // From now on, the first archive lacks what the other one has.
      const { code, stderr } = yield* moving(`sqlite:${backup}`, archive)
      assertTrue(
        code === 1 && /^The archive lacks the file of company 1 that ends with record \d+: /.test(stderr),
        stderr
      )
      for (const one of [archive, other])
        deepStrictEqual(ended(yield* running(`sqlite:${one === archive ? file : backup}`, "verify", one)), faultless)
    })
  )
})
