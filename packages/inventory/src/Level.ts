/** Stock of one SKU at one location, and the pure functions that move it. */
import type { CompanyId } from "@crossdock/kernel"
import { frozen } from "@crossdock/kernel"
import * as Struct from "effect/Struct"

/** The most units on hand, and the most unsellable ones, of a SKU at a location. Source: docs/reference/stock.md#record. */
export const maxUnits = 1_000_000_000

/**
 * The stock of a SKU at a location, in whole units, never negative. `onHand` is on the shelf; `reserved` is its part for open
 * shipments; `unsellable`, returned in bad condition, is separate. `sizeId` and `locationId` are the storage's short keys,
 * passed back unchanged; 0 if it has none. `version` is 0 for an unstored level and grows with every write. `changeNumber` and
 * `changedAt` are the number and epoch milliseconds of the company's last change of the sellable quantity, 0 before the first;
 * notifications follow this number. Source: docs/reference/stock.md#quantities.
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

/** Why a level changes: a stock write, or a move of a shipment. */
export type MovementReason = "set" | "adjust" | "reserve" | "release" | "consume" | "restock" | "unsellable"

/**
 * One change of a level: differences, reason, and shipment. `reference` is null for a stock write, which the audit record with
 * the same number describes.
 */
export interface Movement {
  readonly onHand: number
  readonly reserved: number
  readonly unsellable: number
  readonly reason: MovementReason
  readonly reference: string | null
}

/** `NOT_RESERVED`: it moves more than is reserved, a defect. `STOCK_FULL`: returned units would exceed the maximum. */
export interface LevelFault {
  readonly code: "NOT_RESERVED" | "STOCK_FULL"
  readonly reason: MovementReason
  readonly reference: string | null
  readonly units: number
}

/** A level before and after, with the movements between. The audit trail reports `faults`. */
export interface LevelChange {
  readonly before: Level
  readonly after: Level
  readonly movements: ReadonlyArray<Movement>
  readonly faults: ReadonlyArray<LevelFault>
}

/** Sellable units: on hand minus reserved, never below 0. Source: docs/reference/stock.md#quantities. */
export const sellable = (level: Pick<Level, "onHand" | "reserved">): number =>
  Math.max(0, level.onHand - level.reserved)

/** A level deleted with its product: no stock, and the number and time of that change. */
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

/** The empty change of a level, to which `move` adds movements. */
export const unchanged = (level: Level): LevelChange => ({ before: level, after: level, movements: [], faults: [] })

/**
 * Adds a movement. On hand stops at 0, since a shipment's units may have left the stock unrecorded; the movement has the real
 * difference. Reserved stops at 0, so that the shipment can move again, and returned units at `maxUnits`, with a fault.
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

/** Units added up to the maximum. More units, stored by an earlier release, stay. */
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

/** Movements of `quantity` units for a shipment, by reason. Source: docs/reference/shipments.md#stock. */
export const movementOf = /* @__PURE__ */ frozen({
  reserve: movement("reserve", 0, 1, 0),
  release: movement("release", 0, -1, 0),
  consume: movement("consume", -1, -1, 0),
  restock: movement("restock", 1, 0, 0),
  unsellable: movement("unsellable", 0, 0, 1)
} as const)
