/**
 * A seller writes its stock and its products.
 */
import { CatalogWrite, CatalogWrites } from "@crossdock/catalog"
import { Inventory } from "@crossdock/inventory"
import { Effect, Result } from "effect"
import * as Choice from "./Choice.ts"
import * as Goods from "./Goods.ts"
import * as World from "./World.ts"

export const stock = (world: World.World) =>
  Effect.gen(function* () {
    const { draw } = world
    const { setStock } = yield* Inventory.Inventory
    const policy = Choice.oneOf(draw, ["set", "adjust"] as const)
    const caller = World.seller(Choice.oneOf(draw, World.companies), policy)
    const records = Array.from({ length: Choice.between(draw, 1, 6) }, () =>
      Result.succeed({
        location: Choice.oneOf(draw, World.locations),
        sku: Choice.oneOf(draw, Goods.skus),
        quantity: policy === "set" ? Choice.between(draw, 0, 30) : Choice.between(draw, -5, 10),
        expected: Choice.isChance(draw, 0.1) ? Choice.between(draw, 0, 30) : null
      })
    )
    const { status } = yield* setStock(caller, records)
    return `${caller.principal.id} ${policy}s stock: ${status}`
  })

/**
 * Products and sizes are deleted and created again under the same names.
 */
export const products = (world: World.World) =>
  Effect.gen(function* () {
    const { draw } = world
    const { accept, due, find, process } = yield* CatalogWrites.CatalogWrites
    const caller = World.seller(Choice.oneOf(draw, World.companies))
    const code = Choice.oneOf(draw, Goods.codes)
    const size = { primary_identifier: Choice.oneOf(draw, Goods.skusOf(code)) }
    const [operation, product] = Choice.weighted(draw, [
      [8, ["create", Goods.product(code)]],
      [2, ["update", Goods.product(code)]],
      [1, ["delete", { item_code: code }]],
      [1, ["delete", { item_code: code, sizes: [size] }]]
    ] as const)
    const { traceId } = yield* accept(caller, { operation, template: "apparel", products: [product] })
    yield* Effect.forEach(yield* due, process)
    const done = yield* find(caller, traceId)
    return `${caller.principal.id} ${operation}s ${code}: ${done === undefined ? "?" : CatalogWrite.status(done)}`
  })
