import { Directory } from "@crossdock/access"
import { ProductStore } from "@crossdock/catalog"
import { StockLevels } from "@crossdock/inventory"
import { CompanyId } from "@crossdock/kernel"
import * as Fresh from "@crossdock/storage-laws/Fresh"
import { StorageSql } from "@crossdock/storage-sql"
import { layer } from "@effect/vitest"
import { assertTrue } from "@effect/vitest/utils"
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
  it.effect(
    "costs its own rows for each SKU, for which PostgreSQL takes it to have none, and not for each of its products",
    () =>
      Effect.gen(function* () {
        const [reads, sql] = [yield* RowsRead.RowsRead, yield* SqlClient.SqlClient]
        const [products, levels] = [yield* ProductStore, yield* StockLevels]
        yield* company(1, 3_000)
        yield* sql`ANALYZE`
        const count = 600
        const id = yield* company(2, count)
        const skus = [3, 99, 200, 301, 599].map((nth) => skuOf(2, nth))
        const keys = skus.map((sku) => ({ sku, location: "L1" }))
        const asked = {
          sold: products.sold(id, skus),
          returnless: products.returnless(id, skus),
          levels: levels.load(id, keys),
          put: products.put(id, [Fresh.product(id, "p3", [skuOf(2, 3)])], 2)
        }
        for (const [name, question] of Object.entries<Effect.Effect<unknown, unknown>>(asked)) {
          const { rows } = yield* reads.of(question)
          assertTrue(rows <= 5 * skus.length * count, `${name} reads ${rows} rows`)
        }
      })
  )
})
