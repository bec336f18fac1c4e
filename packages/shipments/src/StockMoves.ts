/**
 * What moves of shipments do to stock levels.
 */
import { Level, type StockKey, stockKeyText } from "@crossdock/inventory"
import type { Shipment } from "./Shipment.ts"
import type { StockEffect } from "./StockEffect.ts"

/**
 * A stock effect with where and for which shipment it happens.
 */
export interface StockMove {
  readonly location: string
  readonly shipmentId: string
  readonly effect: StockEffect
}

/**
 * Every SKU and location of these shipments, once.
 */
export const stockKeys = (shipments: ReadonlyArray<Shipment>): ReadonlyArray<StockKey> => {
  const keys = shipments.flatMap(({ items, location }) => items.map(({ sku }) => ({ sku, location })))
  return [...new Map(keys.map((key) => [stockKeyText(key), key])).values()]
}

/**
 * The levels that the moves change, in the order of `levels`; each has its movements in the order they were made. A SKU
 * that was deleted meanwhile has no level, and nothing to give its units back to.
 */
export const levelChanges = (
  levels: ReadonlyArray<Level.Level>,
  moves: ReadonlyArray<StockMove>
): ReadonlyArray<Level.LevelChange> => {
  const changes = new Map(levels.map((level) => [stockKeyText(level), Level.unchanged(level)]))
  for (const { effect, location, shipmentId } of moves) {
    const key = stockKeyText({ location, sku: effect.sku })
    const change = changes.get(key)
    if (change !== undefined) {
      changes.set(key, Level.move(change, Level.movementOf[effect.kind](effect.quantity, shipmentId)))
    }
  }
  return [...changes.values()].filter((change) => change.movements.length > 0)
}
