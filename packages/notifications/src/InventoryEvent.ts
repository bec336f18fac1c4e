/**
 * The stock events of a marketplace, one for each changed SKU and location.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { InventoryEvent } from "@crossdock/notifications"
 *
 * const event = { eventId: "e1", sku: "SKU-1", location: "BLR1", code: "B-1", quantity: 7, changeNumber: 12, sequence: 102 }
 * const [sent] = JSON.parse(InventoryEvent.bodyOf([{ ...event, occurredAt: Date.UTC(2026, 0, 31) }]))
 * // the receiver sees its own code of the location
 * deepStrictEqual([sent.location_id, sent.occurred_at], ["B-1", "2026-01-31T00:00:00.000Z"])
 * ```
 */
import type { Level } from "@crossdock/inventory"
import { codesOf, type Marketplace, Offer } from "@crossdock/marketplaces"

/**
 * The sellable quantity of a SKU at a location. `location` is the company's code, and `code` the marketplace's.
 * `occurredAt` is in epoch milliseconds. `sequence` grows with each change, and each change has one `eventId`.
 */
export interface InventoryEvent {
  readonly eventId: string
  readonly sku: string
  readonly location: string
  readonly code: string
  readonly quantity: number
  readonly changeNumber: number
  readonly sequence: number
  readonly occurredAt: number
}

/** The start of a channel's sequences. Changes up to `changeNumber` have the sequence `sequence`, and later ones follow. */
export interface Floor {
  readonly changeNumber: number
  readonly sequence: number
}

export const sequenceOf = (floor: Floor, changeNumber: number): number =>
  floor.sequence + Math.max(0, changeNumber - floor.changeNumber)

/** The input of `eventsOf` besides levels. `floor` is the channel's. `sha256` returns hex, as audit's `Digest` does. */
export interface EventContext {
  readonly marketplace: Marketplace
  readonly floor: Floor
  readonly sha256: (text: string) => string
}

/** The events for one company's levels: one for each level of a SKU that the marketplace sells at a mapped location. */
export const eventsOf = (
  levels: ReadonlyArray<Level.Level>,
  { floor, marketplace, sha256 }: EventContext
): ReadonlyArray<InventoryEvent> => {
  const codes = levels[0] === undefined ? new Map<string, string>() : codesOf(marketplace, levels[0].companyId)
  return levels.flatMap((level) => {
    const { changedAt, companyId, location, changeNumber, sku } = level
    const code = codes.get(location)
    if (code === undefined || !Offer.sells(marketplace, sku)) return []
    const sequence = sequenceOf(floor, changeNumber)
    const identity = JSON.stringify([marketplace.slug, companyId, sku, location, code, sequence])
    return {
      eventId: sha256(identity).slice(0, 32),
      sku,
      location,
      code,
      quantity: Offer.shown(marketplace, level),
      changeNumber,
      sequence,
      occurredAt: changedAt
    }
  })
}

/** The body of a notification, which is a JSON array. Equal events have equal bodies. */
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
