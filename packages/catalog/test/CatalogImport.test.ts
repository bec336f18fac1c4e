import { Directory } from "@crossdock/access"
import { AuditStore } from "@crossdock/audit"
import { CatalogImport, ProductStore } from "@crossdock/catalog"
import { company, productInput as input, sizeInput as size } from "@crossdock/catalog/testing"
import { Level, StockLevels } from "@crossdock/inventory"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect } from "effect"
import * as World from "./World.ts"

const imported = (...products: ReadonlyArray<unknown>) =>
  Effect.flatMap(CatalogImport.CatalogImport, (imports) =>
    imports.products(World.caller(), company, [{ template: "apparel", products }])
  )

const skus = Effect.flatMap(ProductStore, (store) =>
  store.find(company, { itemCodes: ["A"], slugs: [], skus: [] })
).pipe(Effect.map(([product]) => product?.sizes.map(({ sku }) => sku)))

/** Stock of at one location. */
const stocked = (reserved: number) =>
  Effect.gen(function* () {
    const [directory, levels] = [yield* Directory, yield* StockLevels]
    yield* directory.putLocations([
      { companyId: company, code: "L1", name: "L1", currency: "INR", handlingHours: 24, address: null }
    ])
    for (const sku of ["A-1", "A-2"]) {
      const [level] = yield* levels.load(company, [{ sku, location: "L1" }])
      if (typeof level !== "object") return yield* Effect.die(new Error(`${sku} is ${level}`))
      const movement = { onHand: 5, reserved, unsellable: 0, reason: "set", reference: null } as const
      yield* levels.save(company, 1, 1, [{ ...Level.move(Level.unchanged(level), movement), marked: true }])
    }
  })

const two = input("A", { sizes: [size("A-1"), size("A-2")] })
const one = input("A", { sizes: [size("A-1")] })

describe("an import of products", () => {
  it.effect("can be repeated, and replaces what has the same item code", () =>
    Effect.gen(function* () {
      yield* imported(two, input("B"))
      yield* imported(input("A", { sizes: [size("A-1"), size("A-2")], name: "Changed" }), input("B"))
      deepStrictEqual(yield* skus, ["A-1", "A-2"])
      strictEqual((yield* Effect.flatMap(AuditStore, (log) => log.read(company, 0, 10))).length, 2)
    }).pipe(Effect.provide(World.layer))
  )

  it.effect("deletes sizes that are left out, and marks their stock as deleted under its own number", () =>
    Effect.gen(function* () {
      yield* imported(two)
      yield* stocked(0)
      yield* imported(one)
      deepStrictEqual(yield* skus, ["A-1"])
      const marked = yield* Effect.flatMap(StockLevels, (levels) => levels.marked(company, ["L1"], 0, 10, "m"))
      deepStrictEqual(
        marked.map(({ onHand, changeNumber, sku }) => [sku, onHand, changeNumber]),
        [
          ["A-1", 5, 1],
          ["A-2", 0, 2]
        ]
      )
    }).pipe(Effect.provide(World.layer))
  )

  it.effect("is rejected as a whole when a size that is left out is in use", () =>
    Effect.gen(function* () {
      yield* imported(two)
      yield* stocked(2)
      const error = yield* Effect.flip(imported(one, input("B")))
      deepStrictEqual("violations" in error && error.violations.map(({ code, message }) => [code, message]), [
        [
          "RESERVED_STOCK",
          'The SKU "A-2" can\'t be deleted: it has units reserved by orders. Delete it after they are completed or cancelled.'
        ]
      ])
      deepStrictEqual(yield* skus, ["A-1", "A-2"])
      strictEqual((yield* Effect.flatMap(AuditStore, (log) => log.read(company, 0, 10))).length, 1)
    }).pipe(Effect.provide(World.layer))
  )
})
