import type { Caller, Integration } from "@crossdock/access"
import { CompanyWrite } from "@crossdock/audit"
import { SkuStock } from "@crossdock/catalog"
import { DigestNode } from "@crossdock/crypto"
import { History } from "@crossdock/histories"
import { Inventory, Level, Listings, StockLevels } from "@crossdock/inventory"
import { type CompanyId, Ids, Transaction } from "@crossdock/kernel"
import { PriceStore, Pricing } from "@crossdock/pricing"
import { portLaws, Seed } from "@crossdock/storage-laws"
import { everyLaw } from "@crossdock/storage-laws/EveryLaw"
import * as Fresh from "@crossdock/storage-laws/Fresh"
import { StorageSql } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import { describe, it, layer } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Cause, Deferred, Effect, Exit, Fiber, Layer, Result } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as ApplicationStock from "./ApplicationStock.ts"
import { postgres, sqliteFile } from "./Databases.ts"
import * as RowsRead from "./RowsRead.ts"
import * as StatementCount from "./StatementCount.ts"
import * as StatementLog from "./StatementLog.ts"

const ports = ["StockLevels", "PriceStore", "Listings", "SkuStock"] as const

const caller = (companyId: CompanyId): Caller<Integration> => ({
  principal: {
    kind: "integration",
    id: "user",
    integrationId: "int-1",
    companyId,
    locations: null,
    stockPolicy: "set"
  },
  requestId: null
})

const services = Layer.merge(Inventory.layer, Pricing.layer).pipe(
  Layer.provideMerge(Layer.provide(CompanyWrite.layer, Layer.merge(Ids.layer, DigestNode.layer)))
)

const setStock = (company: CompanyId, skus: ReadonlyArray<string>, quantity: number, expected: number | null = null) =>
  Effect.flatMap(Inventory.Inventory, (inventory) =>
    inventory.setStock(
      caller(company),
      skus.map((sku) => Result.succeed({ location: "L1", sku, quantity, expected }))
    )
  )

const setPrices = (company: CompanyId, skus: ReadonlyArray<string>, esp: number) =>
  Effect.flatMap(Pricing.Pricing, (pricing) =>
    pricing.setPrices(
      caller(company),
      skus.map((sku) => Result.succeed({ location: "L1", sku, mrp: 900, esp, currency: "INR" }))
    )
  )

const verified = (company: CompanyId) => Effect.flatMap(Inventory.Inventory, ({ verify }) => verify(company))

