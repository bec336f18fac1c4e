/** The stock of one SKU at one location, and the pure functions that change it. */
import type { CompanyId } from "@crossdock/kernel"
import { frozen } from "@crossdock/kernel"
import * as Struct from "effect/Struct"

/** The maximum of a level's units on hand, and of its unsellable units. Source: docs/reference/stock.md#record. */
export const maxUnits = 1_000_000_000

/**
 * The stock of a SKU at a location, in whole units that are never negative. Source: docs/reference/stock.md#quantities.
 *
 * - `onHand` counts units on the shelf. `reserved` counts units that open shipments have reserved, and can exceed `onHand`.
 * - `unsellable` counts units that were returned in bad condition. These units aren't in `onHand`.
 * - `sizeId` and `locationId` are the storage's short keys. Pass them back unchanged. They are 0 if the storage has no such
 *   keys.
 * - `version` grows with every write. It is 0 for a level that isn't stored.
 * - `changeNumber` and `changedAt` are the number and the time (epoch milliseconds) of the company's last change to the
 *   sellable quantity. They are 0 before the first change. Notifications are in the order of `changeNumber`.
 */
export interface Level {
  readonly companyId: CompanyId
  readonly sku: string
  readonly location: string
  readonly sizeId: number
  readonly locationId: number
  readonly onHand: number
  readonly reserved: number
  readonly unsellable: number
  readonly version: number
  readonly changeNumber: number
  readonly changedAt: number
}

/** The reason of a change to a level: a stock write, or a move of a shipment. */
export type MovementReason = "set" | "adjust" | "reserve" | "release" | "consume" | "restock" | "unsellable"

/**
 * One change of a level: the differences of its quantities, the reason, and the shipment. `reference` is the shipment's id. For
 * a stock write, `reference` is null. The audit record with the same change number then describes the write.
 */
export interface Movement {
  readonly onHand: number
  readonly reserved: number
  readonly unsellable: number
  readonly reason: MovementReason
  readonly reference: string | null
}

/** The `units` missing from a movement: too few were reserved (`NOT_RESERVED`, a defect), or a maximum is reached. */
export interface LevelFault {
  readonly code: "NOT_RESERVED" | "STOCK_FULL"
  readonly reason: MovementReason
  readonly reference: string | null
  readonly units: number
}

/** A level before and after a change, with the movements between them. The audit trail reports the `faults`. */
export interface LevelChange {
  readonly before: Level
  readonly after: Level
  readonly movements: ReadonlyArray<Movement>
  readonly faults: ReadonlyArray<LevelFault>
}

/** The units on hand minus the reserved ones, never less than 0. Source: docs/reference/stock.md#quantities. */
export const sellable = (level: Pick<Level, "onHand" | "reserved">): number =>
  Math.max(0, level.onHand - level.reserved)

/** A level that was deleted with its product. Its stock is 0. Its change number and time are those of the deletion. */
export const deleted = (
  companyId: CompanyId,
  { location, sku }: Pick<Level, "sku" | "location">,
  changeNumber: number,
  changedAt: number
): Level => ({
  companyId,
  sku,
  location,
  sizeId: 0,
  locationId: 0,
  onHand: 0,
  reserved: 0,
  unsellable: 0,
  version: 0,
  changeNumber,
  changedAt
})

/** A change of a level without movements. `move` adds movements to it. */
export const unchanged = (level: Level): LevelChange => ({ before: level, after: level, movements: [], faults: [] })

/**
 * Adds a movement to a change. If `onHand` would fall below 0, the movement is reduced, since units may have left without a
 * record. If `reserved` would fall below 0 or units would exceed `maxUnits`, the movement is reduced with a fault.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { Level } from "@crossdock/inventory"
 * import { stockLevel } from "@crossdock/inventory/testing"
 *
 * // Two units leave, but the seller has already set the stock on hand to 1.
 * const level = stockLevel({ onHand: 1, reserved: 2 })
 * const { after, faults, movements } = Level.move(Level.unchanged(level), Level.movementOf.consume(2, "17"))
 * deepStrictEqual([after.onHand, after.reserved, movements[0]?.onHand, faults], [0, 0, -1, []])
 * ```
 */
export const move = (change: LevelChange, wanted: Movement): LevelChange => {
  const { after } = change
  const { reason, reference } = wanted
  const onHand = Math.max(0, addedUpToMax(after.onHand, wanted.onHand))
  const reserved = Math.max(0, after.reserved + wanted.reserved)
  const unsellable = addedUpToMax(after.unsellable, wanted.unsellable)
  const movement: Movement = {
    onHand: onHand - after.onHand,
    reserved: reserved - after.reserved,
    unsellable: unsellable - after.unsellable,
    reason,
    reference
  }
  const missing = {
    NOT_RESERVED: movement.reserved - wanted.reserved,
    STOCK_FULL: Math.max(0, wanted.onHand - movement.onHand) + wanted.unsellable - movement.unsellable
  }
  const faults = Struct.keys(missing).map((code) => ({ code, reason, reference, units: missing[code] }))
  return {
    before: change.before,
    after: { ...after, onHand, reserved, unsellable },
    movements: [...change.movements, movement],
    faults: [...change.faults, ...faults.filter(({ units }) => units > 0)]
  }
}

/** Adds units up to the maximum. If an earlier release stored more units than the maximum, they are kept. */
const addedUpToMax = (units: number, added: number): number => Math.min(units + added, Math.max(units, maxUnits))

const movement =
  (reason: MovementReason, onHand: number, reserved: number, unsellable: number) =>
  (quantity: number, shipment: string): Movement => ({
    onHand: onHand * quantity,
    reserved: reserved * quantity,
    unsellable: unsellable * quantity,
    reason,
    reference: shipment
  })

/** The movements of `quantity` units for a shipment, by reason. Source: docs/reference/shipments.md#stock. */
export const movementOf = /* @__PURE__ */ frozen({
  reserve: movement("reserve", 0, 1, 0),
  release: movement("release", 0, -1, 0),
  consume: movement("consume", -1, -1, 0),
  restock: movement("restock", 1, 0, 0),
  unsellable: movement("unsellable", 0, 0, 1)
} as const)
