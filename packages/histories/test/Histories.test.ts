import { History } from "@crossdock/histories"
import { OperationalStatus } from "@crossdock/shipments"
import * as PostgresDatabase from "@crossdock/storage-laws/PostgresDatabase"
import type {} from "@crossdock/storage-laws/PostgresGlobalSetup"
import { StorageMemory } from "@crossdock/storage-memory"
import { StorageSql } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Effect, Layer } from "effect"
import { inject } from "vitest"

const sqlite = Layer.provide(StorageSql.layer, BetterSqlite3.layer(":memory:"))
const postgres = StorageSql.layer.pipe(
  Layer.provide(Layer.unwrap(Effect.map(PostgresDatabase.make(inject("postgres")), (url) => Postgres.layer(url))))
)

describe("Random histories", () => {
  it.live("keep the laws in memory, and reach every status", () =>
    Effect.gen(function* () {
      const reached = new Set<OperationalStatus>()
      for (let seed = 1; seed <= 20; seed++) {
        const world = yield* Effect.scoped(History.play(StorageMemory.layer, { seed, steps: 300 }))
        for (const { shipments } of world.placed.values()) {
          for (const { status } of shipments.flatMap(({ events }) => events)) reached.add(status)
        }
      }
      deepStrictEqual([...reached].sort(), [...OperationalStatus.literals].sort())
    })
  )

  it.live("keep the laws on SQLite", () =>
    Effect.forEach([101, 102, 103], (seed) => Effect.scoped(History.play(sqlite, { seed, steps: 150 })), {
      discard: true
    })
  )

  it.live("keep the laws on PostgreSQL", () => Effect.scoped(History.play(postgres, { seed: 201, steps: 150 })))
})
