/**
 * What a marketplace hears of stock: one event for each SKU and location whose sellable quantity changed.
 */

import type { Level } from "@crossdock/inventory"
import { codesOf, type Marketplace, Offer } from "@crossdock/marketplaces"

/**
 * `location` is the company's code, `code` the marketplace's own for it. `number` is the company's number of the change
 * that gave this stock, and `occurredAt`, in epoch milliseconds, when it was made. `sequence` grows with every change of
 * the SKU at the location, so that a receiver can drop what is old. The same change always has the same `eventId`, however
 * often it is sent.
 */
export interface InventoryEvent {
  readonly eventId: string
  readonly sku: string
  readonly location: string
  readonly code: string
  readonly quantity: number
  readonly number: number
  readonly sequence: number
  readonly occurredAt: number
}

/**
 * The company's changes up to `number` are told under `sequence`, and each later one is told that much higher.
 */
export interface Floor {
  readonly number: number
  readonly sequence: number
}

export const sequenceOf = (floor: Floor, number: number): number => floor.sequence + Math.max(0, number - floor.number)

/**
 * What the events of a batch need beside the levels. `floor` is the channel's. `sha256` gives hex text, as the port Digest
 * of audit does.
 */
export interface Telling {
  readonly marketplace: Marketplace
  readonly floor: Floor
  readonly sha256: (text: string) => string
}

/**
 * One event for each level of one company that the marketplace sells from a mapped location, in the order of the levels.
 */
export const eventsOf = (
  levels: ReadonlyArray<Level.Level>,
  { floor, marketplace, sha256 }: Telling
): ReadonlyArray<InventoryEvent> => {
  const codes = levels[0] === undefined ? new Map<string, string>() : codesOf(marketplace, levels[0].companyId)
  return levels.flatMap((level) => {
    const { changedAt, companyId, location, sequence: number, sku } = level
    const code = codes.get(location)
    if (code === undefined || !Offer.sells(marketplace, sku)) return []
    const sequence = sequenceOf(floor, number)
    const identity = JSON.stringify([marketplace.slug, companyId, sku, location, code, sequence])
    return {
      eventId: sha256(identity).slice(0, 32),
      sku,
      location,
      code,
      quantity: Offer.shown(marketplace, level),
      number,
      sequence,
      occurredAt: changedAt
    }
  })
}

/**
 * The notification's body: an array, the names as in the contract, Marketplace, Inventory webhook. The same events give
 * the same text.
 */
export const bodyOf = (events: ReadonlyArray<InventoryEvent>): string =>
  JSON.stringify(
    events.map((event) => ({
      event_id: event.eventId,
      type: "inventory.updated",
      sku: event.sku,
      location_id: event.code,
      quantity: event.quantity,
      sequence: event.sequence,
      occurred_at: new Date(event.occurredAt).toISOString()
    }))
  )