for (const [name, database] of [
  ["SQLite", sqliteFile],
  ["PostgreSQL", postgres()],
  ["PostgreSQL of another locale", postgres({ locale: "en-US" })]
] as const) {
  const host = Seed.layer.pipe(Layer.provideMerge(ApplicationStock.storage), Layer.provideMerge(database))

  describe(`Stock and prices in a program's table on ${name}`, () => {
    for (const port of ports) portLaws(port, host)
  })

  layer(Layer.provideMerge(services, Layer.provideMerge(host, StatementCount.layer)), {
    timeout: "2 minutes",
    excludeTestServices: true
  })(`A program's table on ${name}`, (it) => {
    it.effect("takes as many statements for 500 records as for one, first and later", () =>
      Effect.gen(function* () {
        const count = yield* StatementCount.StatementCount
        const skus = Array.from({ length: 501 }, (_, i) => `sku-${i}`)
        const company = yield* Seed.seller(["L1"], skus)
        const taken = (some: ReadonlyArray<string>, quantity: number) =>
          Effect.gen(function* () {
            const stock = yield* count.of(setStock(company, some, quantity))
            const prices = yield* count.of(setPrices(company, some, quantity))
            strictEqual(stock.answer.succeeded + prices.answer.succeeded, 2 * some.length)
            // A host on PostgreSQL wakes the others now and then.
            const own = [...stock.statements, ...prices.statements].filter((text) => !text.includes("pg_notify"))
            return own.length
          })
        for (const quantity of [5, 6]) {
          const one = yield* taken(skus.slice(0, 1), quantity)
          strictEqual(yield* taken(skus.slice(1), quantity), one)
        }
        deepStrictEqual(yield* verified(company), [])
      })
    )

    it.effect("may have had stock and prices before: they count, and its first change is notified of", () =>
      Effect.gen(function* () {
        const [sql, levels] = [yield* SqlClient.SqlClient, yield* StockLevels]
        const company = yield* Seed.seller(["L1"], ["s1", "s2"])
        for (const sku of ["s1", "s2"]) {
          yield* sql`
            INSERT INTO shelf ("Seller", sku, place, "on hand", reserved, unsellable, "list price", esp, version, price_version, change,
              changed_at, modified_at)
            VALUES (${company}, ${sku}, 'L1', 5, 2, 1, 900, 800, 0, 0, 0, 0, 0)`
        }
        const inventory = yield* Inventory.Inventory
        const listed = Effect.map(inventory.listings(caller(company), [], { number: 1, size: 10 }), (all) =>
          all.map(({ esp, onHand, reserved, sku, unsellable }) => [sku, onHand, reserved, unsellable, esp])
        )
        deepStrictEqual(yield* listed, [
          ["s1", 5, 2, 1, 800],
          ["s2", 5, 2, 1, 800]
        ])
        deepStrictEqual(yield* verified(company), [])
        strictEqual((yield* setStock(company, ["s1"], 9, 4)).failures[0]?.code, "STALE_QUANTITY")
        strictEqual((yield* setStock(company, ["s1"], 9, 5)).succeeded, 1)
        strictEqual((yield* setPrices(company, ["s1"], 700)).succeeded, 1)
        deepStrictEqual(yield* listed, [
          ["s1", 9, 2, 1, 70_000],
          ["s2", 5, 2, 1, 800]
        ])
        deepStrictEqual(yield* verified(company), [])
        deepStrictEqual(
          (yield* levels.marked(company, ["L1"], 0, 10, "m")).map(({ onHand, sku, version }) => [sku, onHand, version]),
          [["s1", 9, 1]]
        )
        // What is set to what it is anyway is notified of too, once.
        for (const quantity of [5, 5]) yield* setStock(company, ["s2"], quantity)
        deepStrictEqual(
          (yield* levels.marked(company, ["L1"], 1, 10, "m")).map((one) => [one.onHand, one.changeNumber]),
          [[5, 3]]
        )
        deepStrictEqual(yield* verified(company), [])
        deepStrictEqual(
          yield* sql`
            SELECT sku, "on hand" AS units, reserved, reason, reference FROM moves WHERE "Seller" = ${company}
            ORDER BY sku, reserved DESC`,
          [
            { sku: "s1", units: 5, reserved: 2, reason: "set", reference: null },
            { sku: "s1", units: 4, reserved: 0, reason: "set", reference: null },
            { sku: "s2", units: 5, reserved: 2, reason: "set", reference: null }
          ]
        )
      })
    )

    it.effect("may have rows of a SKU that was deleted without them: they are not listed, marked or written", () =>
      Effect.gen(function* () {
        const [levels, listings, seed] = [yield* StockLevels, yield* Listings, yield* Seed.Seed]
        const company = yield* Seed.seller(["L1"], ["s1", "s2", "s3"])
        yield* setStock(company, ["s1", "s2"], 5)
        yield* setPrices(company, ["s3"], 700)
        const first = (yield* levels.load(company, [{ sku: "s3", location: "L1" }])).filter(
          (one) => typeof one === "object"
        )
        yield* seed.products(company, [Fresh.product(company, "item", ["s2"])])
        const filter = { locations: null, skus: [] }
        deepStrictEqual(
          (yield* listings.page(company, filter, { number: 1, size: 1 })).map(({ sku }) => sku),
          ["s2"]
        )
        strictEqual(yield* listings.count(company, { ...filter, withBatches: true }), 1)
        deepStrictEqual(
          (yield* levels.marked(company, ["L1"], 0, 10, "m")).map(({ sku }) => sku),
          ["s2"]
        )
        const changes = first.map((level) => ({
          ...Level.move(Level.unchanged(level), Level.movementOf.restock(1, "r")),
          marked: true
        }))
        strictEqual((yield* Effect.flip(levels.save(company, 9, 9, changes)))._tag, "StaleWrite")
      })
    )

    it.effect("has no movements of a SKU that was deleted and created again", () =>
      Effect.gen(function* () {
        const use = yield* SkuStock
        const company = yield* Seed.seller(["L1"], ["s1"])
        yield* setStock(company, ["s1"], 5)
        yield* use.remove(company, ["s1"], { changeNumber: 2, at: 2 })
        yield* setStock(company, ["s1"], 3)
        deepStrictEqual(yield* verified(company), [])
      })
    )

    it.effect("that the program changes without us differs from its movements", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const company = yield* Seed.seller(["L1"], ["s1"])
        yield* setStock(company, ["s1"], 5)
        yield* sql`UPDATE shelf SET "on hand" = 3 WHERE "Seller" = ${company}`
        deepStrictEqual(yield* verified(company), [
          {
            sku: "s1",
            location: "L1",
            level: { onHand: 3, reserved: 0, unsellable: 0 },
            movements: { onHand: 5, reserved: 0, unsellable: 0 }
          }
        ])
      })
    )
  })

  describe(`Random histories on a program's table on ${name}`, () => {
    it.live("keep the laws", () =>
      Effect.scoped(History.play(Layer.provide(ApplicationStock.storage, database), { seed: 401, steps: 100 }))
    )
  })
}

