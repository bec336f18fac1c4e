/** The effect of a shipment's events on stock. Source: docs/reference/shipments.md#stock. */
import { Level } from "@crossdock/inventory"
import { type StockKey, stockKeyText } from "@crossdock/kernel"
import { type Portion, unitsByItem, unitsUnsettled } from "@crossdock/returns"
import type { Shipment } from "./Shipment.ts"
import type { ShipmentEvent } from "./ShipmentEvent.ts"
import type { OperationalStatus, StockKind } from "./ShipmentStatus.ts"

/** A change to stock at the shipment's location. `sizeId` is the sold size. It is absent for items of earlier releases. */
export interface StockEffect {
  readonly kind: StockKind
  readonly itemId: string
  readonly sku: string
  readonly sizeId?: number | undefined
  readonly quantity: number
}

/** The effect on stock when a shipment reaches a status. It applies to units that are neither cancelled nor checked. */
export const stockOnReaching: { readonly [S in OperationalStatus]?: StockKind } = Object.freeze({
  bag_picked: "consume",
  handed_over_to_customer: "consume",
  cancelled_seller: "release",
  cancelled_customer: "release",
  deadstock: "unsellable"
})

const stockOfCheck = { good: "restock", bad: "unsellable" } as const satisfies Record<string, StockKind>

/** The changes to stock that `event` causes. `shipment` is the shipment before the event. */
export const stockEffects = (shipment: Shipment, event: ShipmentEvent): ReadonlyArray<StockEffect> => {
  const effects = (kind: StockKind, portions: ReadonlyArray<Portion>) => {
    const units = unitsByItem(portions)
    return shipment.items
      .map(({ id, sizeId, sku }) => ({ kind, itemId: id, sku, sizeId, quantity: units.get(id) ?? 0 }))
      .filter(({ quantity }) => quantity > 0)
  }

  switch (event._tag) {
    case "Moved": {
      const kind = event.added?.stock ?? stockOnReaching[event.to as OperationalStatus] ?? "none"
      if (kind === "none" || event.to === shipment.status) return []
      const unsettled = shipment.items.map((item) => ({ itemId: item.id, quantity: unitsUnsettled(item) }))
      return effects(kind, unsettled)
    }
    case "PartCancelled": {
      const cancelled = event.created.items.map(({ id, ordered }) => ({ itemId: id, quantity: ordered }))
      return effects("release", cancelled)
    }
    case "QualityChecked":
      return effects(stockOfCheck[event.quality], event.items)
    default:
      return []
  }
}

/** A stock effect, with the location and the shipment. */
export interface StockMove {
  readonly location: string
  readonly shipmentId: string
  readonly effect: StockEffect
}

/** The SKUs of these shipments at their locations, without duplicates. */
export const stockKeys = (shipments: ReadonlyArray<Shipment>): ReadonlyArray<StockKey> => {
  const keys = shipments.flatMap(({ items, location }) => items.map(({ sku }) => ({ sku, location })))
  return [...new Map(keys.map((key) => [stockKeyText(key), key])).values()]
}

/** Whether the level belongs to the sold size. After a deletion, a later size may have the same SKU. */
const isOf = (level: Level.Level, { sizeId }: StockEffect): boolean => sizeId === undefined || sizeId === level.sizeId

/**
 * The levels that the moves change, in the order of `levels`. Units of a deleted size change no level.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { stockLevel } from "@crossdock/inventory/testing"
 * import { StockMoves } from "@crossdock/shipments"
 *
 * const levels = [stockLevel({ sku: "A", onHand: 10, reserved: 3 }), stockLevel({ sku: "B" })]
 * const consume = { kind: "consume", itemId: "1", sku: "A", quantity: 2 } as const
 * const [change, ...others] = StockMoves.levelChanges(levels, [{ location: "BLR1", shipmentId: "17", effect: consume }])
 *
 * deepStrictEqual([change?.after.onHand, change?.after.reserved, others.length], [8, 1, 0])
 * ```
 */
export const levelChanges = (
  levels: ReadonlyArray<Level.Level>,
  moves: ReadonlyArray<StockMove>
): ReadonlyArray<Level.LevelChange> => {
  const changes = new Map(levels.map((level) => [stockKeyText(level), Level.unchanged(level)]))
  for (const { effect, location, shipmentId } of moves) {
    const key = stockKeyText({ location, sku: effect.sku })
    const change = changes.get(key)
    if (change !== undefined && isOf(change.before, effect))
      changes.set(key, Level.move(change, Level.movementOf[effect.kind](effect.quantity, shipmentId)))
  }
  return [...changes.values()].filter((change) => change.movements.length > 0)
}

/** Units that a move could not add or remove. Source: docs/reference/errors.md#faults-in-the-audit-trail. */
export interface StockFault extends StockKey {
  readonly code: "SKU_GONE" | Level.LevelFault["code"]
  readonly shipmentId: string | null
  readonly kind: string
  readonly units: number
}

/** The faults of the moves, for the audit trail. `changes` must be the result of `levelChanges` for the same moves. */
export const faults = (
  levels: ReadonlyArray<Level.Level>,
  moves: ReadonlyArray<StockMove>,
  changes: ReadonlyArray<Level.LevelChange>
): ReadonlyArray<StockFault> => {
  const known = new Map(levels.map((level) => [stockKeyText(level), level]))
  const withoutLevel = moves.filter(({ effect, location }) => {
    const level = known.get(stockKeyText({ location, sku: effect.sku }))
    return level === undefined || !isOf(level, effect)
  })
  return [
    ...withoutLevel.map(({ effect, location, shipmentId }) => ({
      code: "SKU_GONE" as const,
      sku: effect.sku,
      location,
      shipmentId,
      kind: effect.kind,
      units: effect.quantity
    })),
    ...changes.flatMap(({ after: { location, sku }, faults }) =>
      faults.map(({ code, reason, reference, units }) => ({
        code,
        sku,
        location,
        shipmentId: reference,
        kind: reason,
        units
      }))
    )
  ]
}
