import { AuditStore } from "@crossdock/audit"
import { History, type World } from "@crossdock/histories"
import * as Databases from "@crossdock/histories/Databases"
import { StockLevels } from "@crossdock/inventory"
import { Idempotency } from "@crossdock/kernel"
import type {} from "@crossdock/postgres/PostgresGlobalSetup"
import { operationalStatuses } from "@crossdock/shipments"
import { StorageMemory } from "@crossdock/storage-memory"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual } from "@effect/vitest/utils"
import { Effect, Layer } from "effect"
import { inject } from "vitest"
import * as OwnStock from "../../../packages/storage-sql/test/OwnStock.ts"

/** With archives, and with both companies moved at the end. */
const on = (made: Databases.Made, seed: number) =>
  Effect.scoped(Effect.flatMap(made, ({ places, storage }) => History.play(storage, { seed, steps: 150, places })))

describe("Random histories", () => {
  it.live("keep the laws in memory, and reach every status", () =>
    Effect.gen(function* () {
      const reached = new Set<string>()
      let aborted = 0
      for (let seed = 68; seed <= 73; seed++) {
        const world = yield* Effect.scoped(History.play(StorageMemory.layer, { seed, steps: 300 }))
        aborted += world.aborts.count
        for (const { shipments } of world.placed.values()) {
          for (const { status } of shipments.flatMap(({ events }) => events)) reached.add(status)
        }
      }
      deepStrictEqual([...reached].sort(), [...operationalStatuses].sort())
      assertTrue(aborted > 50, `${aborted}`)
    })
  )

  it.live("keep the laws on SQLite", () =>
    Effect.forEach([101, 102, 103], (seed) => on(Databases.sqlite, seed), { discard: true })
  )

  it.live("keep the laws on a host that keeps stock in its own tables", () =>
    Effect.scoped(
      History.play(Layer.provide(OwnStock.everyPort, BetterSqlite3.layer(":memory:")), { seed: 301, steps: 150 })
    )
  )

  it.live("keep the laws on PostgreSQL", () => on(Databases.postgres(inject("postgres")), 201))
})

type Levels = typeof StockLevels.Service
type Log = typeof AuditStore.Service

/** Memory storage with a fault. */
const faulty = (levels: (real: Levels) => Partial<Levels>, log: (real: Log) => Partial<Log> = () => ({})) =>
  Layer.merge(
    Layer.effect(
      StockLevels,
      Effect.map(StockLevels, (real) => ({ ...real, ...levels(real) }))
    ),
    Layer.effect(
      AuditStore,
      Effect.map(AuditStore, (real) => ({ ...real, ...log(real) }))
    )
  ).pipe(Layer.provideMerge(StorageMemory.layer))

const broken = (storage: Layer.Layer<World.Ports>) =>
  Effect.map(Effect.flip(Effect.scoped(History.play(storage, { seed: 1, steps: 300 }))), (error) =>
    error instanceof History.LawBroken ? error.message : String(error)
  )

const faults = {
  "levels that forget releases": [
    faulty((real) => ({
      save: (company, number, at, changes) =>
        real.save(
          company,
          number,
          at,
          changes.filter(({ movements }) => !movements.some(({ reason }) => reason === "release"))
        )
    })),
    / reserved, .* open/
  ],
  "levels that write no movement": [
    faulty((real) => ({
      save: (company, number, at, changes) =>
        real.save(
          company,
          number,
          at,
          changes.map((change) => ({ ...change, movements: [] }))
        )
    })),
    /"movements"/
  ],
  "levels that mark nothing": [faulty(() => ({ marked: () => Effect.succeed([]) })), / instead of /],
  "a trail whose records were changed": [
    faulty(
      () => ({}),
      (real) => ({
        read: (company, after, limit) =>
          Effect.map(real.read(company, after, limit), (all) => all.map((one) => ({ ...one, body: `${one.body} ` })))
      })
    ),
    /breaks at/
  ],
  "answers to idempotency keys that are forgotten": [
    Layer.effect(
      Idempotency.Idempotency,
      Effect.map(Idempotency.Idempotency, (real) => ({
        ...real,
        answer: (key, { owner }) => real.remove(key, owner)
      }))
    ).pipe(Layer.provideMerge(StorageMemory.layer)),
    /An aborted write left 1 records, replayed: false/
  ]
} as const

describe("A random history over", () => {
  for (const [what, [storage, report]] of Object.entries(faults)) {
    it.live(`${what} breaks a law, and reports which, with its seed and last steps`, () =>
      Effect.map(broken(storage), (message) => {
        assertTrue(report.test(message) && /^Seed 1, step \d+:/.test(message), message)
      })
    )
  }
})