/** The statements that name no SKUs. */
const withoutSkus = [
  // A page, a part or a count of all, in the order of the key.
  /^SELECT v\.sku AS "sku", .* AND 1 = 1\) v WHERE /,
  /^SELECT s\.sku, .* AND 1 = 1 ORDER BY v\.sku /,
  /^SELECT COUNT\(\*\) AS count .* AND 1 = 1\) v/,
  // What changed since, by the index of changes.
  / ORDER BY v\.sequence LIMIT /,
  // A check of all stock, and a marketplace's location that moves to another one.
  / AS moved_on_hand, /,
  /^INSERT INTO crossdock_deleted_levels .* UNION SELECT g\.sku FROM /
]

/** A table with our names of its columns, and with the key and the index that the page of the package says. */
const ordinary = Layer.unwrap(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const units = "on_hand INTEGER NOT NULL, reserved INTEGER NOT NULL, unsellable INTEGER NOT NULL"
    const key = "company_id BIGINT NOT NULL, sku TEXT NOT NULL, location TEXT NOT NULL"
    const change = "change_number BIGINT NOT NULL, changed_at BIGINT NOT NULL"
    for (const statement of [
      `CREATE TABLE stock (${key}, ${units}, ${change}, mrp BIGINT, esp BIGINT, version INTEGER NOT NULL,
        price_version INTEGER NOT NULL, modified_at BIGINT NOT NULL, PRIMARY KEY (company_id, sku, location))`,
      "CREATE INDEX stock_changes ON stock (company_id, change_number)",
      `CREATE TABLE movements (${key}, ${units}, ${change}, reason TEXT NOT NULL, reference TEXT)`
    ]) {
      yield* Effect.orDie(sql.unsafe(statement))
    }
    return StorageSql.stockIn({ stock: "stock", movements: "movements" })
  })
)

layer(
  services.pipe(
    Layer.provideMerge(Layer.provideMerge(Seed.layer, ApplicationStock.storageOn(ordinary))),
    Layer.provideMerge(Layer.provideMerge(RowsRead.layer, postgres()))
  ),
  { timeout: "2 minutes", excludeTestServices: true }
)("A program's table on PostgreSQL", (it) => {
  it.effect("is not waited for where somebody else has added and locked a row since it was read", () =>
    Effect.gen(function* () {
      const [levels, prices, { run }] = [yield* StockLevels, yield* PriceStore, yield* Transaction.Transaction]
      const company = yield* Seed.seller(["L1"], ["s1"])
      const keys = [{ sku: "s1", location: "L1" }]
      const changes = (yield* levels.load(company, keys))
        .filter((level) => typeof level === "object")
        .map((level) => ({ ...Level.move(Level.unchanged(level), Level.movementOf.restock(1, "r")), marked: true }))
      yield* setPrices(company, ["s1"], 700)
      const [isLocked, isDone] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const locking = Effect.andThen(prices.load(company, keys), Deferred.succeed(isLocked, undefined))
      const other = yield* Effect.forkChild(run(Effect.andThen(locking, Deferred.await(isDone))))
      yield* Deferred.await(isLocked)
      strictEqual((yield* Effect.flip(run(levels.save(company, 9, 9, changes))))._tag, "StaleWrite")
      yield* Deferred.succeed(isDone, undefined)
      yield* Fiber.join(other)
      yield* run(levels.save(company, 9, 9, changes))
    })
  )

  it.effect("is read by its keys, also while the server has no statistics of it", () =>
    Effect.gen(function* () {
      const [sql, reads] = [yield* SqlClient.SqlClient, yield* RowsRead.RowsRead]
      const skus = Array.from({ length: 3000 }, (_, at) => `sku-${at}`)
      const company = yield* Seed.seller(["L1", "L2"], skus)
      yield* sql`ALTER TABLE stock SET (autovacuum_enabled = false)`
      yield* sql`
        INSERT INTO stock SELECT ${company}, 'sku-' || n, l, 5, 0, 0, 0, 0, 900, 800, 0, 0, 0
        FROM generate_series(0, 49999) n, (VALUES ('L1'), ('L2')) locations (l)`
      const some = skus.slice(100, 120)
      const [levels, prices, listings, use] = [yield* StockLevels, yield* PriceStore, yield* Listings, yield* SkuStock]
      const keys = some.flatMap((sku) => ["L1", "L2"].map((location) => ({ sku, location })))
      const rowsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.map(reads.of(effect), ({ rows }) => rows)
      for (const [number, statistics] of ["none", "some"].entries()) {
        if (statistics === "some") yield* sql`ANALYZE stock`
        const changes = (yield* levels.load(company, keys))
          .filter((level) => typeof level === "object")
          .map((level) => ({ ...Level.move(Level.unchanged(level), Level.movementOf.restock(1, "r")), marked: true }))
        const raised = (yield* prices.load(company, keys))
          .filter((price) => typeof price === "object")
          .map((before) => ({ before, after: { ...before, esp: before.esp + 1 } }))
        const read = {
          levels: yield* rowsOf(levels.load(company, keys)),
          saved: yield* rowsOf(levels.save(company, number + 1, 1, changes)),
          prices: yield* rowsOf(prices.load(company, keys)),
          priced: yield* rowsOf(prices.save(company, 1, raised)),
          marked: yield* rowsOf(levels.marked(company, ["L1"], 0, 100, "m")),
          listed: yield* rowsOf(listings.page(company, { locations: null, skus: some }, { number: 1, size: 100 })),
          reserved: yield* rowsOf(use.reserved(company, some)),
          removed: yield* rowsOf(use.remove(company, skus.slice(number, number + 1), { changeNumber: 9, at: 9 }))
        }
        deepStrictEqual(
          Object.entries(read).filter(([, count]) => count > 1000),
          [],
          `with statistics: ${statistics}`
        )
      }
    })
  )
})

