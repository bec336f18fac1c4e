import { CompanyId } from "@crossdock/kernel"
import { type ShipmentFilter, ShipmentStore } from "@crossdock/shipments"
import { StorageSql } from "@crossdock/storage-sql"
import { layer } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { sqliteFile } from "./Databases.ts"
import * as StatementCount from "./StatementCount.ts"

const database = Layer.merge(Layer.provideMerge(StorageSql.layer, sqliteFile), StatementCount.layer)

const plansOf = (filter: ShipmentFilter) =>
  Effect.gen(function* () {
    const [sql, store] = [yield* SqlClient.SqlClient, yield* ShipmentStore]
    const count = yield* StatementCount.StatementCount
    const { statements } = yield* count.of(store.page(CompanyId.make(1), filter, { number: 1, size: 20 }))
    return yield* Effect.forEach(statements, (text) =>
      Effect.map(
        sql.unsafe<{ readonly detail: string }>(
          `EXPLAIN QUERY PLAN ${text}`,
          Array.from(text.matchAll(/\?/g), () => null)
        ),
        (rows) => rows.map(({ detail }) => detail)
      )
    )
  })

layer(database, { excludeTestServices: true })("Lists of shipments on SQLite", (it) => {
  const one = { locations: ["L1"], orderStatus: "DELIVERED" } as const
  for (const [name, filter, index] of [
    ["of a status", one, "crossdock_shipments_list"],
    ["of a status and days", { ...one, from: 1, to: 7 }, "crossdock_shipments_list"],
    ["of a marketplace", { ...one, marketplace: "bazaar" }, "crossdock_shipments_list"],
    ["of all locations", { locations: null, orderStatus: "DELIVERED" }, "crossdock_shipments_everywhere"]
  ] as const) {
    it.effect(`${name} walk their index, sort nothing but the page, and count by days instead of rows`, () =>
      Effect.gen(function* () {
        // The page and its count are one statement, and so of one moment.
        const [page = [], ...more] = yield* plansOf(filter)
        strictEqual(more.length, 0)
        // `k` are the ids of the page alone, found without their shipments.
        const walked = page.filter((step) => step.startsWith(`SEARCH s USING COVERING INDEX ${index} (company_id=?`))
        strictEqual(walked.length, 1, page.join("\n"))
        // Beside the count, the rows of the page itself come in any order: sorting them is the last step, and the only one.
        const [last, ...before] = page.toReversed()
        strictEqual(last, "USE TEMP B-TREE FOR ORDER BY")
        assertTrue(
          !before.some(
            (step) => step.includes("TEMP B-TREE") || (step.startsWith("SCAN") && !/^SCAN [kn]( |$)/.test(step))
          ),
          page.join("\n")
        )
        const counted = page.filter((step) => step.startsWith("SEARCH c "))
        strictEqual(counted.length, 1, page.join("\n"))
        assertTrue(
          counted[0]?.startsWith("SEARCH c USING PRIMARY KEY (company_id=? AND order_status=?"),
          page.join("\n")
        )
      })
    )
  }

  it.effect("that are open are found by their ids, so that a company's closed ones aren't read", () =>
    Effect.gen(function* () {
      const [page = []] = yield* plansOf({ locations: null, isOpen: true })
      deepStrictEqual(
        page.filter((step) => /^(SEARCH|SCAN) s /.test(step)).map((step) => step.replace(/^.*\(/, "(")),
        ["(id=?)", "(id=?)"]
      )
    })
  )
})
