/**
 * Applies the stock effects of moves to stock levels.
 */

import { Level } from "@crossdock/inventory"
import { type StockKey, stockKeyText } from "@crossdock/kernel"
import type { Shipment } from "./Shipment.ts"
import type { StockEffect } from "./StockEffect.ts"

/**
 * A stock effect, with the location and the shipment.
 */
export interface StockMove {
  readonly location: string
  readonly shipmentId: string
  readonly effect: StockEffect
}

/**
 * The SKUs of these shipments at their locations, each once.
 */
export const stockKeys = (shipments: ReadonlyArray<Shipment>): ReadonlyArray<StockKey> => {
  const keys = shipments.flatMap(({ items, location }) => items.map(({ sku }) => ({ sku, location })))
  return [...new Map(keys.map((key) => [stockKeyText(key), key])).values()]
}

/**
 * The levels that the moves change, in the order of `levels`, each with its movements in order.
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

/**
 * Units that a move could not add or remove. `SKU_GONE`: the SKU was deleted after delivery, so they have no level to
 * return to. `NOT_RESERVED`: fewer were reserved than released or consumed, which is a defect. `units` is how many;
 * `shipmentId` is null for a movement without a reference. Source: docs/reference/errors.md#faults-in-the-audit-trail.
 */
export interface StockFault extends StockKey {
  readonly code: "SKU_GONE" | "NOT_RESERVED"
  readonly shipmentId: string | null
  readonly kind: string
  readonly units: number
}

/**
 * The faults of the moves, which the audit trail keeps. `changes` are the changes that `levelChanges` made of them.
 */
export const faults = (
  levels: ReadonlyArray<Level.Level>,
  moves: ReadonlyArray<StockMove>,
  changes: ReadonlyArray<Level.LevelChange>
): ReadonlyArray<StockFault> => {
  const known = new Set(levels.map(stockKeyText))
  const withoutLevel = moves.filter(({ effect, location }) => !known.has(stockKeyText({ location, sku: effect.sku })))
  return [
    ...withoutLevel.map(({ effect, location, shipmentId }) => ({
      code: "SKU_GONE" as const,
      sku: effect.sku,
      location,
      shipmentId,
      kind: effect.kind,
      units: effect.quantity
    })),
    ...changes.flatMap(({ after: { location, sku }, overdrafts }) =>
      overdrafts.map(({ reason, reference, units }) => ({
        code: "NOT_RESERVED" as const,
        sku,
        location,
        shipmentId: reference,
        kind: reason,
        units
      }))
    )
  ]
}
