import { Directory } from "@crossdock/access"
import { ProductStore } from "@crossdock/catalog"
import { Listings, StockLevels } from "@crossdock/inventory"
import { CompanyId } from "@crossdock/kernel"
import * as Fresh from "@crossdock/storage-laws/Fresh"
import { Migrations, StorageSql } from "@crossdock/storage-sql"
import { layer } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { postgres } from "./Databases.ts"
import * as RowsRead from "./RowsRead.ts"

const skuOf = (company: number, nth: number) => `${company}-${nth}`

/** Adds a company with so many products of one size each, with stock. */
const company = (number: number, count: number) =>
  Effect.gen(function* () {
    const [directory, products, levels] = [yield* Directory, yield* ProductStore, yield* StockLevels]
    const id = CompanyId.make(number)
    yield* directory.putCompanies([Fresh.company(id)])
    yield* directory.putLocations([Fresh.location(id, "L1")])
    for (let from = 0; from < count; from += 100) {
      const numbers = Array.from({ length: 100 }, (_, nth) => from + nth)
      yield* products.put(
        id,
        numbers.map((nth) => Fresh.product(id, `p${nth}`, [skuOf(number, nth)])),
        1
      )
      const found = yield* levels.load(
        id,
        numbers.map((nth) => ({ sku: skuOf(number, nth), location: "L1" }))
      )
      const changes = found.flatMap((before) =>
        typeof before === "string"
          ? []
          : [{ before, after: { ...before, onHand: 5, version: 1 }, marked: true, movements: [] }]
      )
      yield* levels.save(id, from + 1, 1, changes)
    }
    return id
  })

layer(RowsRead.layer.pipe(Layer.provideMerge(Layer.provideMerge(StorageSql.layer, postgres()))), {
  excludeTestServices: true,
  timeout: "1 minute"
})("A company that came after the last ANALYZE", (it) => {
  it.effect("is looked up by its keys, though PostgreSQL takes it for one without rows", () =>
    Effect.gen(function* () {
      const [reads, sql] = [yield* RowsRead.RowsRead, yield* SqlClient.SqlClient]
      const [products, levels, listings] = [yield* ProductStore, yield* StockLevels, yield* Listings]
      yield* company(1, 3_000)
      yield* sql`ANALYZE`
      const id = yield* company(2, 600)
      const skus = [3, 99, 200, 301, 599].map((nth) => skuOf(2, nth))
      const keys = skus.map((sku) => ({ sku, location: "L1" }))
      const everything = { locations: null, skus: [], withBatches: true }
      const asked = {
        sold: products.sold(id, skus),
        returnless: products.returnless(id, skus),
        levels: levels.load(id, keys),
        put: products.put(id, [Fresh.product(id, "p3", [skuOf(2, 3)])], 2),
        listings: listings.page(id, everything, { number: 1, size: 10 })
      }
      for (const [name, question] of Object.entries<Effect.Effect<unknown, unknown>>(asked)) {
        const { rows } = yield* reads.of(question)
        assertTrue(rows <= 200, `${name} reads ${rows} rows`)
      }
    })
  )

  it.effect("has no statistics in PostgreSQL, in any table where statements have a choice", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const found = yield* sql<{ readonly name: string }>`
        SELECT c.relname::text AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        WHERE c.relkind = 'r' AND c.relname LIKE 'crossdock%' AND a.attname = 'company_id'
          AND COALESCE(a.attstattarget, -1) <> 0 ORDER BY 1`
      deepStrictEqual(
        found.map(({ name }) => name),
        ["crossdock_checkpoints", "crossdock_movements"]
      )
      const analyzed = sql`ANALYZE crossdock_sizes`
      const kept = sql`SELECT 1 AS one FROM pg_stats WHERE tablename = 'crossdock_sizes' AND attname = 'company_id'`
      // As in a database of an earlier release.
      yield* sql`ALTER TABLE crossdock_sizes ALTER COLUMN company_id SET STATISTICS -1`
      yield* analyzed
      strictEqual((yield* kept).length, 1)
      yield* sql.unsafe(Migrations.withoutStatistics("crossdock_sizes"))
      yield* analyzed
      strictEqual((yield* kept).length, 0)
    })
  )
})
