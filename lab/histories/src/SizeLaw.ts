/** Returned units belong to the size that was sold, even if its SKU was deleted and created again. */
import { Level, StockLevels } from "@crossdock/inventory"
import { unitsUnsettled } from "@crossdock/returns"
import type { Shipment } from "@crossdock/shipments"
import { Effect } from "effect"
import * as Goods from "./Goods.ts"
import * as World from "./World.ts"

/** Notes the sizes of the lines in new shipments, before any product can change. */
export const remember = (world: World.World, shipments: ReadonlyArray<Shipment>) =>
  Effect.gen(function* () {
    const levels = yield* StockLevels
    for (const { companyId, items, location } of shipments) {
      const fresh = items.filter(({ id }) => !world.sizes.has(id))
      const keys = fresh.map(({ sku }) => ({ sku, location }))
      const found = fresh.length === 0 ? [] : yield* levels.load(companyId, keys)
      for (const [at, level] of found.entries()) {
        const id = fresh[at]?.id
        if (id !== undefined && typeof level !== "string") world.sizes.set(id, level.sizeId)
      }
    }
  })

const unsellableOf = (world: World.World, level: Level.Level): number => {
  let units = 0
  for (const { companyId, items, location, status } of World.everyShipment(world)) {
    if (companyId !== level.companyId || location !== level.location) continue
    for (const item of items) {
      if (item.sku !== level.sku || world.sizes.get(item.id) !== level.sizeId) continue
      units += item.bad + (status === "deadstock" ? unitsUnsettled(item) : 0)
    }
  }
  return units
}

/** The unsellable stock of a size is exactly the units of its lines, because only shipments change it. */
export const stock = (world: World.World) =>
  Effect.gen(function* () {
    const levels = yield* StockLevels
    const places = World.locations.flatMap((location) => Goods.skus.map((sku) => ({ location, sku })))
    const faults: Array<string> = []
    for (const company of World.companies) {
      for (const level of yield* levels.load(company, places)) {
        if (typeof level === "string") continue
        const place = `${company} ${level.location} ${level.sku}`
        if (level.onHand > Level.maxUnits) faults.push(`${place}: ${level.onHand} on hand`)
        if (level.sizeId === 0) continue
        const expected = unsellableOf(world, level)
        if (level.unsellable === expected) continue
        faults.push(`${place}: ${level.unsellable} unsellable, ${expected} of its size`)
      }
    }
    return faults
  })
