import { Directory } from "@crossdock/access"
import { ProductStore } from "@crossdock/catalog"
import { Level, StockLevels } from "@crossdock/inventory"
import { Transaction } from "@crossdock/kernel"
import { Seed } from "@crossdock/storage-laws"
import * as Fresh from "@crossdock/storage-laws/Fresh"
import { StorageMemory } from "@crossdock/storage-memory"
import { it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Deferred, Duration, Effect, Fiber, Layer } from "effect"

it.layer(StorageMemory.layer)("The memory database", (it) => {
  it.effect("answers a reader outside a transaction at once, with what was committed last", () =>
    Effect.gen(function* () {
      const [directory, transaction] = [yield* Directory, yield* Transaction.Transaction]
      const company = Fresh.company(yield* Fresh.companyId)
      yield* directory.putCompanies([company])
      const [written, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const writer = yield* Effect.forkChild(
        transaction.run(
          Effect.gen(function* () {
            yield* directory.putCompanies([{ ...company, name: "Renamed" }])
            yield* Deferred.succeed(written, undefined)
            yield* Deferred.await(go)
          })
        )
      )
      yield* Deferred.await(written)
      // The transaction waits for this very reader: waiting for it in turn would never end.
      deepStrictEqual(yield* directory.company(company.id), company)
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(writer)
      strictEqual((yield* directory.company(company.id))?.name, "Renamed")
    })
  )
})

it.effect("Every build of the layer is a database of its own, also within a transaction of another", () =>
  Effect.gen(function* () {
    const company = Fresh.company(yield* Fresh.companyId)
    const isThere = Effect.flatMap(Directory, (directory) => directory.company(company.id)).pipe(
      Effect.map((found) => found !== undefined),
      Effect.provide(Layer.fresh(StorageMemory.layer))
    )
    const inside = Effect.gen(function* () {
      const [directory, transaction] = [yield* Directory, yield* Transaction.Transaction]
      return yield* transaction.run(Effect.andThen(directory.putCompanies([company]), isThere))
    })
    strictEqual(yield* Effect.provide(inside, StorageMemory.layer), false)
  })
)

it.live("writes a bulk of 500 levels among 100,000 without copying them all for each", () =>
  Effect.gen(function* () {
    const [levels, products] = [yield* StockLevels, yield* ProductStore]
    const skus = Array.from({ length: 100_000 }, (_, i) => `s${i}`)
    const company = yield* Effect.provide(Seed.seller(["L1"], []), Seed.layer)
    yield* products.put(company, [Fresh.product(company, "many", skus)], 1)
    const found = yield* levels.load(
      company,
      skus.map((sku) => ({ sku, location: "L1" }))
    )
    const moved = found
      .filter((level) => typeof level === "object")
      .map((level) => ({
        ...Level.move(Level.unchanged(level), Level.movementOf.restock(1, "r")),
        marked: true
      }))
    yield* levels.save(company, 1, 1, moved.slice(500))
    const [took] = yield* Effect.timed(levels.save(company, 2, 1, moved.slice(0, 500)))
    // A copy of all levels takes tens of milliseconds for every row: minutes.
    assertTrue(Duration.isLessThan(took, Duration.seconds(2)), Duration.format(took))
  }).pipe(Effect.provide(Layer.fresh(StorageMemory.layer)))
)
