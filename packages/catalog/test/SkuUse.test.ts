import { SkuShipments, SkuStock } from "@crossdock/catalog"
import { CompanyId } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Effect, Layer, Ref } from "effect"
import { make } from "../src/SkuUse.ts"

const company = CompanyId.make(1)

describe("The uses of SKUs that are to be deleted", () => {
  it.effect("are those of its stock, and before them those of open shipments; nothing is read for no SKU", () =>
    Effect.gen(function* () {
      const calls = yield* Ref.make<ReadonlyArray<string>>([])
      const called = (name: string, skus: ReadonlyArray<string>) =>
        Effect.as(
          Ref.update(calls, (all) => [...all, name]),
          new Set(skus)
        )
      const ports = Layer.mergeAll(
        Layer.succeed(SkuStock, {
          lock: (_, skus) => Effect.asVoid(called("lock", skus)),
          reserved: () => called("stock", ["a", "b"]),
          remove: () => Effect.die("not asked for")
        }),
        Layer.succeed(SkuShipments, { open: () => called("shipments", ["b", "c"]) })
      )
      const { lock, usesOf } = yield* Effect.provide(make, ports)
      yield* lock(company, ["a"])
      deepStrictEqual([...(yield* usesOf(company, ["a", "b", "c", "d"]))].sort(), [
        ["a", "RESERVED_STOCK"],
        ["b", "OPEN_SHIPMENTS"],
        ["c", "OPEN_SHIPMENTS"]
      ])
      deepStrictEqual(yield* Ref.get(calls), ["lock", "stock", "shipments"])
      yield* lock(company, [])
      deepStrictEqual((yield* usesOf(company, [])).size, 0)
      deepStrictEqual(yield* Ref.get(calls), ["lock", "stock", "shipments"])
    })
  )
})