describe("A program's table", () => {
  it.effect("that lacks a column keeps a host from starting, with the column's name", () =>
    Effect.gen(function* () {
      const stock = StorageSql.stockIn({ stock: "shelf", movements: "moves", columns: { onHand: "units" } })
      const tables = Layer.effectDiscard(
        Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql`CREATE TABLE shelf (company_id INTEGER, sku TEXT, location TEXT)`
        )
      )
      const host = ApplicationStock.storageOn(Layer.provide(stock, tables))
      const exit = yield* Effect.exit(Effect.scoped(Layer.build(Layer.provide(host, BetterSqlite3.layer(":memory:")))))
      assertTrue(Exit.isFailure(exit) && /no such column: "?units/.test(Cause.pretty(exit.cause)), String(exit))
    })
  )

  const storage = Seed.layer.pipe(
    Layer.provideMerge(ApplicationStock.storage),
    Layer.provideMerge(StatementLog.layer(sqliteFile))
  )

  it.live("is searched by its keys on SQLite, but for pages and checks of all stock", () =>
    Effect.gen(function* () {
      const log = yield* StatementLog.StatementLog
      const sql = yield* SqlClient.SqlClient
      yield* log.taken
      for (const { port, shown } of everyLaw) {
        if (ports.some((one) => one === port)) yield* shown
      }
      const statements = new Map(
        (yield* log.taken).flatMap((one) => {
          const text = one.text.replaceAll(/\s+/g, " ").trim()
          return text.includes('"shelf"') ? [[text, { ...one, text }]] : []
        })
      )
      const found: Array<string> = []
      for (const { text, values } of statements.values()) {
        const steps = yield* sql.unsafe<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`, [...values])
        const names = [...text.matchAll(/"shelf" (?:AS )?([a-z])\b/g)].map(([, name]) => name)
        const isOfTable = new RegExp(`^(SCAN|SEARCH) (${["main.shelf", ...names].join("|")})\\b`)
        if (steps.some(({ detail }) => isOfTable.test(detail) && !detail.includes("sku=?"))) found.push(text)
      }
      assertTrue(statements.size > 15, `only ${statements.size} statements were seen`)
      deepStrictEqual(
        found.filter((text) => !withoutSkus.some((statement) => statement.test(text))),
        []
      )
      deepStrictEqual(
        withoutSkus.filter((statement) => !found.some((text) => statement.test(text))),
        []
      )
    }).pipe(Effect.provide(storage))
  )
})
