/**
 * Stock of one SKU at one location, and the pure functions that move it.
 */
import type { CompanyId } from "@crossdock/kernel"

/**
 * `onHand` is what stands there, `reserved` what open shipments will take of it, `unsellable` what came back bad and is
 * not part of `onHand`. Whole units, never negative. `sizeId` and `locationId` are the
 * storage's own keys, given back to it unchanged; a storage that has none gives 0.
 * `version` is 0 for a level that is not stored yet and grows with every write. `sequence` is the company's change
 * number of the last change of the sellable quantity: it is what marketplaces are told by. `changedAt` is when that change
 * was made, in epoch milliseconds; both are 0 before the first.
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
  readonly sequence: number
  readonly changedAt: number
}

export type MovementReason = "set" | "adjust" | "reserve" | "release" | "consume" | "restock" | "unsellable"

/**
 * One change of a level: differences, why, and by what. `reference` is the shipment, or null when the change is the
 * request itself, which the audit record with the same number names.
 */
export interface Movement {
  readonly onHand: number
  readonly reserved: number
  readonly unsellable: number
  readonly reason: MovementReason
  readonly reference: string | null
}

/**
 * Units that a movement was to take from those reserved and that were not reserved: a defect, since only what was reserved
 * is released or consumed.
 */
export interface Overdraft {
  readonly reason: MovementReason
  readonly reference: string | null
  readonly units: number
}

/**
 * A level as it was read and as it will be, with the movements between the two. `overdrafts` is empty unless there is a
 * defect, which the trail must name.
 */
export interface LevelChange {
  readonly before: Level
  readonly after: Level
  readonly movements: ReadonlyArray<Movement>
  readonly overdrafts: ReadonlyArray<Overdraft>
}

/**
 * The largest stock of one SKU at one location (contract, Price and inventory).
 */
export const maximum = 1_000_000_000

/**
 * What may still be promised: on hand less what is reserved, never below 0.
 */
export const sellable = (level: Pick<Level, "onHand" | "reserved">): number =>
  Math.max(0, level.onHand - level.reserved)

/**
 * What is left of a level whose SKU went with its product: no stock, and the number and time of the change that took it.
 */
export const gone = (
  companyId: CompanyId,
  { location, sku }: Pick<Level, "sku" | "location">,
  sequence: number,
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
  sequence,
  changedAt
})

/**
 * The change of a level that nothing has happened to yet.
 */
export const unchanged = (level: Level): LevelChange => ({
  before: level,
  after: level,
  movements: [],
  overdrafts: []
})

/**
 * Adds a movement. What was taken out of stock without telling can't be taken out again: on hand stops at 0, and the
 * movement says what really happened. What is reserved stops at 0 too, or the shipment could never move again, and the
 * change says that it did.
 */
export const move = (change: LevelChange, wanted: Movement): LevelChange => {
  const { after } = change
  const onHand = Math.max(0, after.onHand + wanted.onHand)
  const reserved = Math.max(0, after.reserved + wanted.reserved)
  const movement: Movement = {
    onHand: onHand - after.onHand,
    reserved: reserved - after.reserved,
    unsellable: wanted.unsellable,
    reason: wanted.reason,
    reference: wanted.reference
  }
  return {
    before: change.before,
    after: { ...after, onHand, reserved, unsellable: after.unsellable + wanted.unsellable },
    movements: [...change.movements, movement],
    overdrafts:
      movement.reserved === wanted.reserved
        ? change.overdrafts
        : [
            ...change.overdrafts,
            { reason: wanted.reason, reference: wanted.reference, units: movement.reserved - wanted.reserved }
          ]
  }
}

const none = { onHand: 0, reserved: 0, unsellable: 0 }

/**
 * The movement of `quantity` units for a shipment, by its reason.
 */
export const movementOf = {
  reserve: (quantity: number, shipment: string): Movement => ({
    ...none,
    reserved: quantity,
    reason: "reserve",
    reference: shipment
  }),
  release: (quantity: number, shipment: string): Movement => ({
    ...none,
    reserved: -quantity,
    reason: "release",
    reference: shipment
  }),
  consume: (quantity: number, shipment: string): Movement => ({
    ...none,
    onHand: -quantity,
    reserved: -quantity,
    reason: "consume",
    reference: shipment
  }),
  restock: (quantity: number, shipment: string): Movement => ({
    ...none,
    onHand: quantity,
    reason: "restock",
    reference: shipment
  }),
  unsellable: (quantity: number, shipment: string): Movement => ({
    ...none,
    unsellable: quantity,
    reason: "unsellable",
    reference: shipment
  })
} as const
