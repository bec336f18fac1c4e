import { Transaction } from "@crossdock/kernel"
import { StorageSql } from "@crossdock/storage-sql"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { postgres } from "./Databases.ts"
import * as StatementLog from "./StatementLog.ts"

describe("Whether PostgreSQL can still write", () => {
  it.effect("is tried once a second, however many ask for it and wherever the clock is set", () =>
    Effect.gen(function* () {
      const { taken } = yield* StatementLog.StatementLog
      const { probe = Effect.void } = yield* Transaction.Transaction
      const tries = Effect.gen(function* () {
        yield* Effect.all(
          Array.from({ length: 20 }, () => probe),
          { concurrency: "unbounded" }
        )
        yield* probe
        return (yield* taken).length
      })
      yield* taken
      const first = yield* tries
      const soon = yield* tries
      yield* TestClock.adjust("1 second")
      deepStrictEqual([first, soon, yield* tries], [1, 0, 1])
    }).pipe(Effect.provide(StorageSql.layer.pipe(Layer.provideMerge(StatementLog.layer(postgres())))))
  )
})
