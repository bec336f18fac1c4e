import { BillingStore } from "@crossdock/billing"
import { StorageSql } from "@crossdock/storage-sql"
import { layer } from "@effect/vitest"
import { assertTrue, deepStrictEqual } from "@effect/vitest/utils"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { sqliteFile } from "./Databases.ts"
import * as StatementCount from "./StatementCount.ts"

const database = Layer.merge(Layer.provideMerge(StorageSql.layer, sqliteFile), StatementCount.layer)

layer(database, { excludeTestServices: true })("Invoices to be paid on SQLite", (it) => {
  it.effect("are found by their times alone: the look of every second reads none that is paid or not due yet", () =>
    Effect.gen(function* () {
      const [sql, store] = [yield* SqlClient.SqlClient, yield* BillingStore]
      const count = yield* StatementCount.StatementCount
      const { statements } = yield* count.of(store.payable(1, 2, 500))
      const [statement = ""] = statements
      const rows = yield* sql.unsafe<{ readonly detail: string }>(`EXPLAIN QUERY PLAN ${statement}`, [1, 2, 500])
      const plan = rows.map(({ detail }) => detail)
      const searched = plan.flatMap((step) => /SEARCH \w+ USING INDEX (\w+ \(\w+[<>]\?\))/.exec(step)?.[1] ?? [])
      deepStrictEqual(searched, [
        "crossdock_invoices_payable (next_at<?)",
        "crossdock_invoices_modified (modified_at>?)"
      ])
      assertTrue(!plan.some((step) => step.startsWith("SCAN")), plan.join("\n"))
    })
  )
})
