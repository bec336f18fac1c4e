import { portLaws, Seed } from "@crossdock/storage-laws"
import { StorageSql } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import { describe, it } from "@effect/vitest"
import { assertTrue } from "@effect/vitest/utils"
import { Cause, Effect, Exit, Layer } from "effect"
import { sqliteFile } from "./Databases.ts"
import * as OwnStock from "./OwnStock.ts"

const host = Seed.layer.pipe(Layer.provideMerge(OwnStock.everyPort), Layer.provide(sqliteFile))

portLaws("StockLevels", host)
portLaws("PriceStore", host)
portLaws("Listings", host)
portLaws("SkuStock", host)

describe("Groups of StorageSql on two databases", () => {
  it.effect("don't start, since one would be outside of the transactions of the other", () =>
    Effect.gen(function* () {
      const elsewhere = Layer.provide(StorageSql.orders, Layer.fresh(BetterSqlite3.layer(":memory:")))
      const host = elsewhere.pipe(Layer.provide(StorageSql.base), Layer.provide(BetterSqlite3.layer(":memory:")))
      const exit = yield* Effect.exit(Effect.scoped(Layer.build(host)))
      assertTrue(Exit.isFailure(exit))
      assertTrue(
        Cause.pretty(exit.cause).includes("All groups of StorageSql need the SqlClient"),
        Cause.pretty(exit.cause)
      )
    })
  )
})
